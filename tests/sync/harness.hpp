// SPDX-License-Identifier: BSD-3-Clause
// What the tests of this floor share: a runtime with a given number of streams, crowds of callers
// of every kind, and the check that no unit is left behind.
#pragma once

#include "lazult/sched/sched.hpp"
#include "lazult/sync/sync.hpp"
#include "tests/support/streams.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace lazult::testing {

using core::technique;

inline constexpr std::array<technique, 6> suspending_techniques = {
    technique::full,
    technique::lazy_stack,
    technique::return_on_completion,
    technique::stack_separation,
    technique::scheduler_creation,
    technique::adaptive,
};

inline constexpr std::int64_t millisecond = 1'000'000;

inline std::int64_t in_ms(std::int64_t count) { return sync::deadline_after(count * millisecond); }

// The runtime, from here to the end of the scope. Everything that was created in between must be
// gone by then.
class runtime_scope {
public:
    explicit runtime_scope(unsigned streams) : before_(core::live_units()) {
        base::settings wanted = base::current_settings();
        wanted.streams = streams;
        EXPECT_EQ(base::override_settings(wanted), base::status::ok);
        EXPECT_EQ(sched::start_runtime(), base::status::ok);
    }
    ~runtime_scope() {
        EXPECT_EQ(sched::stop_runtime(true), base::status::ok);
        EXPECT_EQ(core::live_units(), before_) << "units are left behind";
    }
    runtime_scope(const runtime_scope&) = delete;
    runtime_scope& operator=(const runtime_scope&) = delete;

private:
    std::size_t before_;
};

// Callers that run a function each, and are joined and freed at the end.
class crowd {
public:
    crowd() = default;
    ~crowd() { join(); }
    crowd(const crowd&) = delete;
    crowd& operator=(const crowd&) = delete;

    core::work_unit* ult(std::function<void()> body, technique how = technique::adaptive,
                         core::pool* where = nullptr) {
        bodies_.push_back(std::make_unique<std::function<void()>>(std::move(body)));
        core::worker& w = core::this_worker();
        core::pool& home = where != nullptr ? *where : next_pool();
        const core::unit_attributes attributes(how);
        core::work_unit* u = core::prepare(
            w, home, [](void* f) { (*static_cast<std::function<void()>*>(f))(); },
            bodies_.back().get(), attributes);
        units_.push_back(u);
        core::launch(w, u);
        return u;
    }
    void thread(std::function<void()> body) { threads_.emplace_back(std::move(body)); }

    // Round robin over the techniques.
    void ults(int count, const std::function<void(int)>& body) {
        for (int i = 0; i < count; ++i) {
            ult([body, i] { body(i); },
                suspending_techniques[static_cast<std::size_t>(i) % suspending_techniques.size()]);
        }
    }
    void threads(int count, const std::function<void(int)>& body) {
        for (int i = 0; i < count; ++i) {
            thread([body, i] { body(i); });
        }
    }

    // The threads last: their end blocks this stream, so what they wait for must not need it.
    void join() {
        for (core::work_unit* u : units_) {
            EXPECT_EQ(core::join(u), base::status::ok);
            core::dispose(&core::this_worker(), u);
        }
        for (std::thread& t : threads_) {
            t.join();
        }
        units_.clear();
        threads_.clear();
        bodies_.clear();
    }

private:
    // The streams in turn; each other unit goes to the private pool of its stream.
    core::pool& next_pool() {
        const int streams = sched::stream_count();
        sched::stream* s = sched::stream_at(turn_ / 2 % streams);
        return turn_++ % 2 == 0 ? static_cast<core::pool&>(s->default_pool()) : *s->pinned();
    }

    std::vector<std::unique_ptr<std::function<void()>>> bodies_;
    std::vector<core::work_unit*> units_;
    std::vector<std::thread> threads_;
    int turn_ = 0;
};

// Runs a function on the primary ULT of a runtime with one stream, and then with two.
template <class Body>
void on_one_and_two_streams(Body body) {
    for (unsigned streams : {1U, 2U}) {
        SCOPED_TRACE(::testing::Message() << streams << " streams");
        runtime_scope runtime(streams);
        body();
    }
}

// Lets others run, for as long as the condition does not hold: at most five seconds.
template <class Condition>
bool wait_for(Condition condition) {
    const std::int64_t end = in_ms(5000);
    while (!condition()) {
        if (os::now_ns() > end) {
            return false;
        }
        core::yield();
    }
    return true;
}

// What reports and debuggers see of a mutex, which others may change meanwhile.
inline const core::work_unit* holder_of(const sync::mutex& m) {
    const auto& seen = *reinterpret_cast<const sync::mutex_view*>(&m);
    const sync::mutex_view copy{__atomic_load_n(&seen.word, __ATOMIC_RELAXED),
                                __atomic_load_n(&seen.owner, __ATOMIC_RELAXED)};
    return copy.holder();
}

}  // namespace lazult::testing
