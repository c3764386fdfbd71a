// SPDX-License-Identifier: BSD-3-Clause
// Programs drawn from a seed: many ULTs on several streams, that exchange messages by every kind of
// call, and disturb their timing. LAZULT_SEED repeats one.
#include "cases.hpp"

#include <cstdint>
#include <ctime>
#include <vector>

namespace mpi_cases {
namespace {

class generator {
public:
    explicit generator(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
    unsigned below(unsigned n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<unsigned>(state_ >> 33) % n;
    }

private:
    std::uint64_t state_;
};

void disturb(generator& random) {
    switch (random.below(6)) {
        case 0: lazult::this_thread::yield(); break;
        case 1: {
            const timespec time{0, static_cast<long>(random.below(100'000))};
            ::nanosleep(&time, nullptr);  // the whole stream
            break;
        }
        default: break;
    }
}

void send(generator& random, const std::vector<int>& words, int to, int tag) {
    const int n = static_cast<int>(words.size());
    MPI_Request request = MPI_REQUEST_NULL;
    switch (random.below(4)) {
        case 0: MPI_Send(words.data(), n, MPI_INT, to, tag, MPI_COMM_WORLD); break;
        case 1: MPI_Ssend(words.data(), n, MPI_INT, to, tag, MPI_COMM_WORLD); break;
        default:
            MPI_Issend(words.data(), n, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
            disturb(random);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
    }
}

void receive(generator& random, std::vector<int>& words, int from, int tag) {
    const int n = static_cast<int>(words.size());
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Message message = MPI_MESSAGE_NULL;
    int index = 0;
    switch (random.below(4)) {
        case 0:
            MPI_Recv(words.data(), n, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Irecv(words.data(), n, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[1]);
            disturb(random);
            MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
            check_equal(index, 1, "which is done");
            break;
        case 2:
            MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            disturb(random);
            MPI_Mrecv(words.data(), n, MPI_INT, &message, MPI_STATUS_IGNORE);
            break;
        default:
            MPI_Irecv(words.data(), n, MPI_INT, from, tag, MPI_COMM_WORLD, &requests[0]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            break;
    }
}

}  // namespace

// Both partners draw what they exchange from the same numbers, and how from their own.
void chaos() {
    constexpr unsigned programs = 8;
    const char* const text = std::getenv("LAZULT_SEED");
    unsigned long long seed = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
    MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    for (unsigned program = 0; program < programs; ++program) {
        generator shape(seed * 100 + program);
        const int units = 20 + static_cast<int>(shape.below(200));
        const unsigned rounds = 1 + shape.below(10);
        in_units(units, [&](int i) {
            const int tag = (i + rank() * 7) % units;  // begun in other orders
            generator common(seed * 1'000'000 + program * 1000 + static_cast<unsigned>(tag));
            generator own(seed + static_cast<unsigned>(rank() * 7919 + tag + 1));
            for (unsigned round = 0; round < rounds; ++round) {
                const bool even_sends = common.below(2) == 0;
                const unsigned n = common.below(20) == 0 ? 20'000 : 1 + common.below(64);
                std::vector<int> words(n, -1);
                const std::vector<int> sent(n, tag * 31 + static_cast<int>(round));
                disturb(own);
                if (even_sends == (rank() % 2 == 0)) {
                    send(own, sent, rank() ^ 1, tag);
                } else {
                    receive(own, words, rank() ^ 1, tag);
                    check(words == sent, "what was received is what was sent");
                }
            }
        });
    }
}

}  // namespace mpi_cases
