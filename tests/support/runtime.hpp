// SPDX-License-Identifier: BSD-3-Clause
// Starts and stops the runtime with chosen settings, and checks at the end that nothing is left of
// it: no unit, no stack, no stream.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lazult/sched/sched.hpp"
#include "lazult/topo/topo.hpp"
#include "tests/support/streams.hpp"

namespace lazult::support {

using base::status;
using core::technique;
using core::work_unit;
using core::worker;

inline base::settings settings_for(unsigned streams) {
    base::settings s;
    s.streams = streams;
    s.bind = base::bind_kind::off;
    return s;
}

// Stacks that are neither in a cache nor uncarved.
inline std::size_t live_stacks() {
    std::size_t total = 0;
    core::for_each_worker(
        [](worker& w, void* sum) { *static_cast<std::size_t*>(sum) += w.stacks.live(); }, &total);
    return total;
}

// The runtime while the object lives. On the main thread the caller is the primary ULT of stream 0.
class runtime {
public:
    explicit runtime(const base::settings& chosen = settings_for(1))
        : units_before_(core::live_units()), stacks_before_(live_stacks()) {
        EXPECT_EQ(base::override_settings(chosen), status::ok);
        EXPECT_EQ(sched::start_runtime(), status::ok);
    }
    explicit runtime(unsigned streams) : runtime(settings_for(streams)) {}
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;
    ~runtime() { stop(); }

    void stop() {
        if (!std::exchange(running_, false)) {
            return;
        }
        EXPECT_EQ(sched::stop_runtime(true), status::ok);
        EXPECT_FALSE(sched::runtime_is_running());
        EXPECT_EQ(sched::stream_count(), 0);
        EXPECT_EQ(core::live_units(), units_before_) << "descriptors leaked";
        EXPECT_EQ(live_stacks(), stacks_before_) << "stacks leaked";
    }

private:
    std::size_t units_before_;
    std::size_t stacks_before_;
    bool running_ = true;
};

inline sched::private_fifo& pinned() { return *sched::this_stream()->pinned(); }
inline core::pool& default_pool() { return sched::default_pool(core::this_worker_or_null()); }

// A work unit that runs a closure. Joins and frees what was launched and not yet joined.
class unit {
public:
    unit() = default;
    // Prepared only.
    unit(core::pool& home, const core::unit_attributes& how, std::function<void()> body)
        : body_(std::make_unique<std::function<void()>>(std::move(body))),
          unit_(core::prepare(core::this_worker(), home, run, body_.get(), how)) {
        EXPECT_NE(unit_, nullptr);
        probe::release(unit_);  // what is put into a pool by hand is announced by nobody else
    }
    unit(unit&& other) noexcept
        : body_(std::move(other.body_)),
          unit_(std::exchange(other.unit_, nullptr)),
          launched_(other.launched_),
          joined_(other.joined_) {}
    unit& operator=(unit&& other) noexcept {
        finish();
        body_ = std::move(other.body_);
        unit_ = std::exchange(other.unit_, nullptr);
        launched_ = other.launched_;
        joined_ = other.joined_;
        return *this;
    }
    ~unit() { finish(); }

    work_unit* get() const noexcept { return unit_; }

