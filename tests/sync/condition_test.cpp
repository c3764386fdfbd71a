// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sync/harness.hpp"

#include <atomic>
#include <mutex>

namespace lazult::testing {
namespace {

using sync::condition;
using sync::mutex;
using sync::recursive_mutex;

// Any lockable of the program's own.
struct counted_lock {
    void lock() {
        inner.lock();
        ++locks;
    }
    void unlock() { inner.unlock(); }
    mutex inner;
    int locks = 0;
};

template <class Lock>
void take_turns(int callers_in_all, int threads, int rounds) {
    Lock m;
    condition changed;
    int turn = 0;
    int total = 0;
    const auto body = [&](int who) {
        for (int i = 0; i < rounds; ++i) {
            std::unique_lock hold(m);
            while (turn != who) {
                changed.wait(m);
            }
            turn = (turn + 1) % callers_in_all;
            ++total;
            changed.broadcast();
        }
    };
    crowd callers;
    callers.threads(threads, body);
    callers.ults(callers_in_all - threads, [&](int i) { body(i + threads); });
    callers.join();
    EXPECT_EQ(total, callers_in_all * rounds);
    EXPECT_FALSE(changed.is_waited_for());
}

TEST(condition, callers_of_all_kinds_take_turns) {
    on_one_and_two_streams([] {
        take_turns<mutex>(2, 0, 500);
        take_turns<mutex>(8, 0, 100);
        take_turns<mutex>(6, 2, 50);
    });
}

TEST(condition, works_with_any_lockable) {
    on_one_and_two_streams([] {
        take_turns<recursive_mutex>(6, 1, 50);
        take_turns<counted_lock>(6, 1, 50);
    });
}

TEST(condition, os_threads_need_no_runtime) {
    mutex m;
    condition ready;
    int stage = 0;
    std::thread other([&] {
        std::unique_lock hold(m);
        stage = 1;
        ready.signal();
        while (stage != 2) {
            ready.wait(m);
        }
    });
    {
        std::unique_lock hold(m);
        while (stage != 1) {
            ready.wait(m);
        }
        stage = 2;
        ready.signal();
    }
    other.join();
}

// A bounded buffer: signals meet the right waiters, and none is lost.
TEST(condition, producers_and_consumers) {
    on_one_and_two_streams([] {
        constexpr int each = 400;
        constexpr std::size_t room = 3;
        mutex m;
        condition not_empty;
        condition not_full;
        std::vector<int> buffer;
        long sum = 0;
        crowd callers;
        const auto produce = [&](int who) {
            for (int i = 0; i < each; ++i) {
                std::unique_lock hold(m);
                while (buffer.size() == room) {
                    not_full.wait(m);
                }
                buffer.push_back(who + 1);
                not_empty.signal();
            }
        };
        const auto consume = [&](int) {
            for (int i = 0; i < each; ++i) {
                std::unique_lock hold(m);
                while (buffer.empty()) {
                    not_empty.wait(m);
                }
                sum += buffer.back();
                buffer.pop_back();
                not_full.signal();
            }
        };
        callers.threads(1, produce);
        callers.threads(1, consume);
        callers.ults(4, produce);
        callers.ults(4, consume);
        callers.join();
        EXPECT_EQ(sum, each * (1 + 1 + 2 + 3 + 4));
    });
}

TEST(condition, signal_wakes_one_that_waited_longest_and_nobody_else) {
    runtime_scope runtime(1);
    mutex m;
    condition c;
    std::vector<int> woken;
    const auto number_woken = [&] {
        const std::lock_guard hold(m);
        return woken.size();
    };
    crowd callers;
    for (int i = 0; i < 5; ++i) {
        callers.ult(
            [&, i] {
                std::unique_lock hold(m);
                c.wait(m);
                woken.push_back(i);
            },
            technique::full, sched::this_stream()->pinned());
    }
    while (!c.is_waited_for()) {
        core::yield();
    }
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(number_woken(), i);
        {
            std::unique_lock hold(m);
            c.signal();
        }
        for (int k = 0; k < 10; ++k) {
            core::yield();
        }
        EXPECT_EQ(number_woken(), i + 1);
    }
    callers.join();
    EXPECT_EQ(woken, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(condition, a_signal_to_nobody_is_not_kept) {
    mutex m;
    condition c;
    c.signal();
    c.broadcast();
    m.lock();
    EXPECT_EQ(c.wait_until(m, in_ms(5)), base::status::timed_out);
    EXPECT_TRUE(m.is_locked());
    m.unlock();
}

TEST(condition, deadlines) {
    on_one_and_two_streams([] {
        mutex m;
        recursive_mutex other;
        condition c;
        std::atomic<int> timed_out{0};
        crowd callers;
        const auto body = [&](int i) {
            const std::int64_t began = os::now_ns();
            if (i % 2 == 0) {
                std::unique_lock hold(m);
                timed_out += c.wait_until(m, in_ms(15)) == base::status::timed_out ? 1 : 0;
            } else {
                std::unique_lock hold(other);
                timed_out += c.wait_until(other, in_ms(15)) == base::status::timed_out ? 1 : 0;
                EXPECT_TRUE(other.is_mine());
            }
            EXPECT_GE(os::now_ns() - began, 15 * millisecond);
        };
        callers.threads(2, body);
        callers.ults(6, body);
        callers.join();
        EXPECT_EQ(timed_out.load(), 8);
        EXPECT_FALSE(c.is_waited_for());
    });
}

// As many signals as waits, each counted: what a timed wait did not take must be left for another
// one.
TEST(condition, deadlines_race_with_signals) {
    on_one_and_two_streams([] {
        mutex m;
        condition c;
        int tokens = 0;
        int taken = 0;
        bool done = false;
        crowd callers;
        const auto consume = [&](int who) {
            std::unique_lock hold(m);
            for (int i = 0; tokens > 0 || !done; ++i) {
                if (tokens > 0) {
                    --tokens;
                    ++taken;
                } else {
                    c.wait_until(m, sync::deadline_after((who * 13 + i) % 50 * 1000));
                }
            }
        };
        callers.threads(1, consume);
        callers.ults(6, consume);
        for (int i = 0; i < 2000; ++i) {
            {
                const std::lock_guard hold(m);
                ++tokens;
            }
            c.signal();
            core::yield();
        }
        EXPECT_TRUE(wait_for([&] {
            const std::lock_guard hold(m);
            return tokens == 0;
        }));
        {
            const std::lock_guard hold(m);
            done = true;
        }
        c.broadcast();
        callers.join();
        EXPECT_EQ(taken, 2000);
    });
}

// Only the untimed waiters count here: a lost wake-up hangs the test.
TEST(condition, signals_without_the_mutex) {
    on_one_and_two_streams([] {
        mutex m;
        condition c;
        std::atomic<int> waiting{0};
        std::atomic<int> passed{0};
        crowd callers;
        const auto body = [&](int) {
            for (int i = 0; i < 50; ++i) {
                m.lock();
                waiting.fetch_add(1);
                c.wait(m);
                m.unlock();
                passed.fetch_add(1);
            }
        };
        callers.threads(2, body);
        callers.ults(4, body);
        while (passed.load() < 6 * 50) {
            c.signal();
            core::yield();
        }
        callers.join();
        EXPECT_EQ(passed.load(), waiting.load());
    });
}

TEST(condition, cancelled_waiter_unwinds_with_the_mutex_and_passes_the_signal_on) {
    runtime_scope runtime(1);
    mutex m;
    condition c;
    int woken = 0;
    bool held_while_unwinding = false;
    crowd callers;
    core::pool* here = sched::this_stream()->pinned();
    struct at_unwind {
        mutex& m;
        bool& held;
        ~at_unwind() { held = m.is_locked(); }
    };
    core::work_unit* canceled = callers.ult(
        [&] {
            std::unique_lock hold(m);
            const at_unwind look{m, held_while_unwinding};
            c.wait(m);
            ++woken;
        },
        technique::full, here);
    callers.ult(
        [&] {
            std::unique_lock hold(m);
            c.wait(m);
            ++woken;
        },
        technique::full, here);
    for (int i = 0; i < 5; ++i) {
        core::yield();
    }
    core::cancel(*canceled);
    c.signal();
    callers.join();
    EXPECT_EQ(woken, 1);
    EXPECT_TRUE(held_while_unwinding);
    EXPECT_FALSE(m.is_locked());
}

// Two waiters of one condition, each with a mutex of its own. The first one is cancelled; what of
// it reaches the second?
class two_waiters {
public:
    two_waiters() : here_(sched::this_stream()->pinned()) {}

    core::work_unit* first(std::int64_t deadline) {
        return flows_.ult(
            [this, deadline] {
                std::unique_lock hold(m);
                (void)c.wait_until(m, deadline);
                ADD_FAILURE() << "it was cancelled";
            },
            technique::full, here_);
    }
    void second() {
        flows_.ult(
            [this] {
                std::unique_lock hold(others_);
                c.wait(others_);
                is_woken = true;
            },
            technique::full, here_);
    }
    void let_them_run() {
        for (int i = 0; i < 5; ++i) {
            core::yield();
        }
    }
    void end() {
        c.signal();
        flows_.join();
        EXPECT_TRUE(is_woken);
        EXPECT_FALSE(m.is_locked());
    }

    mutex m;
    condition c;
    bool is_woken = false;

private:
    core::pool* here_;
    mutex others_;
    crowd flows_;
};

TEST(condition, cancelled_waiter_past_its_deadline_has_no_signal_to_pass_on) {
    runtime_scope runtime(1);
    two_waiters both;
    core::work_unit* canceled = both.first(in_ms(5));
    both.second();
    both.let_them_run();
    core::cancel(*canceled);
    while (canceled->state() != core::life_state::finished) {
        core::yield();
    }
    both.let_them_run();
    EXPECT_FALSE(both.is_woken) << "nobody signalled";
    both.end();
}

TEST(condition, cancelled_waiter_passes_no_broadcast_on_to_later_waiters) {
    runtime_scope runtime(1);
    two_waiters both;
    core::work_unit* canceled = both.first(sync::no_deadline);
    both.let_them_run();
    both.m.lock();
    both.c.broadcast();
    core::cancel(*canceled);
    both.second();
    both.let_them_run();
    both.m.unlock();
    both.let_them_run();
    EXPECT_EQ(canceled->state(), core::life_state::finished);
    EXPECT_FALSE(both.is_woken) << "it waits since after the broadcast";
    both.end();
}

void wait_in_a_tasklet() {
    runtime_scope runtime(1);
    mutex m;
    condition c;
    crowd callers;
    callers.ult(
        [&] {
            m.lock();
            EXPECT_EQ(c.wait_until(m, in_ms(1)), base::status::cannot_suspend);
            c.wait(m);
        },
        technique::run_to_completion);
    callers.join();
}

template <class Lockable>
void wait_at_once_in_a_tasklet() {
    runtime_scope runtime(1);
    crowd callers;
    callers.ult(
        [] {
            Lockable m;
            condition c;
            m.lock();
            c.wait(m);
        },
        technique::run_to_completion);
    callers.join();
}

TEST(condition_death_test, tasklets_must_not_wait) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(wait_in_a_tasklet(),
                 "lazult: condition variable: a tasklet, .*; wait for it in a ULT");
    EXPECT_DEATH(wait_at_once_in_a_tasklet<mutex>(),
                 "lazult: condition variable: a tasklet, .*; wait for it in a ULT");
    EXPECT_DEATH(wait_at_once_in_a_tasklet<std::mutex>(),
                 "lazult: condition variable: a tasklet, .*; wait for it in a ULT");
}

}  // namespace
}  // namespace lazult::testing
