// SPDX-License-Identifier: BSD-3-Clause
// Which simulated rank runs: one at a time, the one with the earliest time. So what ranks do to
// each other happens in the order of virtual time. A turn is handed over by a mutex, which
// publishes all that the ranks before have written.
#pragma once

#include "simulation/prices.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
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
    // A rank's first turn, and its last.
    void begin(std::size_t rank) { may_run_[rank].acquire(); }
    void end(std::size_t rank) {
        set_waiting(rank, 0, never);
        if (++ended_ != seats_.size()) {
            may_run_[earliest()].release();
        }
    }
    // By a thread that is no rank: the first turn of all.
    void start() { may_run_[0].release(); }

private:
    struct seat {
        picoseconds at = 0;
        picoseconds clock = 0;
        bool waits = false;
    };
    // A semaphore that does not spin: its thread mostly waits for long.
    class gate {
    public:
        void release() {
            {
                const std::lock_guard hold(lock_);
                is_open_ = true;
            }
            changed_.notify_one();
        }
        void acquire() {
            std::unique_lock hold(lock_);
            changed_.wait(hold, [this] { return is_open_; });
            is_open_ = false;
        }

    private:
        std::mutex lock_;
        std::condition_variable changed_;
        bool is_open_ = false;
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
    std::size_t ended_ = 0;
};

}  // namespace lazult::concert