    unit& launch() {
        launched_ = true;
        if (dynamic_cast<const sched::biased_fifo*>(unit_->home) != nullptr ||
            dynamic_cast<const sched::biased_staying*>(unit_->home) != nullptr) {
            // what it confines today others may run tomorrow
            core::launch_open(core::this_worker(), unit_);
        } else {
            core::launch(core::this_worker(), unit_);
        }
        return *this;
    }
    // By hand, into its pool.
    void launched() { launched_ = true; }
    unit& launch_child_first() {
        launched_ = true;
        core::launch_child_first(unit_);
        return *this;
    }
    // As a task of a group does where enough units are ready. There may be no unit any more when
    // this returns.
    unit& launch_at_once(bool has_room_in_list) {
        core::worker& w = core::this_worker();
        if (!core::may_call_at_once(w) || !core::may_be_called_at_once(unit_->header) ||
            core::has_requests(*unit_)) {
            return launch();
        }
        const auto list = [](void* self, work_unit* u) noexcept {
            static_cast<unit*>(self)->unit_ = u;
            static_cast<unit*>(self)->launched_ = true;
            return true;
        };
        // call_new_unit() joins
        const auto fail_to_list = [](void*, work_unit*) noexcept { return false; };
        work_unit* const started = std::exchange(unit_, nullptr);
        const core::start_at_once outcome = core::call_new_unit(
            w, started, has_room_in_list ? list : fail_to_list, has_room_in_list ? this : nullptr);
        if (outcome == core::start_at_once::refused) {
            unit_ = started;
        }
        return outcome == core::start_at_once::refused ? launch() : *this;
    }
    status join() {
        const status outcome = core::join(unit_);
        joined_ = joined_ || outcome == status::ok;
        return outcome;
    }
    status detach() {
        const status outcome = core::detach(unit_);
        if (outcome == status::ok) {
            unit_ = nullptr;
            const std::lock_guard hold(outliving().lock);
            outliving().bodies.push_back(std::move(body_));
        }
        return outcome;
    }
    status revive(core::pool& home, std::function<void()> body) {
        *body_ = std::move(body);
        const status outcome = core::revive(unit_, home, run, body_.get());
        joined_ = joined_ && outcome != status::ok;
        return outcome;
    }
    // Somebody else joined it.
    void set_joined() noexcept { joined_ = true; }
    // Closures of detached units, which outlive their handles, and the process's exit, when these
    // may be suspended in them.
    struct outliving_bodies {
        std::mutex lock;
        std::vector<std::unique_ptr<std::function<void()>>> bodies;
    };
    static outliving_bodies& outliving() {
        static base::never_destroyed<outliving_bodies> instance;
        return *instance;
    }

private:
    static void run(void* body) { (*static_cast<std::function<void()>*>(body))(); }

    void finish() {
        if (unit_ == nullptr) {
            return;
        }
        if (launched_ && !joined_) {
            EXPECT_EQ(core::join(unit_), status::ok);
        }
        core::dispose(core::this_worker_or_null(), std::exchange(unit_, nullptr));
    }

    std::unique_ptr<std::function<void()>> body_;
    work_unit* unit_ = nullptr;
    bool launched_ = false;
    bool joined_ = false;
};

inline unit spawn(core::pool& home, const core::unit_attributes& how, std::function<void()> body) {
    unit u(home, how, std::move(body));
    u.launch();
    return u;
}
inline unit spawn(core::pool& home, technique how, std::function<void()> body) {
    return spawn(home, core::unit_attributes(how), std::move(body));
}

// Gives control up for certain: yield() returns at once when nothing else is ready.
inline void suspend_for_a_moment() {
    core::suspend(
        [](void* self) {
            core::make_ready(core::this_worker_or_null(), static_cast<work_unit*>(self));
        },
        core::current_unit());
}

// The calling stream's scheduler takes its stack when it runs for the first time: before a test
// counts or forbids memory, say.
inline void let_the_scheduler_have_its_stack() { suspend_for_a_moment(); }

inline constexpr technique all_techniques[] = {technique::full,
                                               technique::lazy_stack,
                                               technique::return_on_completion,
                                               technique::stack_separation,
                                               technique::scheduler_creation,
                                               technique::run_to_completion,
                                               technique::adaptive};
inline constexpr technique suspending_techniques[] = {technique::full,
                                                      technique::lazy_stack,
                                                      technique::return_on_completion,
                                                      technique::stack_separation,
                                                      technique::scheduler_creation,
                                                      technique::adaptive};

inline std::string name_of(technique how) { return std::string(base::name(how)); }

// What happened, in order. ULTs of one stream race as threads do, so it has a lock; nobody suspends
// inside.
template <class T>
class event_log {
public:
    void add(T what) {
        const std::lock_guard hold(lock_);
        all_.push_back(std::move(what));
    }
    void clear() {
        const std::lock_guard hold(lock_);
        all_.clear();
    }
    std::vector<T> all() const {
        const std::lock_guard hold(lock_);
        return all_;
    }

private:
    mutable std::mutex lock_;
    std::vector<T> all_;
};

// Of all workers.
template <class Which>
std::uint64_t count_all(Which which) {
    std::pair<Which*, std::uint64_t> state{&which, 0};
    core::for_each_worker(
        [](worker& w, void* s) {
            auto& [each, sum] = *static_cast<std::pair<Which*, std::uint64_t>*>(s);
            sum += (*each)(w.count);
        },
        &state);
    return state.second;
}

}  // namespace lazult::support
