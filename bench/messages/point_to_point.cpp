// SPDX-License-Identifier: BSD-3-Clause
// Send, extract and latency by size: Table 5 of Karamcheti, Plevyak and Chien. Rank 0 sends bursts
// to rank 1, which extracts each when it is complete. The floor is a bare swap and store of as many
// bytes, measured between the bursts; and once more in memory that rank 1 has read since, as it
// reads messages: what moving the lines from processor to processor takes alone. A flood is one in
// which rank 1 extracts while rank 0 sends. MPI's own calls do the same between ours.
#include "bench/messages/measure.hpp"

#include <atomic>
#include <cstring>
#include <memory>

namespace lazult::bench {
namespace {

constexpr unsigned burst = 64;
constexpr unsigned trips = 20;
constexpr unsigned flood_messages = 512;
constexpr unsigned rounds_to_a_trip = 4;
constexpr std::size_t sizes[] = {16, 32, 64, 128, 256, 512, 1024};

struct figures {
    std::vector<double> send;
    std::vector<double> extract;
    std::vector<double> latency;  // one way
    std::vector<double> flood;    // for each message, until rank 0 has the answer to the last one
    mpi_figures mpi;
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
                    has_answered_ = true;
                }),
          back_("bench.back", [this](int, std::span<const std::byte>) { ++came_; }) {}

    figures measure(concert::queue& queue, std::size_t bytes, unsigned rounds) {
        queue_ = &queue;
        figures found;
        for (unsigned round = 0; round < rounds; ++round) {
            one_burst(bytes, found);
            if (round % rounds_to_a_trip == 0) {
                ping_pong(bytes, found);
                flood(bytes, found);
                by_mpi(bytes, found.mpi);
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

    void flood(std::size_t bytes, figures& found) {
        const std::span<const std::byte> data(data_, bytes);
        came_ = 0;
        has_answered_ = false;
        MPI_Barrier(MPI_COMM_WORLD);
        if (concert_rank() == 0) {
            const auto began = clock::now();
            for (unsigned i = 0; i + 1 < flood_messages; ++i) {
                count_.send(*queue_, 1, data);
            }
            echo_.send(*queue_, 1, data);
            while (came_ == 0) {
                queue_->extract();
            }
            found.flood.push_back(ns_since(began) / flood_messages);
        } else if (concert_rank() == 1) {
            while (came_ + 1 < flood_messages || !has_answered_) {
                queue_->extract();
            }
            concert::flush();  // the answer
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    void by_mpi(std::size_t bytes, mpi_figures& found) {
        if (concert_rank() < 2) {
            mpi_ping_pong(data_, bytes, trips, found);
            mpi_flood(data_, bytes, flood_messages, found);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }

    concert::queue* queue_ = nullptr;
    bool has_answered_ = false;
    std::uint64_t came_ = 0;
    std::byte data_[1024] = {};
    std::unique_ptr<floor_probe> floor_{new floor_probe};
    shared_probe shared_;
    concert::span_handler<std::byte> count_;
    concert::span_handler<std::byte> echo_;
    concert::span_handler<std::byte> back_;
};

// `to` is what the row is compared with, and its median.
struct reference_value {
    const char* what;
    double ns;
};

void add(std::vector<row>& rows, row r, const char* what, const std::vector<double>& mine,
         const reference_value& to) {
    std::vector<double> all = gathered(mine);
    if (all.empty()) {
        return;
    }
    r.what = what;
    fill(r, all);
    r.ratio = r.median_ns / to.ns;
    r.ratio_to = to.what;
    rows.push_back(r);
}

reference_value median_of(const char* what, const std::vector<double>& mine) {
    std::vector<double> all = gathered(mine);
    return {what, all.empty() ? 1 : quantile(all, 0.5)};
}

void add_all(std::vector<row>& rows, const row& r, const figures& found) {
    const reference_value floor = median_of("bare swap and store", found.floor);
    add(rows, r, floor.what, found.floor, floor);
    add(rows, r, "the same, shared", found.shared_floor, floor);
    add(rows, r, "send", found.send, floor);
    add(rows, r, "extract", found.extract, floor);
    const reference_value latency = median_of("MPI latency", found.mpi.latency);
    add(rows, r, "latency", found.latency, latency);
    add(rows, r, latency.what, found.mpi.latency, latency);
    const reference_value flood = median_of("MPI flood", found.mpi.flood);
    add(rows, r, "flood", found.flood, flood);
    add(rows, r, flood.what, found.mpi.flood, flood);
}

}  // namespace

void measure_point_to_point(const effort& how, std::vector<row>& rows) {
    pair_of_ranks pair;
    for (const bool aggregated : {false, true}) {
        for (const std::size_t bytes : sizes) {
            for (const scheme& s : schemes) {
                concert::queue queue(options_of(s, aggregated));
                const figures found = pair.measure(queue, bytes, how.rounds);
                add_all(rows, {"", s.name, aggregated, bytes, 0, 0, 0, 0, ""}, found);
            }
        }
    }
}

}  // namespace lazult::bench
