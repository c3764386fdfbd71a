// SPDX-License-Identifier: BSD-3-Clause
// Which simulated rank runs: one at a time, the one with the earliest time. So what ranks do to
// each other happens in the order of virtual time. The ranks are ULTs of one stream, so to hand a
// turn over takes a switch of ULTs.
#pragma once

#include "contexts/simulated_rank.hpp"
#include "simulation/prices.hpp"

#include <lazult/semaphore.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace lazult::concert {

class turns {
public:
    // `stalled` is called when all ranks wait for ever. It gives a time to one of them.
    turns(std::size_t ranks, std::function<void()> stalled)
        : seats_(ranks), stalled_(std::move(stalled)) {}

    // The rank acts next when its clock shows this.
    void set_ready(std::size_t rank, picoseconds clock) noexcept { seats_[rank] = {clock, clock}; }
    // The rank acts at `until`, or before, if something happens.
    void set_waiting(std::size_t rank, picoseconds clock, picoseconds until) noexcept {
        seats_[rank] = {std::max(clock, until), clock, true};
    }
    // Something happens at `at` that the rank may wait for.
    void hasten(std::size_t rank, picoseconds at) noexcept {
        seat& s = seats_[rank];
        if (s.waits) {
            s.at = std::min(s.at, std::max(s.clock, at));
        }
    }

    // The rank that runs lets earlier ones go before. Returns its time, when that is the earliest.
    picoseconds give_way(std::size_t rank) {
        const std::size_t next = earliest();
        if (next != rank) {
            may_run_[next].release();
            may_run_[rank].acquire();
        }
        return seats_[rank].at;
    }
    // A rank's first turn, and its last. False: there is no turn, because not all ranks could be
    // made.
    bool begin(std::size_t rank) {
        begun_.release();
        may_run_[rank].acquire();
        return !is_called_off_;
    }
    void end(std::size_t rank) {
        set_waiting(rank, 0, never);
        if (++ended_ != seats_.size()) {
            may_run_[earliest()].release();
        }
    }
    // By a thread that is no rank: waits until all ranks wait for their first turn, and gives one.
    // If a rank ran before, and its program suspended, the first steps of another rank would change
    // what their common thread stands for.
    void start() {
        for (std::size_t i = 0; i < seats_.size(); ++i) {
            begun_.acquire();
        }
        may_run_[0].release();
    }
    // By a thread that is no rank, when only the first `made` ranks could be made: these end.
    void call_off(std::size_t made) {
        is_called_off_ = true;
        for (std::size_t rank = 0; rank < made; ++rank) {
            may_run_[rank].release();
        }
    }

private:
    struct seat {
        picoseconds at = 0;
        picoseconds clock = 0;
        bool waits = false;
    };
    // Suspends the rank's ULT. Other ranks run meanwhile, on the same OS thread.
    class gate {
    public:
        void release() { opened_.release(); }
        void acquire() {
            const thread_position mine = leave_thread();
            opened_.acquire();
            return_to_thread(mine);
        }

    private:
        binary_semaphore opened_{0};
    };

    std::size_t earliest() {
        std::size_t first = find();
        if (seats_[first].at == never) {
            stalled_();
            first = find();
        }
        return first;
    }
    std::size_t find() const noexcept {
        const auto first = std::min_element(
            seats_.begin(), seats_.end(), [](const seat& a, const seat& b) { return a.at < b.at; });
        return static_cast<std::size_t>(first - seats_.begin());
    }

    std::vector<seat> seats_;
    std::deque<gate> may_run_{seats_.size()};
    std::function<void()> stalled_;
    counting_semaphore<> begun_{0};  // how many ranks wait for their first turn
    std::size_t ended_ = 0;
    bool is_called_off_ = false;
};

}  // namespace lazult::concert
