// SPDX-License-Identifier: BSD-3-Clause
// What simulated ranks share, and the ULTs that run them.
#include "simulation/process.hpp"

#include "lazult/base/base.hpp"

#include <lazult/pool.hpp>
#include <lazult/scheduler.hpp>
#include <lazult/thread.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace lazult::concert {
namespace {

constexpr std::size_t longest_packet = std::size_t{65} << 10;
constexpr std::size_t stack_of_rank = std::size_t{1} << 20;

// No quiescence asks for it.
constinit hold_count<> work_of_simulations;

// The strands of simulated ranks stay: their contexts' and objects' memory is used again.
strand& strand_of_rank(std::size_t rank) {
    static base::never_destroyed<std::vector<std::unique_ptr<strand>>> kept;
    std::vector<std::unique_ptr<strand>>& all = *kept;
    while (all.size() <= rank) {
        const auto number = static_cast<std::uint32_t>(all.size() + 1);
        all.push_back(std::make_unique<strand>(work_of_simulations, number));
    }
    return *all[rank];
}

void free_segment(std::byte* p) { ::operator delete[](p, std::align_val_t(unit_bytes)); }

segment_shape shape_of(const machine& m, const simulated_version& v, std::size_t ranks) {
    const auto peers = static_cast<unsigned>(ranks);
    return v.pulls ? segment_shape::for_pull(peers, m.pool_bytes)
                   : segment_shape::for_push(peers, {m.ring_slots, m.slot_bytes});
}

}  // namespace

network::network(const machine& costs, simulated_version version, std::size_t ranks)
    : costs_(costs),
      version_(version),
      turns_(ranks, [this] { end_of_all_work(); }),
      shape_(shape_of(costs, version, ranks)),
      busy_until_(ranks),
      failures_(ranks) {
    events_.slots_are_free = [this](unsigned receiver, std::uint64_t end) {
        for (const auto& each : ranks_) {
            if (each->waits_for_ == receiver && each->mail_->needed_ticket() < end) {
                turns_.hasten(each->number, now_);
            }
        }
    };
    events_.blocks_are_free = [this](unsigned sender) {
        if (ranks_[sender]->waits_for_ >= 0) {
            turns_.hasten(sender, now_);
        }
    };
    for (std::size_t i = 0; i < ranks; ++i) {
        memory_.emplace_back(new (std::align_val_t(unit_bytes)) std::byte[shape_.bytes()],
                             free_segment);
    }
    for (std::uint32_t i = 0; i < ranks; ++i) {
        ranks_.push_back(std::make_unique<process>(*this, i, strand_of_rank(i), make_mailbox(i)));
    }
}

network::~network() = default;

std::unique_ptr<mailbox> network::make_mailbox(unsigned rank) {
    std::vector<std::byte*> segments;
    segments.reserve(memory_.size());
    for (const auto& each : memory_) {
        segments.push_back(each.get());
    }
    if (version_.pulls) {
        return std::make_unique<pull_mailbox>(shape_, rank, std::move(segments), longest_packet,
                                              events_);
    }
    return std::make_unique<push_mailbox>(shape_, rank, std::move(segments), events_);
}

picoseconds network::occupy(unsigned receiver, picoseconds at, picoseconds length) noexcept {
    if (length == 0) {
        return at;
    }
    const picoseconds begin = std::max(at, busy_until_[receiver]);
    return busy_until_[receiver] = begin + length;
}

// No message is under way, and no rank has anything to do. Ranks that wait for this go on. If the
// program of a rank has ended, the rank serves the others until all programs have ended.
void network::end_of_all_work() {
    const bool is_end =
        std::all_of(ranks_.begin(), ranks_.end(), [](const auto& r) { return r->is_last_wait_; });
    picoseconds latest = 0;
    for (const auto& each : ranks_) {
        if (!each->waits_for_all_ && !each->is_last_wait_) {
            base::fatal_misuse(
                "simulate",
                ("rank " + std::to_string(each->number) + " waits, and no rank can go on").c_str(),
                "let some method give the result that it waits for");
        }
        latest = std::max(latest, each->clock_);
    }
    for (const auto& each : ranks_) {
        if (each->waits_for_all_ && each->is_last_wait_ == is_end) {
            each->waits_for_all_ = false;
            turns_.set_ready(each->number, latest);
        }
    }
}

void network::run(const std::function<void(simulated_rank&)>& program) {
    pool ready(pool_kind::private_fifo);
    const execution_stream alone(scheduler_kind::basic, {&ready});
    thread_attributes how;
    how.how = technique::full;  // methods of all depths, each on its rank's stack
    how.stack_size = stack_of_rank;
    how.where = &ready;
    std::vector<thread> threads;
    threads.reserve(ranks_.size());
    std::exception_ptr not_made;
    try {
        for (const auto& each : ranks_) {
            threads.emplace_back(how, [&, mine = each.get()] {
                if (turns_.begin(mine->number)) {
                    failures_[mine->number] = mine->live(program);
                    turns_.end(mine->number);
                }
            });
        }
        turns_.start();
    } catch (...) {
        not_made = std::current_exception();
        turns_.call_off(threads.size());
    }
    for (thread& each : threads) {
        each.join();
    }
    if (not_made != nullptr) {
        std::rethrow_exception(not_made);
    }
    for (const std::exception_ptr& each : failures_) {
        if (each != nullptr) {
            std::rethrow_exception(each);
        }
    }
}

}  // namespace lazult::concert
