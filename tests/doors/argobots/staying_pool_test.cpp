// SPDX-License-Identifier: BSD-3-Clause
// ABTX_pool_create_basic: ULTs of a pool stay on the stream where they began.
#include "support.hpp"

#include <optional>

namespace lazult::testing {
namespace {

thread_local int of_os_thread = 0;

[[gnu::noinline]] const int* address_now() noexcept {
    asm volatile("");
    return &of_os_thread;
}

int rank_now() {
    int rank = -1;
    EXPECT_EQ(ABT_self_get_xstream_rank(&rank), ABT_SUCCESS);
    return rank;
}

class stay_check {
public:
    explicit stay_check(std::atomic<int>& wrong) : wrong_(wrong) {}
    void look() const { wrong_ += address_now() != kept_ || rank_now() != rank_; }

private:
    std::atomic<int>& wrong_;
    const int* const kept_ = address_now();
    const int rank_ = rank_now();
};

ABT_pool make(ABTX_started started, ABT_pool_kind kind = ABT_POOL_FIFO,
              ABT_pool_access access = ABT_POOL_ACCESS_MPMC) {
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABTX_pool_create_basic(kind, access, started, ABT_FALSE, &p), ABT_SUCCESS);
    return p;
}

// Streams that serve one pool.
class servants {
public:
    servants(int count, ABT_pool pool) : all_(static_cast<std::size_t>(count)) {
        for (ABT_xstream& each : all_) {
            EXPECT_EQ(
                ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &each),
                ABT_SUCCESS);
        }
    }
    servants(const servants&) = delete;
    servants& operator=(const servants&) = delete;
    ~servants() {
        for (ABT_xstream& each : all_) {
            EXPECT_EQ(ABT_xstream_free(&each), ABT_SUCCESS);
        }
    }

private:
    std::vector<ABT_xstream> all_;
};

