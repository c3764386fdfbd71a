// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sync/harness.hpp"

#include <atomic>
#include <mutex>
#include <new>

namespace lazult::testing {
namespace {

using sync::mutex;
using sync::recursive_mutex;

TEST(mutex, is_sixteen_bytes_and_all_zeros_are_unlocked) {
    alignas(mutex) unsigned char memory[sizeof(mutex)] = {};
    auto* m = std::launder(reinterpret_cast<mutex*>(memory));
    EXPECT_TRUE(m->try_lock());
    EXPECT_TRUE(m->is_locked());
    EXPECT_FALSE(m->try_lock());
    m->unlock();
    EXPECT_FALSE(m->is_locked());
    static constinit mutex at_compile_time;
    const std::lock_guard hold(at_compile_time);
}

// Some hold the mutex over a yield, some do not.
void count_under(mutex& m, int& count, int rounds, int who) {
    for (int i = 0; i < rounds; ++i) {
        const std::lock_guard hold(m);
        const int seen = count;
        if ((i + who) % 3 == 0) {
            core::yield();
        }
        count = seen + 1;
    }
}

TEST(mutex, excludes_units_of_all_techniques) {
    on_one_and_two_streams([] {
        mutex m;
        int count = 0;
        crowd callers;
        callers.ults(24, [&](int i) { count_under(m, count, 200, i); });
        callers.join();
        EXPECT_EQ(count, 24 * 200);
        EXPECT_FALSE(m.is_locked());
    });
}

TEST(mutex, excludes_os_threads) {
    mutex m;
    int count = 0;
    crowd callers;
    callers.threads(4, [&](int i) { count_under(m, count, 5000, i); });
    callers.join();
    EXPECT_EQ(count, 4 * 5000);
}

TEST(mutex, excludes_mixtures) {
    on_one_and_two_streams([] {
        mutex m;
        int count = 0;
        crowd callers;
        callers.threads(2, [&](int i) { count_under(m, count, 2000, i); });
        callers.ults(12, [&](int i) { count_under(m, count, 300, i); });
        callers.join();
        EXPECT_EQ(count, 2 * 2000 + 12 * 300);
    });
}

TEST(mutex, timed_lock_times_out_in_time_and_leaves_the_queue) {
    on_one_and_two_streams([] {
        mutex m;
        m.lock();
        std::atomic<int> timed_out{0};
        crowd callers;
        const std::int64_t began = os::now_ns();
        callers.ults(6, [&](int) {
            timed_out += m.lock_until(in_ms(20)) == base::status::timed_out ? 1 : 0;
        });
        callers.join();
        EXPECT_GE(os::now_ns() - began, 20 * millisecond);
        if (sched::stream_count() == 1) {
            EXPECT_EQ(timed_out.load(), 6);
        }
        EXPECT_EQ(m.lock_until(os::now_ns() - 1), base::status::timed_out);
        m.unlock();
        EXPECT_EQ(m.lock_until(os::now_ns() - 1), base::status::ok);
        m.unlock();
    });
}

TEST(mutex, timed_lock_of_os_threads) {
    mutex m;
    m.lock();
    base::status outcome = base::status::ok;
    std::thread late([&] { outcome = m.lock_until(in_ms(10)); });
    late.join();
    EXPECT_EQ(outcome, base::status::timed_out);
    std::thread lucky([&] {
        outcome = m.lock_until(in_ms(10'000));
        m.unlock();
    });
    m.unlock();
    lucky.join();
    EXPECT_EQ(outcome, base::status::ok);
}

// Deadlines that fall together with unlocks, again and again: every lock that is reported is held,
// and no wake-up is lost to a waiter that had given up.
TEST(mutex, deadlines_race_with_unlocks) {
    on_one_and_two_streams([] {
        mutex m;
        int count = 0;
        std::atomic<int> locked{0};
        const auto body = [&](int who) {
            for (int i = 0; i < 150; ++i) {
                const std::int64_t limit = sync::deadline_after((who * 7 + i) % 40 * 1000);
                if ((i + who) % 4 == 0) {
                    m.lock();
                } else if (m.lock_until(limit) != base::status::ok) {
                    continue;
                }
                const int seen = count;
                core::yield();
                count = seen + 1;
                m.unlock();
                locked.fetch_add(1);
            }
        };
        crowd callers;
        callers.threads(1, body);
        callers.ults(8, body);
        callers.join();
        EXPECT_EQ(count, locked.load());
    });
}

// One caller holds the mutex nearly all the time, and gives way only while it holds it. A waiter
// loses once, and has the mutex handed over then.
TEST(mutex, nobody_starves_on_one_stream) {
    runtime_scope runtime(1);
    mutex m;
    std::atomic<bool> waiting{false};
    std::atomic<bool> done{false};
    std::atomic<int> barged{0};
    crowd callers;
    core::pool* here = sched::this_stream()->pinned();
    callers.ult(
        [&] {
            while (!done.load()) {
                m.lock();
                barged += waiting.load() ? 1 : 0;
                core::yield();
                m.unlock();
            }
        },
        technique::full, here);
    callers.ult(
        [&] {
            for (int i = 0; i < 20; ++i) {
                waiting = true;
                barged = 0;
                m.lock();
                waiting = false;
                EXPECT_LE(barged.load(), 2);
                m.unlock();
                core::yield();
            }
            done = true;
        },
        technique::full, here);
    callers.join();
}

// Among many that all want it, each waits for the others to be served, and to barge as often as
// they may. On two streams barging takes place while a woken caller is on its way, so that there
// the time is bounded and not the number.
TEST(mutex, nobody_starves_among_many) {
    on_one_and_two_streams([] {
        mutex m;
        constexpr int callers_in_all = 16;
        int total = 0;
        std::atomic<int> longest{0};
        std::atomic<std::int64_t> longest_ns{0};
        crowd callers;
        callers.ults(callers_in_all, [&](int) {
            for (int i = 0; i < 100; ++i) {
                m.lock();
                const int before = total;
                m.unlock();
                const std::int64_t began = os::now_ns();
                m.lock();
                if (total - before > longest.load()) {
                    longest = total - before;
                }
                if (os::now_ns() - began > longest_ns.load()) {
                    longest_ns = os::now_ns() - began;
                }
                ++total;
                core::yield();
                m.unlock();
            }
        });
        callers.join();
        if (sched::stream_count() == 1) {
            EXPECT_LE(longest.load(), callers_in_all * (static_cast<int>(mutex::most_losses) + 2));
        }
        EXPECT_LE(longest_ns.load(), 2000 * millisecond);
    });
}

// The first waiter is woken, but its stream is kept busy by the very caller that takes the mutex
// again and again. The second one, on the other stream, must not wait for the first.
TEST(mutex, a_woken_caller_that_cannot_run_blocks_nobody) {
    runtime_scope runtime(2);
    mutex m;
    std::atomic<int> waiting{0};
    std::atomic<bool> served{false};
    core::pool* here = sched::stream_at(0)->pinned();
    core::pool* there = sched::stream_at(1)->pinned();
    crowd callers;
    m.lock();
    for (int i = 0; i < 2; ++i) {
        callers.ult(
            [&] {
                waiting.fetch_add(1);
                const std::lock_guard hold(m);
            },
            technique::full, here);
    }
    while (waiting.load() != 2) {
        core::yield();
    }
    callers.ult(
        [&] {
            waiting.fetch_add(1);
            const std::lock_guard hold(m);
            served = true;
        },
        technique::full, there);
    while (waiting.load() != 3) {
        core::yield();
    }
    const std::int64_t end = in_ms(5000);
    while (!served.load() && os::now_ns() < end) {
        m.unlock();
        // without ever giving way to the units of this stream, unless the mutex is handed over
        m.lock();
    }
    EXPECT_TRUE(served.load());
    m.unlock();
    callers.join();
}

TEST(mutex, two_streams_in_short_sections_both_get_their_share) {
    runtime_scope runtime(2);
    mutex m;
    std::atomic<bool> stop{false};
    std::array<long, 2> count{};
    crowd callers;
    for (int i = 0; i < 2; ++i) {
        callers.ult(
            [&, i] {
                // relaxed: nothing depends on it
                while (!stop.load(std::memory_order_relaxed)) {
                    const std::lock_guard hold(m);
                    ++count[static_cast<std::size_t>(i)];
                }
            },
            technique::full, sched::stream_at(i)->pinned());
    }
    callers.thread([&] {
        sync::sleep_for(200 * millisecond);
        stop = true;
    });
    callers.join();
    // Handed over at least once in a few milliseconds, even where the machine gives the streams one
    // processor.
    EXPECT_GE(std::min(count[0], count[1]), 10);
}

// POSIX: the mutex may be destroyed by its next owner as soon as that has unlocked it, although the
// caller that let it in is still in unlock().
TEST(mutex, may_be_destroyed_right_after_unlock) {
    on_one_and_two_streams([] {
        struct shared {
            mutex m;
            int users = 2;
        };
        const auto use = [](shared* s) {
            s->m.lock();
            const bool last = --s->users == 0;
            s->m.unlock();
            if (last) {
                s->~shared();
                std::memset(static_cast<void*>(s), 0x5a, sizeof(shared));
                ::operator delete(s);
            }
        };
        for (int i = 0; i < 300; ++i) {
            auto* s = new (::operator new(sizeof(shared))) shared;
            crowd callers;
            s->m.lock();
            ++s->users;
            callers.ults(2, [&](int) { use(s); });
            core::yield();
            --s->users;
            s->m.unlock();
            callers.join();
        }
    });
}

TEST(mutex, tasklets_try) {
    runtime_scope runtime(1);
    mutex m;
    bool first = false;
    bool second = true;
    base::status timed = base::status::ok;
    crowd callers;
    callers.ult(
        [&] {
            first = m.try_lock();
            second = m.try_lock();
            timed = m.lock_until(in_ms(1));
            m.unlock();
            m.lock();
            m.unlock();
        },
        technique::run_to_completion);
    callers.join();
    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
    EXPECT_EQ(timed, base::status::cannot_suspend);
}

void block_in_a_tasklet() {
    runtime_scope runtime(1);
    mutex m;
    m.lock();
    crowd callers;
    callers.ult([&] { m.lock(); }, technique::run_to_completion);
    callers.join();
}

TEST(mutex_death_test, tasklets_must_not_block) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(block_in_a_tasklet(),
                 "lazult: mutex: a tasklet, .*; use try_lock\\(\\), or lock it from a ULT");
}

// A mutex is no cancellation point, as in POSIX; the next scheduling point is one.
TEST(mutex, cancellation_does_not_lose_the_lock) {
    runtime_scope runtime(1);
    mutex m;
    m.lock();
    bool locked = false;
    bool went_on = false;
    crowd callers;
    core::work_unit* u = callers.ult(
        [&] {
            {
                const std::lock_guard hold(m);
                locked = true;
            }
            core::yield();
            went_on = true;
        },
        technique::full, sched::this_stream()->pinned());
    core::yield();
    core::cancel(*u);
    m.unlock();
    callers.join();
    EXPECT_TRUE(locked);
    EXPECT_FALSE(went_on);
    EXPECT_TRUE(m.try_lock());
    m.unlock();
}

TEST(recursive_mutex, counts_its_locks) {
    on_one_and_two_streams([] {
        recursive_mutex m;
        int count = 0;
        crowd callers;
        const auto body = [&](int) {
            for (int i = 0; i < 200; ++i) {
                const std::lock_guard outer(m);
                const int seen = count;
                EXPECT_TRUE(m.try_lock());
                EXPECT_EQ(m.lock_until(0), base::status::ok);
                core::yield();
                m.unlock();
                m.unlock();
                EXPECT_TRUE(m.is_mine());
                count = seen + 1;
            }
        };
        callers.threads(1, body);
        callers.ults(8, body);
        callers.join();
        EXPECT_EQ(count, 9 * 200);
        EXPECT_FALSE(m.is_mine());
    });
}

TEST(mutex, has_an_owner_while_it_is_locked) {
    runtime_scope runtime(1);
    mutex m;
    EXPECT_EQ(holder_of(m), nullptr);
    crowd callers;
    callers.ult([&] {
        m.lock();
        crowd others;
        others.ult([&] { m.lock(); });  // it waits first, and so notes itself as the owner
        core::yield();
        m.unlock();
        others.join();
        EXPECT_NE(holder_of(m), nullptr);
        EXPECT_NE(holder_of(m), core::current_unit());
        m.unlock();
        EXPECT_EQ(holder_of(m), nullptr);
    });
    callers.join();
}

TEST(recursive_mutex, can_be_locked_again_by_its_owner) {
    recursive_mutex m;
    m.lock();
    m.lock();
    m.unlock();
    EXPECT_TRUE(m.is_mine());
    std::thread([&] { EXPECT_FALSE(m.try_lock()); }).join();
    m.unlock();
    EXPECT_FALSE(m.is_mine());
    std::thread([&] {
        EXPECT_TRUE(m.try_lock());
        m.unlock();
    }).join();
}

TEST(recursive_mutex, timed) {
    runtime_scope runtime(1);
    recursive_mutex m;
    m.lock();
    crowd callers;
    callers.ult([&] {
        EXPECT_FALSE(m.try_lock());
        EXPECT_EQ(m.lock_until(in_ms(5)), base::status::timed_out);
    });
    callers.join();
    m.unlock();
}

TEST(recursive_mutex_death_test, is_unlocked_by_its_owner_only) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(recursive_mutex().unlock(),
                 "lazult: recursive mutex: it is unlocked by a caller that does not hold it");
}

}  // namespace
}  // namespace lazult::testing
