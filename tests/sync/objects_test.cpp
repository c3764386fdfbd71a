// SPDX-License-Identifier: BSD-3-Clause
// Semaphore, barrier, latch, eventual, future.
#include "tests/sync/harness.hpp"

#include <atomic>
#include <cstring>
#include <mutex>

namespace lazult::testing {
namespace {

using base::status;

// --- semaphore

TEST(semaphore, lets_so_many_in_and_no_more) {
    on_one_and_two_streams([] {
        sync::semaphore s(3);
        std::atomic<int> inside{0};
        std::atomic<int> most{0};
        crowd callers;
        const auto body = [&](int) {
            for (int i = 0; i < 200; ++i) {
                s.acquire();
                const int now = inside.fetch_add(1) + 1;
                if (now > most.load()) {
                    most = now;
                }
                core::yield();
                inside.fetch_sub(1);
                s.release();
            }
        };
        callers.threads(2, body);
        callers.ults(10, body);
        callers.join();
        EXPECT_LE(most.load(), 3);
        EXPECT_EQ(s.tokens(), 3U);
    });
}

TEST(semaphore, serves_in_the_order_of_arrival_and_many_at_once) {
    runtime_scope runtime(1);
    sync::semaphore s;
    sync::mutex m;
    std::vector<int> order;
    const auto number_served = [&] {
        const std::lock_guard hold(m);
        return order.size();
    };
    crowd callers;
    for (int i = 0; i < 6; ++i) {
        callers.ult(
            [&, i] {
                s.acquire();
                const std::lock_guard hold(m);
                order.push_back(i);
            },
            technique::full, sched::this_stream()->pinned());
    }
    core::yield();
    s.release(4);
    EXPECT_FALSE(s.try_acquire());
    EXPECT_TRUE(wait_for([&] { return number_served() == 4; }));
    s.release(3);
    callers.join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(s.tokens(), 1U);
}

// No token is lost or made when deadlines and releases meet.
TEST(semaphore, deadlines_race_with_releases) {
    on_one_and_two_streams([] {
        sync::semaphore s;
        std::atomic<int> taken{0};
        std::atomic<bool> done{false};
        crowd callers;
        const auto body = [&](int who) {
            for (int i = 0; !done.load(); ++i) {
                if (s.acquire_until(sync::deadline_after((who * 11 + i) % 60 * 1000)) ==
                    status::ok) {
                    taken.fetch_add(1);
                }
            }
        };
        callers.threads(1, body);
        callers.ults(8, body);
        for (int i = 0; i < 3000; ++i) {
            s.release();
            core::yield();
        }
        EXPECT_TRUE(wait_for([&] { return taken.load() + static_cast<int>(s.tokens()) == 3000; }));
        done = true;
        callers.join();
        EXPECT_EQ(taken.load() + static_cast<int>(s.tokens()), 3000);
    });
}

// The acquirer owns the semaphore and destroys it while release() has hardly returned.
TEST(semaphore, may_be_destroyed_by_a_unit_that_it_let_pass) {
    on_one_and_two_streams([] {
        crowd callers;
        callers.ults(8, [](int) {
            for (int i = 0; i < 50; ++i) {
                crowd helper;
                auto s = std::make_unique<sync::semaphore>();
                sync::semaphore* raw = s.get();
                helper.ult([raw] { raw->release(); });
                s->acquire();
                std::memset(static_cast<void*>(raw), 0x5a, sizeof *raw);
                s.reset();
            }
        });
    });
}

// --- barrier

TEST(barrier, holds_each_round_until_all_have_come) {
    on_one_and_two_streams([] {
        constexpr int callers_in_all = 9;
        sync::barrier b(callers_in_all);
        std::atomic<int> arrived{0};
        std::atomic<int> last_ones{0};
        crowd callers;
        const auto body = [&](int) {
            for (int round = 1; round <= 100; ++round) {
                arrived.fetch_add(1);
                last_ones += b.wait() ? 1 : 0;
                EXPECT_GE(arrived.load(), round * callers_in_all);
                b.wait();
            }
        };
        callers.threads(2, body);
        callers.ults(callers_in_all - 2, body);
        callers.join();
        EXPECT_EQ(arrived.load(), 100 * callers_in_all);
        EXPECT_EQ(last_ones.load(), 100);
    });
}

TEST(barrier, of_one_and_resized) {
    sync::barrier b(1);
    EXPECT_TRUE(b.wait());
    EXPECT_TRUE(b.wait());
    b.resize(2);
    std::thread other([&] { b.wait(); });
    b.wait();
    other.join();
}

TEST(barrier, a_tasklet_may_be_the_last) {
    runtime_scope runtime(1);
    sync::barrier b(2);
    core::pool* here = sched::this_stream()->pinned();
    {
        crowd early;
        early.ult(
            [&] {
                bool last = true;
                EXPECT_EQ(b.try_wait(&last), status::cannot_suspend);
                EXPECT_FALSE(last);
            },
            technique::run_to_completion, here);
    }
    crowd callers;
    callers.ult([&] { b.wait(); }, technique::full, here);
    core::yield();
    callers.ult(
        [&] {
            bool last = false;
            EXPECT_EQ(b.try_wait(&last), status::ok);
            EXPECT_TRUE(last);
        },
        technique::run_to_completion, here);
    callers.join();
}

// --- latch

TEST(latch, opens_when_it_is_counted_down) {
    on_one_and_two_streams([] {
        sync::latch all(10);
        std::atomic<int> before{0};
        std::atomic<int> passed{0};
        crowd callers;
        callers.ults(6, [&](int) {
            all.wait();
            EXPECT_EQ(before.load(), 10);
            passed.fetch_add(1);
        });
        callers.threads(2, [&](int) {
            before.fetch_add(1);
            all.arrive_and_wait();
        });
        EXPECT_EQ(all.wait_until(in_ms(1)), status::timed_out);
        EXPECT_FALSE(all.try_wait());
        for (int i = 0; i < 6; ++i) {
            before.fetch_add(1);
            callers.ult([&] { all.count_down(); }, technique::run_to_completion);
        }
        before.fetch_add(2);
        all.count_down(2);
        callers.join();
        EXPECT_EQ(passed.load(), 6);
        EXPECT_TRUE(all.try_wait());
        EXPECT_EQ(all.wait_until(in_ms(1)), status::ok);
    });
}

TEST(latch, holds_all_until_the_last_count) {
    runtime_scope runtime(1);
    sync::latch all(3);
    std::atomic<int> passed{0};
    crowd callers;
    callers.ults(4, [&](int) {
        all.wait();
        passed.fetch_add(1);
    });
    for (int left = 3; left > 0; --left) {
        core::yield();
        EXPECT_EQ(passed.load(), 0) << left << " are left to count";
        all.count_down();
    }
    callers.join();
    EXPECT_EQ(passed.load(), 4);
}

TEST(latch_death_test, is_not_counted_down_below_zero) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(sync::latch(1).count_down(2), "lazult: latch: it is counted down below zero");
}

// --- eventual

TEST(eventual, carries_a_value_of_any_size) {
    on_one_and_two_streams([] {
        for (const std::size_t size : {0U, 8U, 16U, 17U, 5000U}) {
            sync::eventual e(size);
            const std::vector<unsigned char> value(size, 0x5c);
            std::atomic<int> right{0};
            crowd callers;
            const auto body = [&](int) {
                const void* got = e.wait();
                right += size == 0 || std::memcmp(got, value.data(), size) == 0 ? 1 : 0;
            };
            callers.threads(2, body);
            callers.ults(6, body);
            EXPECT_FALSE(e.is_set());
            EXPECT_EQ(e.set(value.data(), size + 1), status::invalid_argument);
            core::yield();
            EXPECT_EQ(e.set(value.data(), size), status::ok);
            EXPECT_EQ(e.set(value.data(), size), status::busy);
            callers.join();
            EXPECT_EQ(right.load(), 8);
        }
    });
}

TEST(eventual, one_of_many_setters_wins_each_time) {
    on_one_and_two_streams([] {
        sync::eventual e(sizeof(int));
        for (int round = 0; round < 100; ++round) {
            std::atomic<int> winners{0};
            std::atomic<int> winner{-1};
            std::atomic<int> seen{0};
            crowd callers;
            callers.ults(4, [&](int i) {
                if (e.set(&i, sizeof i) == status::ok) {
                    winners.fetch_add(1);
                    winner = i;
                }
            });
            callers.ults(2, [&](int) { seen += *static_cast<int*>(e.wait()); });
            callers.join();
            EXPECT_EQ(winners.load(), 1);
            EXPECT_EQ(seen.load(), 2 * winner.load());
            e.reset();
            EXPECT_FALSE(e.is_set());
        }
    });
}

TEST(eventual, a_cell_uses_memory_of_others) {
    on_one_and_two_streams([] {
        int memory = 0;
        sync::event_cell cell(sizeof memory, &memory);
        crowd callers;
        callers.ults(3, [&](int) { EXPECT_EQ(*static_cast<int*>(cell.wait()), 7); });
        core::yield();
        const int value = 7;
        EXPECT_EQ(cell.set(&value, sizeof value), status::ok);
        callers.join();
        EXPECT_EQ(memory, 7);
    });
}

TEST(eventual, a_cell_of_zeros_is_unset) {
    alignas(sync::event_cell) std::byte zeros[sizeof(sync::event_cell)] = {};
    auto& cell = *std::launder(reinterpret_cast<sync::event_cell*>(zeros));
    EXPECT_FALSE(cell.is_set());
    EXPECT_EQ(cell.value(), nullptr);
    EXPECT_EQ(cell.set(), status::ok);
    EXPECT_EQ(cell.wait(), nullptr);
    const sync::choice what[] = {sync::choice::set(cell)};
    EXPECT_EQ(sync::wait_any(what).index, 0U);
}

TEST(eventual, deadlines) {
    on_one_and_two_streams([] {
        sync::eventual e;
        EXPECT_EQ(e.wait_until(in_ms(3)), status::timed_out);
        crowd callers;
        callers.ults(3, [&](int) { EXPECT_EQ(e.wait_until(in_ms(5000)), status::ok); });
        core::yield();
        e.set();
        callers.join();
        EXPECT_EQ(e.wait_until(0), status::ok);
    });
}

// --- future

int callbacks;
void* first_value;

TEST(future, is_ready_when_all_compartments_are_set) {
    on_one_and_two_streams([] {
        std::array<int, 5> values{};
        callbacks = 0;
        sync::future f(values.size(), [](void** v) {
            ++callbacks;
            first_value = v[0];
        });
        std::atomic<int> passed{0};
        crowd callers;
        callers.threads(1, [&](int) {
            f.wait();
            passed.fetch_add(1);
        });
        callers.ults(4, [&](int) {
            f.wait();
            EXPECT_EQ(callbacks, 1);
            passed.fetch_add(1);
        });
        EXPECT_EQ(f.wait_until(in_ms(2)), status::timed_out);
        callers.ults(static_cast<int>(values.size()), [&](int i) {
            EXPECT_EQ(f.set(&values[static_cast<std::size_t>(i)]), status::ok);
        });
        callers.join();
        EXPECT_EQ(passed.load(), 5);
        EXPECT_EQ(f.set(nullptr), status::busy);
        EXPECT_EQ(f.values()[0], first_value);
        f.reset();
        EXPECT_FALSE(f.is_ready());
    });
}

// The callback lets another thread use the future anew at once.
TEST(future, a_reset_waits_for_the_set_that_calls_back) {
    static std::atomic<bool> called_back{false};
    static std::atomic<bool> go_on{false};
    called_back = go_on = false;
    sync::future f(1, [](void**) {
        called_back = true;
        while (!go_on.load()) {
        }
    });
    int value = 0;
    std::thread setter([&] { EXPECT_EQ(f.set(&value), status::ok); });
    while (!called_back.load()) {
    }
    std::thread resetter([&] { f.reset(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go_on = true;
    setter.join();
    resetter.join();
    EXPECT_FALSE(f.is_ready());
    EXPECT_EQ(f.set(&value), status::ok);
    EXPECT_TRUE(f.is_ready());
}

TEST(future, without_compartments_is_ready) {
    sync::future f(0);
    EXPECT_TRUE(f.is_ready());
    f.wait();
    EXPECT_EQ(f.set(nullptr), status::busy);
    f.reset();
    EXPECT_TRUE(f.is_ready());
}

TEST(future, that_calls_back_has_no_room_for_more) {
    static sync::future* calling;
    static status outcome;
    const auto call_back = [](void**) { outcome = calling->set(nullptr); };
    sync::future f(1, call_back);
    calling = &f;
    outcome = status::ok;
    EXPECT_EQ(f.wait_until(os::now_ns() - 1), status::timed_out);
    EXPECT_EQ(f.set(nullptr), status::ok);
    EXPECT_EQ(outcome, status::busy);
    EXPECT_EQ(f.wait_until(os::now_ns() - 1), status::ok);
}

// The code of a main scheduler itself, which is no unit: in a callback that its loop makes.
TEST(objects, a_loops_own_code_gets_a_status_too) {
    static std::atomic<int> looked;
    looked = 0;
    runtime_scope runtime(2);
    const std::uint64_t id = sched::add_event_callback(
        [](void*) {
            int before = 0;
            if (core::current_unit() != nullptr || !looked.compare_exchange_strong(before, 1)) {
                return 0;
            }
            sync::rwlock rw;
            rw.lock();
            EXPECT_EQ(rw.lock_until(in_ms(1)), status::cannot_suspend);
            EXPECT_EQ(sync::semaphore(0).acquire_until(in_ms(1)), status::cannot_suspend);
            rw.unlock();
            looked = 2;
            return 0;
        },
        nullptr);
    EXPECT_TRUE(wait_for([] { return looked.load() == 2; }));
    sched::remove_event_callback(id);
}

// --- misuse

enum class object { semaphore, barrier, latch, eventual, future, reader, writer };

void wait_in_a_tasklet(object which) {
    runtime_scope runtime(1);
    crowd callers;
    callers.ult(
        [which] {
            sync::rwlock rw;
            switch (which) {
                case object::semaphore: sync::semaphore(0).acquire(); return;
                case object::barrier: sync::barrier(2).wait(); return;
                case object::latch: sync::latch(1).wait(); return;
                case object::eventual: sync::eventual().wait(); return;
                case object::future: sync::future(1).wait(); return;
                case object::reader:
                    rw.lock();
                    rw.lock_shared();
                    return;
                case object::writer:
                    rw.lock();
                    rw.lock();
                    return;
            }
        },
        technique::run_to_completion);
    callers.join();
}

TEST(objects_death_test, tasklets_must_not_wait) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(wait_in_a_tasklet(object::semaphore),
                 "lazult: semaphore: a tasklet, .*; use try_acquire");
    EXPECT_DEATH(wait_in_a_tasklet(object::barrier),
                 "lazult: barrier: a tasklet, .*; let ULTs wait for it");
    EXPECT_DEATH(wait_in_a_tasklet(object::latch), "lazult: latch: a tasklet, .*; use try_wait");
    EXPECT_DEATH(wait_in_a_tasklet(object::eventual),
                 "lazult: eventual: a tasklet, .*; ask is_set");
    EXPECT_DEATH(wait_in_a_tasklet(object::future), "lazult: future: a tasklet, .*; ask is_ready");
    EXPECT_DEATH(wait_in_a_tasklet(object::reader),
                 "lazult: rwlock: a tasklet, .*; use try_lock_shared");
    EXPECT_DEATH(wait_in_a_tasklet(object::writer),
                 "lazult: rwlock: a tasklet, .*; use try_lock\\(\\)");
}

TEST(objects, tasklets_get_a_status_where_there_is_one) {
    runtime_scope runtime(1);
    crowd callers;
    callers.ult(
        [] {
            sync::rwlock rw;
            rw.lock();
            const std::int64_t soon = in_ms(1);
            EXPECT_EQ(sync::semaphore(0).acquire_until(soon), status::cannot_suspend);
            EXPECT_EQ(sync::latch(1).wait_until(soon), status::cannot_suspend);
            EXPECT_EQ(sync::eventual().wait_until(soon), status::cannot_suspend);
            EXPECT_EQ(sync::future(1).wait_until(soon), status::cannot_suspend);
            EXPECT_EQ(rw.lock_until(soon), status::cannot_suspend);
            EXPECT_EQ(rw.lock_shared_until(soon), status::cannot_suspend);
            rw.unlock();
        },
        technique::run_to_completion);
    callers.join();
}

}  // namespace
}  // namespace lazult::testing