TEST(staying_pool, keeps_ults_on_their_streams) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    std::atomic<int> wrong{0};
    {
        const servants three(3, pool);
        ABT_mutex lock = ABT_MUTEX_NULL;
        EXPECT_EQ(ABT_mutex_create(&lock), ABT_SUCCESS);
        {
            crowd all;
            for (int i = 0; i < 60; ++i) {
                all.ult(pool, [&] {
                    const stay_check check(wrong);
                    for (int round = 0; round < 50; ++round) {
                        ABT_thread_yield();
                        check.look();
                        ABT_mutex_lock(lock);
                        ABT_thread_yield();
                        ABT_mutex_unlock(lock);
                        check.look();
                        {
                            crowd child;
                            child.ult(pool, [] { ABT_thread_yield(); });
                        }
                        check.look();
                    }
                });
            }
        }
        EXPECT_EQ(ABT_mutex_free(&lock), ABT_SUCCESS);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

// The caller's stream does not serve the pool, and the ULTs run on another one.
TEST(staying_pool, lets_no_stream_yield_to_a_ult_of_another) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    std::atomic<int> wrong{0};
    std::atomic<int> left{10};
    {
        const servants two(2, pool);
        crowd all;
        std::vector<ABT_thread> targets;
        for (int i = 0; i < 10; ++i) {
            targets.push_back(all.ult(pool, [&] {
                const stay_check check(wrong);
                for (int round = 0; round < 300; ++round) {
                    ABT_thread_yield();
                    check.look();
                }
                --left;
            }));
        }
        for (std::size_t i = 0; left > 0; ++i) {
            ABT_thread_yield_to(targets[i % targets.size()]);
        }
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

// Its next life begins where a stream takes it; it is at home in the same pool all the time.
TEST(staying_pool, is_the_home_of_its_ults) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    std::atomic<int> elsewhere{0};
    const auto body = [&] {
        ABT_pool home = ABT_POOL_NULL;
        for (int i = 0; i < 3; ++i) {
            ABT_self_get_last_pool(&home);
            elsewhere += home != pool;
            ABT_thread_yield();
        }
    };
    {
        const servants two(2, pool);
        ABT_thread t = ABT_THREAD_NULL;
        void* const argument = const_cast<void*>(static_cast<const void*>(&body));
        const auto run = [](void* of) { (*static_cast<decltype(&body)>(of))(); };
        EXPECT_EQ(ABT_thread_create(pool, run, argument, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
        for (int i = 0; i < 50; ++i) {
            EXPECT_EQ(ABT_thread_join(t), ABT_SUCCESS);
            EXPECT_EQ(ABT_thread_revive(pool, run, argument, &t), ABT_SUCCESS);
        }
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    }
    EXPECT_EQ(elsewhere, 0);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

// The main scheduler of a stream is replaced, and the ULT that waits meanwhile stays.
TEST(staying_pool, keeps_ults_while_a_scheduler_is_replaced) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    std::atomic<int> wrong{0};
    {
        const servants two(2, pool);
        crowd all;
        for (int i = 0; i < 10; ++i) {
            all.ult(pool, [&] {
                const stay_check check(wrong);
                for (int round = 0; round < 20; ++round) {
                    ABT_xstream self = ABT_XSTREAM_NULL;
                    ABT_pool same = pool;
                    if (round % 5 == 0 && ABT_self_get_xstream(&self) == ABT_SUCCESS) {
                        ABT_xstream_set_main_sched_basic(self, ABT_SCHED_BASIC, 1, &same);
                        ABTX_thread_sleep_for(1e-3);
                        check.look();
                    }
                    ABT_thread_yield();
                    check.look();
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

TEST(staying_pool, gives_each_stream_its_own_units) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_over{false};
    {
        const servants one(1, pool);
        crowd all;
        all.ult(pool, [&] {
            has_begun = true;
            while (!is_over) {
                ABT_thread_yield();
            }
        });
        while (!has_begun) {
            ABT_thread_yield();
        }
        for (int i = 0; i < 1000; ++i) {  // this stream does not serve the pool
            ABT_thread popped = ABT_THREAD_NULL;
            EXPECT_EQ(ABT_pool_pop_thread(pool, &popped), ABT_SUCCESS);
            EXPECT_EQ(popped, ABT_THREAD_NULL);
        }
        is_over = true;
    }
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

ABT_sched make_sleeping_sched(ABT_pool pool) {
    ABT_sched_def def = {};
    def.run = [](ABT_sched s) {
        ABT_pool from = ABT_POOL_NULL;
        EXPECT_EQ(ABT_sched_get_pools(s, 1, 0, &from), ABT_SUCCESS);
        for (ABT_bool stops = ABT_FALSE; stops == ABT_FALSE; ABT_sched_has_to_stop(s, &stops)) {
            ABT_thread next = ABT_THREAD_NULL;
            EXPECT_EQ(ABT_pool_pop_wait_thread(from, &next, 2.0), ABT_SUCCESS);
            if (next != ABT_THREAD_NULL) {
                EXPECT_EQ(ABT_self_schedule(next, ABT_POOL_NULL), ABT_SUCCESS);
            }
            ABT_xstream_check_events(s);
        }
    };
    ABT_sched s = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create(&def, 1, &pool, ABT_SCHED_CONFIG_NULL, &s), ABT_SUCCESS);
    return s;
}

// A user's scheduler that sleeps in the pool hears of ULTs that have begun there.
TEST(staying_pool, wakes_a_stream_that_waits_in_it) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create(make_sleeping_sched(pool), &x), ABT_SUCCESS);
    ABT_eventual asked = ABT_EVENTUAL_NULL;
    EXPECT_EQ(ABT_eventual_create(0, &asked), ABT_SUCCESS);
    double woken_after = 100;
    {
        crowd all;
        all.ult(pool, [&] { ABT_eventual_wait(asked, nullptr); });
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // then it waits, and x sleeps
        const double begin = ABT_get_wtime();
        EXPECT_EQ(ABT_eventual_set(asked, nullptr, 0), ABT_SUCCESS);
        all.join();
        woken_after = ABT_get_wtime() - begin;
    }
    EXPECT_LT(woken_after, 1.0);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_free(&asked), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

struct moved_sched {
    ABT_pool own = ABT_POOL_NULL;
    ABT_eventual asked = ABT_EVENTUAL_NULL;
    std::atomic<bool> waits{false};
    std::atomic<bool> ran{false};
};
moved_sched* moved = nullptr;

// Waits in its own code, after a ULT has begun on its stream.
ABT_sched make_waiting_sched() {
    ABT_sched_def def = {};
    def.run = [](ABT_sched s) {
        const auto run_one = [] {
            ABT_thread next = ABT_THREAD_NULL;
            EXPECT_EQ(ABT_pool_pop_thread(moved->own, &next), ABT_SUCCESS);
            if (next != ABT_THREAD_NULL) {
                EXPECT_EQ(ABT_self_schedule(next, ABT_POOL_NULL), ABT_SUCCESS);
            }
        };
        run_one();
        moved->waits = true;
        EXPECT_EQ(ABT_eventual_wait(moved->asked, nullptr), ABT_SUCCESS);
        for (ABT_bool stops = ABT_FALSE; stops == ABT_FALSE; ABT_sched_has_to_stop(s, &stops)) {
            run_one();
        }
    };
    ABT_sched s = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create(&def, 1, &moved->own, ABT_SCHED_CONFIG_NULL, &s), ABT_SUCCESS);
    return s;
}

// The stream of a stacked scheduler ends while the scheduler waits. Its pool's ULTs go on with it.
TEST(staying_pool, goes_with_a_scheduler_that_another_stream_resumes) {
    const runtime r;
    ABT_pool pool = make(ABTX_STARTED_STAY);
    moved_sched all;
    moved = &all;
    all.own = make(ABTX_STARTED_STAY);
    EXPECT_EQ(ABT_eventual_create(0, &all.asked), ABT_SUCCESS);
    {
        crowd ults;
        ults.ult(all.own, [&] {
            ABT_thread_yield();
            all.ran = true;
        });
        {
            std::optional<servants> first(std::in_place, 1, pool);
            EXPECT_EQ(ABT_pool_add_sched(pool, make_waiting_sched()), ABT_SUCCESS);
            while (!all.waits) {
                ABT_thread_yield();
            }
            const servants second(1, pool);  // so the first one does not wait for the scheduler
            first.reset();
            EXPECT_FALSE(all.ran);
            EXPECT_EQ(ABT_eventual_set(all.asked, nullptr, 0), ABT_SUCCESS);
            ults.join();
        }
    }
    EXPECT_TRUE(all.ran);
    EXPECT_EQ(ABT_eventual_free(&all.asked), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&all.own), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

// The stream's main scheduler and a stacked one serve the same pool. The stream ends while the
// stacked one waits. All that stayed there goes on at the other stream.
TEST(staying_pool, goes_on_where_a_stacked_scheduler_serves_it_too) {
    const runtime r;
    moved_sched all;
    moved = &all;
    ABT_pool pool = all.own = make(ABTX_STARTED_STAY);
    ABT_eventual ended = ABT_EVENTUAL_NULL;
    EXPECT_EQ(ABT_eventual_create(0, &all.asked), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_create(0, &ended), ABT_SUCCESS);
    {
        std::optional<servants> first(std::in_place, 1, pool);
        crowd ults;
        ults.ult(pool, [&] {
            ABT_eventual_wait(ended, nullptr);
            all.ran = true;
        });
        EXPECT_EQ(ABT_pool_add_sched(pool, make_waiting_sched()), ABT_SUCCESS);
        while (!all.waits) {
            ABT_thread_yield();
        }
        const servants second(1, pool);
        first.reset();
        EXPECT_EQ(ABT_eventual_set(ended, nullptr, 0), ABT_SUCCESS);
        EXPECT_EQ(ABT_eventual_set(all.asked, nullptr, 0), ABT_SUCCESS);
        ults.join();
    }
    EXPECT_TRUE(all.ran);
    EXPECT_EQ(ABT_eventual_free(&ended), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_free(&all.asked), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

TEST(staying_pool, is_refused_where_the_promise_cannot_be_kept) {
    const runtime r;
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABTX_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABTX_STARTED_STAY,
                                     ABT_FALSE, &p),
              ABT_ERR_INV_POOL_KIND);
    EXPECT_EQ(ABTX_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC,
                                     static_cast<ABTX_started>(7), ABT_FALSE, &p),
              ABT_ERR_INV_ARG);
    for (const ABTX_started any : {ABTX_STARTED_DEFAULT, ABTX_STARTED_MOVE}) {
        ABT_pool made = make(any, ABT_POOL_RANDWS);
        EXPECT_EQ(ABT_pool_free(&made), ABT_SUCCESS);
    }
    ABT_pool own = make(ABTX_STARTED_STAY, ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV);
    EXPECT_EQ(ABT_pool_free(&own), ABT_SUCCESS);
}

TEST(staying_pool, needs_a_pool_that_keeps_its_stacked_scheduler) {
    const runtime r;
    ABT_pool kept = make(ABTX_STARTED_STAY);
    ABT_pool moves = make(ABTX_STARTED_MOVE);
    ABT_pool outer = make(ABTX_STARTED_STAY);
    std::atomic<int> wrong{0};
    ABT_sched stacked = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &kept, ABT_SCHED_CONFIG_NULL, &stacked),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_add_sched(moves, stacked), ABT_ERR_FEATURE_NA);
    {
        const servants two(2, outer);
        crowd all;
        for (int i = 0; i < 10; ++i) {
            all.ult(i % 2 == 0 ? kept : outer, [&wrong] {
                const stay_check check(wrong);
                for (int round = 0; round < 100; ++round) {
                    ABT_thread_yield();
                    check.look();
                }
            });
        }
        EXPECT_EQ(ABT_pool_add_sched(outer, stacked), ABT_SUCCESS);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ABT_pool_free(&kept), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&moves), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&outer), ABT_SUCCESS);
}

}  // namespace
}  // namespace lazult::testing
