// SPDX-License-Identifier: BSD-3-Clause
// What random programs of units stand on, be they drawn from a seed or read from a fuzzer's bytes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/own_errno.hpp"
#include "tests/support/runtime.hpp"

namespace lazult::support {

inline void expect_errno_is_kept(int mine) {
    set_errno(mine);
    suspend_for_a_moment();
    EXPECT_EQ(get_errno(), mine);
}

// Also by a unit that is cancelled meanwhile, and unwinds.
inline void expect_rounding_is_kept(unsigned which) {
    constexpr int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    struct at_end {
        int before = std::fegetround();
        ~at_end() { std::fesetround(before); }
    } const end;
    std::fesetround(modes[which % 4]);
    suspend_for_a_moment();
    EXPECT_EQ(std::fegetround(), modes[which % 4]);
}

// Streams that come one after another and stay so long. Without thieves nobody would go on with
// what they leave.
struct visits {
    unsigned count;
    std::chrono::microseconds each;
};

// A runtime with one more pool, which all streams serve.
class unit_program_ground {
public:
    explicit unit_program_ground(const base::settings& chosen)
        : steals_(chosen.scheduler == base::scheduler_kind::work_stealing), running_(chosen) {
        sched::for_each_stream(
            [](sched::stream& s, void* ground) {
                auto& self = *static_cast<unit_program_ground*>(ground);
                self.streams_.push_back(&s);
                unit adder = spawn(*s.pinned(), technique::full, [&] {
                    EXPECT_EQ(s.main_scheduler().add_pool(self.shared_), status::ok);
                });
                adder.join();
            },
            this);
    }

    // A stream's own one, the one that all serve, the caller's home, or the default one.
    core::pool& pool_at(unsigned kind, unsigned stream) {
        const work_unit* const self = core::current_unit();
        switch (kind % 4) {
            case 0: return *streams_[stream % streams_.size()]->pinned();
            case 1: return shared_;
            case 2: return self == nullptr ? default_pool() : *self->home;
            default: return default_pool();
        }
    }

    void launch_detached(core::pool& home, const core::unit_attributes& how,
                         std::function<void()> body) {
        worker& w = core::this_worker();
        work_unit* u = core::prepare(w, home, run_detached,
                                     new detached_body{detached_, std::move(body)}, how);
        detached_.fetch_add(1);
        EXPECT_EQ(core::detach(u), status::ok);
        core::launch_open(w, u);
    }

    // One function on the primary unit, the other on an OS thread beside the runtime, until both,
    // the visits and all detached units have ended.
    void execute(const std::function<void()>& by_primary, std::function<void()> outside,
                 visits others) {
        std::atomic<int> left{2};
        const auto counted = [&left](const std::function<void()>& body) {
            body();
            left.fetch_sub(1);
        };
        std::thread beside(counted, std::move(outside));
        std::thread visitors(counted, [this, others] { come_and_go(others); });
        by_primary();
        // The primary stream must go on while the threads end.
        go_on_until_zero(left);
        beside.join();
        visitors.join();
        go_on_until_zero(detached_);
    }

    void stop() { running_.stop(); }

private:
    struct detached_body {
        std::atomic<int>& left;
        std::function<void()> body;
    };
    static void run_detached(void* argument) {
        const auto* const mine = static_cast<detached_body*>(argument);
        // Also when it exits by unwinding.
        struct countdown {
            std::atomic<int>& left;
            ~countdown() { left.fetch_sub(1); }
        } const at_end{mine->left};
        const std::unique_ptr<const detached_body> owned(mine);
        owned->body();
    }

    void come_and_go(visits others) const {
        for (unsigned i = 0; steals_ && i < others.count; ++i) {
            sched::stream* s = nullptr;
            EXPECT_EQ(sched::stream::start_default(&s), status::ok);
            std::this_thread::sleep_for(others.each);
            EXPECT_EQ(sched::stream::join(s), status::ok);
        }
    }

    static void go_on_until_zero(const std::atomic<int>& number) {
        while (number.load() != 0) {
            core::yield();
            std::this_thread::yield();
        }
    }

    bool steals_;
    sched::biased_fifo shared_;  // outlives the runtime
    runtime running_;
    std::vector<sched::stream*> streams_;
    std::atomic<int> detached_{0};
};

}  // namespace lazult::support
