// SPDX-License-Identifier: BSD-3-Clause
// Send, extract and latency by size: Table 5 of Karamcheti, Plevyak and Chien. Rank 0 sends bursts
// to rank 1, which extracts each when it is complete. The floor is a bare swap and store of as many
// bytes, measured between the bursts; and once more in memory that rank 1 has read since, as it
// reads messages: what moving the lines from processor to processor takes alone.
#include "bench/messages/measure.hpp"

#include <atomic>
#include <cstring>
#include <memory>

namespace lazult::bench {
namespace {

constexpr unsigned burst = 64;
constexpr std::size_t sizes[] = {16, 32, 64, 128, 256, 512, 1024};

struct figures {
    std::vector<double> send;
    std::vector<double> extract;
    std::vector<double> latency;  // one way
    std::vector<double> floor;
    std::vector<double> shared_floor;
};

// What no queue can do without: the bytes are stored in a buffer, and a word is swapped.
struct floor_probe {
    struct alignas(64) buffer {
        std::atomic<std::uint64_t> next{0};
        std::byte bytes[1024];
    };
    buffer buffers[burst];
    std::atomic<std::uint64_t> tail{0};

    double burst_ns(const std::byte* data, std::size_t bytes) {
        const auto began = clock::now();
        for (std::uint64_t i = 0; i < burst; ++i) {
            std::memcpy(buffers[i].bytes, data, bytes);
            tail.exchange(i, std::memory_order_acq_rel);          // pairs with: itself
            buffers[i].next.store(i, std::memory_order_release);  // pairs with: read()
        }
        return ns_since(began) / burst;
    }
    // The part of the receiver, which extracts.
    std::byte read(std::size_t bytes) {
        std::byte sum{0};
        for (buffer& each : buffers) {
            each.next.load(std::memory_order_acquire);  // pairs with: burst_ns()
            for (std::size_t at = 0; at < bytes; at += 64) {
                sum ^= static_cast<volatile std::byte&>(each.bytes[at]);
            }
        }
        tail.exchange(0, std::memory_order_acq_rel);  // pairs with: burst_ns()
        return sum;
    }
};

// One in memory that all ranks of rank 0's node see. Others have one of their own, which nobody
// uses.
class shared_probe {
public:
    shared_probe() {
        PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, concert_rank(), MPI_INFO_NULL,
                             &node_);
        int place = 0;
        PMPI_Comm_rank(node_, &place);
        const MPI_Aint bytes = place == 0 ? sizeof(floor_probe) + alignof(floor_probe) : 0;
        void* base = nullptr;
        PMPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node_, &base, &window_);
        MPI_Aint its_bytes = 0;
        int unit = 0;
        PMPI_Win_shared_query(window_, 0, &its_bytes, &unit, &base);
        // MPI places windows on pages, or on multiples of 16 alike in each process.
        auto room = static_cast<std::size_t>(its_bytes);
        void* const aligned = std::align(alignof(floor_probe), sizeof(floor_probe), base, room);
        if (place == 0) {
            ::new (aligned) floor_probe;
        }
        probe_ = static_cast<floor_probe*>(aligned);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~shared_probe() {
        PMPI_Win_free(&window_);
        PMPI_Comm_free(&node_);
    }
    shared_probe(const shared_probe&) = delete;
    shared_probe& operator=(const shared_probe&) = delete;
    floor_probe* operator->() const { return probe_; }

private:
    MPI_Comm node_ = MPI_COMM_NULL;
    MPI_Win window_ = MPI_WIN_NULL;
    floor_probe* probe_ = nullptr;
};

class pair_of_ranks {
public:
    pair_of_ranks()
        : count_("bench.count", [this](int, std::span<const std::byte>) { ++came_; }),
          echo_("bench.echo",
                [this](int source, std::span<const std::byte> data) {
                    back_.send(*queue_, source, data);
                }),
          back_("bench.back", [this](int, std::span<const std::byte>) { ++came_; }) {}

    figures measure(concert::queue& queue, std::size_t bytes, unsigned rounds) {
        queue_ = &queue;
        figures found;
        for (unsigned round = 0; round < rounds; ++round) {
            one_burst(bytes, found);
            if (round % 4 == 0) {
                ping_pong(bytes, found);
            }
        }
        return found;
    }

private:
    void one_burst(std::size_t bytes, figures& found) {
        const std::span<const std::byte> data(data_, bytes);
        came_ = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (concert_rank() == 0) {
            found.floor.push_back(floor_->burst_ns(data_, bytes));
            found.shared_floor.push_back(shared_->burst_ns(data_, bytes));
            const auto began = clock::now();
            for (unsigned i = 0; i < burst; ++i) {
                count_.send(*queue_, 1, data);
            }
            found.send.push_back(ns_since(began) / burst);
            concert::flush();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (concert_rank() == 1) {
            const auto began = clock::now();
            while (came_ != burst) {
                queue_->extract(burst);
            }
            found.extract.push_back(ns_since(began) / burst);
            data_[0] = shared_->read(bytes);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    void ping_pong(std::size_t bytes, figures& found) {
        const std::span<const std::byte> data(data_, bytes);
        constexpr unsigned trips = 20;
        came_ = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (concert_rank() == 0) {
            const auto began = clock::now();
            for (unsigned trip = 1; trip <= trips; ++trip) {
                echo_.send(*queue_, 1, data);
                while (came_ != trip) {
                    queue_->extract();
                }
            }
            found.latency.push_back(ns_since(began) / trips / 2);
            count_.send(*queue_, 1, data);
            concert::flush();
        } else if (concert_rank() == 1) {
            while (came_ == 0) {
                queue_->extract();
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    concert::queue* queue_ = nullptr;
    std::uint64_t came_ = 0;
    std::byte data_[1024] = {};
    std::unique_ptr<floor_probe> floor_{new floor_probe};
    shared_probe shared_;
    concert::span_handler<std::byte> count_;
    concert::span_handler<std::byte> echo_;
    concert::span_handler<std::byte> back_;
};

void add(std::vector<row>& rows, row r, std::vector<double> mine, double floor_ns) {
    std::vector<double> all = gathered(mine);
    if (all.empty()) {
        return;
    }
    fill(r, all);
    r.ratio = r.median_ns / floor_ns;
    r.ratio_to = "bare swap and store";
    rows.push_back(r);
}

}  // namespace

void measure_point_to_point(const effort& how, std::vector<row>& rows) {
    pair_of_ranks pair;
    for (const bool aggregated : {false, true}) {
        for (const std::size_t bytes : sizes) {
            for (const scheme& s : schemes) {
                concert::queue queue(options_of(s, aggregated));
                const figures found = pair.measure(queue, bytes, how.rounds);
                row r{"", s.name, aggregated, bytes, 0, 0, 0, 0, ""};
                std::vector<double> floors = gathered(found.floor);
                const double floor_ns = floors.empty() ? 1 : quantile(floors, 0.5);
                r.what = "bare swap and store";
                add(rows, r, found.floor, floor_ns);
                r.what = "the same, shared";
                add(rows, r, found.shared_floor, floor_ns);
                r.what = "send";
                add(rows, r, found.send, floor_ns);
                r.what = "extract";
                add(rows, r, found.extract, floor_ns);
                r.what = "latency";
                add(rows, r, found.latency, floor_ns);
            }
        }
    }
}

}  // namespace lazult::bench
