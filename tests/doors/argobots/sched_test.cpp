// SPDX-License-Identifier: BSD-3-Clause
// Schedulers, the library's and users', on streams and in pools.
#include "support.hpp"

namespace lazult::testing {
namespace {

// A loop of the user's: its pools in order.
void run_in_order(ABT_sched sched) {
    int count = 0;
    EXPECT_EQ(ABT_sched_get_num_pools(sched, &count), ABT_SUCCESS);
    std::vector<ABT_pool> pools(static_cast<std::size_t>(count));
    EXPECT_EQ(ABT_sched_get_pools(sched, count, 0, pools.data()), ABT_SUCCESS);
    for (;;) {
        for (const ABT_pool p : pools) {
            ABT_thread t = ABT_THREAD_NULL;
            EXPECT_EQ(ABT_pool_pop_thread(p, &t), ABT_SUCCESS);
            if (t != ABT_THREAD_NULL) {
                EXPECT_EQ(ABT_self_schedule(t, ABT_POOL_NULL), ABT_SUCCESS);
                break;
            }
        }
        EXPECT_EQ(ABT_xstream_check_events(sched), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_yield(), ABT_SUCCESS);  // a stacked one: to the scheduler below
        ABT_bool stop = ABT_FALSE;
        EXPECT_EQ(ABT_sched_has_to_stop(sched, &stop), ABT_SUCCESS);
        if (stop == ABT_TRUE) {
            return;
        }
    }
}

std::atomic<int> ended_loops{0};
std::atomic<int> freed_scheds{0};

ABT_sched make_users_sched(int count, ABT_pool* pools) {
    ABT_sched_def def = {};
    def.run = [](ABT_sched s) {
        run_in_order(s);
        ended_loops.fetch_add(1);
    };
    def.free = [](ABT_sched) {
        freed_scheds.fetch_add(1);
        return ABT_SUCCESS;
    };
    ABT_sched s = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create(&def, count, pools, ABT_SCHED_CONFIG_NULL, &s), ABT_SUCCESS);
    return s;
}

ABT_pool first_pool_of(ABT_xstream x) {
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABT_xstream_get_main_pools(x, 1, &p), ABT_SUCCESS);
    return p;
}

class predefined_sched : public ::testing::TestWithParam<ABT_sched_predef> {};
INSTANTIATE_TEST_SUITE_P(all, predefined_sched,
                         ::testing::Values(ABT_SCHED_DEFAULT, ABT_SCHED_BASIC, ABT_SCHED_PRIO,
                                           ABT_SCHED_RANDWS, ABT_SCHED_BASIC_WAIT));

TEST_P(predefined_sched, runs_what_is_in_its_pools) {
    const runtime r;
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create_basic(GetParam(), 0, nullptr, ABT_SCHED_CONFIG_NULL, &x),
              ABT_SUCCESS);
    std::atomic<int> ran{0};
    {
        crowd all;
        for (int i = 0; i < 300; ++i) {
            all.ult(first_pool_of(x), [&] {
                ABT_thread_yield();
                ran.fetch_add(1);
            });
        }
    }
    EXPECT_EQ(ran.load(), 300);
    EXPECT_EQ(ABT_xstream_join(x), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_join(x), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_revive(x), ABT_SUCCESS);
    crowd more;
    more.ult(first_pool_of(x), [&] { ran.fetch_add(1); });
    more.join();
    EXPECT_EQ(ran.load(), 301);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
}

TEST_P(predefined_sched, waits_at_its_end_for_units_that_are_blocked) {
    const runtime r;
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create_basic(GetParam(), 0, nullptr, ABT_SCHED_CONFIG_NULL, &x),
              ABT_SUCCESS);
    std::atomic<ABT_thread> blocked{nullptr};
    static std::atomic<bool> went_on;
    went_on = false;
    const auto body = [](void* told) {
        ABT_thread self = ABT_THREAD_NULL;
        ABT_thread_self(&self);
        static_cast<std::atomic<ABT_thread>*>(told)->store(self);
        ABT_self_suspend();
        went_on = true;
    };
    EXPECT_EQ(ABT_thread_create(first_pool_of(x), body, &blocked, ABT_THREAD_ATTR_NULL, nullptr),
              ABT_SUCCESS);
    std::thread resumer([&] {
        while (blocked.load() == nullptr) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        while (ABT_thread_resume(blocked.load()) != ABT_SUCCESS) {
            std::this_thread::yield();
        }
    });
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    EXPECT_TRUE(went_on.load());
    resumer.join();
}

TEST(users_sched, decides_and_ends_when_it_has_to) {
    ended_loops = 0;
    freed_scheds = 0;
    const runtime r;
    ABT_pool none[2] = {ABT_POOL_NULL, ABT_POOL_NULL};
    ABT_sched s = make_users_sched(2, none);
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create(s, &x), ABT_SUCCESS);
    EXPECT_EQ(ABT_sched_free(&s), ABT_ERR_SCHED);
    ABT_xstream other = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create(s, &other), ABT_ERR_INV_SCHED);
    std::atomic<int> ran{0};
    {
        crowd all;
        for (int i = 0; i < 100; ++i) {
            all.ult(first_pool_of(x), [&] {
                ABT_thread_yield();
                ran.fetch_add(1);
            });
        }
    }
    EXPECT_EQ(ran.load(), 100);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    EXPECT_EQ(ended_loops.load(), 1);
    EXPECT_EQ(ABT_sched_free(&s), ABT_SUCCESS);
    EXPECT_EQ(freed_scheds.load(), 1);
}

TEST(users_sched, ends_on_the_primary_stream_too) {
    ended_loops = 0;
    freed_scheds = 0;
    std::atomic<int> ran{0};
    {
        const runtime r;
        ABT_pool none = ABT_POOL_NULL;
        ABT_xstream self = ABT_XSTREAM_NULL;
        EXPECT_EQ(ABT_xstream_self(&self), ABT_SUCCESS);
        EXPECT_EQ(ABT_xstream_set_main_sched(self, make_users_sched(1, &none)), ABT_SUCCESS);
        const auto body = [](void* count) { static_cast<std::atomic<int>*>(count)->fetch_add(1); };
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(
                ABT_thread_create(first_pool_of(self), body, &ran, ABT_THREAD_ATTR_NULL, nullptr),
                ABT_SUCCESS);
        }
    }
    EXPECT_EQ(ran.load(), 10);
    EXPECT_EQ(ended_loops.load(), 1);
    EXPECT_EQ(freed_scheds.load(), 1);
}

// Its unit waits for one that comes from elsewhere, and never leaves the pool empty meanwhile.
void wait_for_a_unit_from_elsewhere(ABT_pool_access access) {
    const runtime r;
    ABT_pool pool = ABT_POOL_NULL;
    EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, access, ABT_TRUE, &pool), ABT_SUCCESS);
    ABT_sched s = make_users_sched(1, &pool);
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create(s, &x), ABT_SUCCESS);
    std::atomic<bool> runs{false};
    std::atomic<bool> may_end{false};
    bool came_in_time = false;
    {
        crowd all;
        all.ult(pool, [&] {
            runs = true;
            for (int i = 0; i < 100'000 && !may_end.load(); ++i) {
                ABT_thread_yield();
                if (i % 1000 == 999) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(10));
                }
            }
            came_in_time = may_end.load();
        });
        yield_until([&] { return runs.load(); });
        all.ult(pool, [&] { may_end = true; });
    }
    EXPECT_TRUE(came_in_time);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    EXPECT_EQ(ABT_sched_free(&s), ABT_SUCCESS);
}

TEST(users_sched, sees_what_comes_from_elsewhere_while_its_own_units_yield) {
    for (const ABT_pool_access each : {ABT_POOL_ACCESS_MPSC, ABT_POOL_ACCESS_MPMC}) {
        SCOPED_TRACE(each);
        wait_for_a_unit_from_elsewhere(each);
    }
}

// --- without pools of its own

ABT_pool elsewhere = ABT_POOL_NULL;

void run_from_elsewhere(ABT_sched sched) {
    for (ABT_bool stop = ABT_FALSE; stop == ABT_FALSE;) {
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_pool_pop_thread(elsewhere, &t), ABT_SUCCESS);
        if (t != ABT_THREAD_NULL) {
            EXPECT_EQ(ABT_self_schedule(t, ABT_POOL_NULL), ABT_SUCCESS);
        }
        EXPECT_EQ(ABT_sched_has_to_stop(sched, &stop), ABT_SUCCESS);
    }
}

ABT_sched make_sched_without_pools() {
    ABT_sched_def def = {};
    def.run = run_from_elsewhere;
    ABT_sched s = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create(&def, 0, nullptr, ABT_SCHED_CONFIG_NULL, &s), ABT_SUCCESS);
    return s;
}

ABT_thread_state state_of_thread(ABT_thread t) {
    ABT_thread_state s = ABT_THREAD_STATE_TERMINATED;
    EXPECT_EQ(ABT_thread_get_state(t, &s), ABT_SUCCESS);
    return s;
}

// A waiter on this stream looks for other work of the stream first, and there are no pools to look
// at.
TEST(users_sched, needs_no_pools_of_its_own) {
    const runtime r;
    ABT_mutex_memory memory = ABT_MUTEX_INITIALIZER;
    ABT_mutex m = ABT_MUTEX_MEMORY_GET_HANDLE(&memory);
    EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &elsewhere),
              ABT_SUCCESS);
    ABT_sched s = make_sched_without_pools();
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create(s, &x), ABT_SUCCESS);
    ABT_thread refused = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_create_on_xstream(
                  x, [](void*) {}, nullptr, ABT_THREAD_ATTR_NULL, &refused),
              ABT_ERR_INV_POOL);
    EXPECT_EQ(ABT_task_create_on_xstream(x, [](void*) {}, nullptr, &refused), ABT_ERR_INV_POOL);
    EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
    crowd all;
    ABT_thread waiter = all.ult(elsewhere, [m] {
        EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    });
    yield_until([waiter] { return state_of_thread(waiter) == ABT_THREAD_STATE_BLOCKED; });
    EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    all.join();
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    EXPECT_EQ(ABT_sched_free(&s), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&elsewhere), ABT_SUCCESS);
}

// --- stacked

TEST(stacked_sched, runs_its_units_in_its_turn) {
    for (const bool is_users : {false, true}) {
        std::vector<int> order;
        {
            const runtime r;
            ABT_pool inner = ABT_POOL_NULL;
            EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &inner),
                      ABT_SUCCESS);
            ABT_sched s = ABT_SCHED_NULL;
            if (is_users) {
                s = make_users_sched(1, &inner);
            } else {
                EXPECT_EQ(
                    ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &inner, ABT_SCHED_CONFIG_NULL, &s),
                    ABT_SUCCESS);
            }
            crowd all;
            all.ult(r.pool(0), [&] { order.push_back(1); });
            all.ult(inner, [&] { order.push_back(2); });
            all.ult(inner, [&] { order.push_back(3); });
            EXPECT_EQ(ABT_pool_add_sched(r.pool(0), s), ABT_SUCCESS);
            EXPECT_EQ(ABT_pool_add_sched(r.pool(0), s), ABT_ERR_INV_SCHED);
            all.ult(r.pool(0), [&] { order.push_back(4); });
            yield_until([&] { return order.size() == 4; });
            all.join();
            if (is_users) {
                yield_until(
                    [&] { return ABT_sched_free(&s) == ABT_SUCCESS || s == ABT_SCHED_NULL; });
            }
        }
        // The user's gives way to the scheduler below after each unit.
        EXPECT_EQ(order,
                  is_users ? (std::vector<int>{1, 2, 4, 3}) : (std::vector<int>{1, 2, 3, 4}));
    }
}

ABT_sched make_basic_sched(ABT_pool pool) {
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
    EXPECT_EQ(ABT_sched_config_create(&config, ABT_sched_config_automatic, ABT_FALSE,
                                      ABT_sched_config_var_end),
              ABT_SUCCESS);
    ABT_sched s = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &pool, config, &s), ABT_SUCCESS);
    EXPECT_EQ(ABT_sched_config_free(&config), ABT_SUCCESS);
    return s;
}

ABT_pool make_pool(ABT_pool_access access, ABTX_started started = ABTX_STARTED_DEFAULT) {
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABTX_pool_create_basic(ABT_POOL_FIFO, access, started, ABT_FALSE, &p), ABT_SUCCESS);
    return p;
}

TEST(stacked_sched, is_a_main_scheduler_afterwards) {
    const runtime r;
    for (const bool is_users : {false, true}) {
        ABT_pool pool = make_pool(ABT_POOL_ACCESS_MPMC);
        ABT_sched s = is_users ? make_users_sched(1, &pool) : make_basic_sched(pool);
        crowd all;
        all.ult(pool, [] { ABT_thread_yield(); });
        EXPECT_EQ(ABT_pool_add_sched(r.pool(0), s), ABT_SUCCESS);
        all.join();
        ABT_xstream x = ABT_XSTREAM_NULL;
        yield_until(
            [&] { return x != ABT_XSTREAM_NULL || ABT_xstream_create(s, &x) == ABT_SUCCESS; });
        for (int i = 0; i < 20; ++i) {
            all.ult(pool, [] { ABT_thread_yield(); });
            all.join();
        }
        EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
        EXPECT_EQ(ABT_sched_free(&s), ABT_SUCCESS);
        EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
    }
}

// A stream with a pool of its own, and one in which others may put units.
struct stream_of_two_pools {
    ABT_pool own = ABT_POOL_NULL;
    ABT_pool entrance = ABT_POOL_NULL;
    ABT_xstream x = ABT_XSTREAM_NULL;

    stream_of_two_pools() {
        EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &own),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &entrance),
                  ABT_SUCCESS);
        ABT_pool pools[] = {own, entrance};
        EXPECT_EQ(ABT_xstream_create_basic(ABT_SCHED_BASIC, 2, pools, ABT_SCHED_CONFIG_NULL, &x),
                  ABT_SUCCESS);
    }
    ~stream_of_two_pools() { EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS); }
    stream_of_two_pools(const stream_of_two_pools&) = delete;
    stream_of_two_pools& operator=(const stream_of_two_pools&) = delete;
};

// Creates a unit that waits for the event, and then for that unit.
void wait_for_a_child(ABT_pool pool, ABT_eventual event, bool by_freeing, std::atomic<int>& begun) {
    crowd children;
    ABT_thread child = children.ult(pool, [&] {
        ++begun;
        EXPECT_EQ(ABT_eventual_wait(event, nullptr), ABT_SUCCESS);
    });
    if (!by_freeing) {
        EXPECT_EQ(ABT_thread_join(child), ABT_SUCCESS);
    }
    children.join();
}

// The joiner is at home in the pool of a scheduler that runs above the stream's own one, and its
// child in a pool of that. While the child waits, nothing is left for the upper scheduler but the
// joiner, which must find it again.
TEST(stacked_sched, waits_for_a_joiner_of_a_unit_of_the_scheduler_below) {
    for (const bool frees : {false, true}) {
        const runtime r;
        ABT_eventual let_go = ABT_EVENTUAL_NULL;
        ASSERT_EQ(ABT_eventual_create(0, &let_go), ABT_SUCCESS);
        ABT_pool inner = make_pool(ABT_POOL_ACCESS_MPMC);
        ABT_sched s = make_basic_sched(inner);
        std::atomic<int> begun{0};
        std::atomic<bool> has_ended{false};
        {
            const stream_of_two_pools stream;
            crowd all;
            all.ult(inner, [&] {
                wait_for_a_child(stream.own, let_go, frees, begun);
                has_ended.store(true);
            });
            EXPECT_EQ(ABT_pool_add_sched(stream.entrance, s), ABT_SUCCESS);
            yield_until([&] { return begun.load() == 1; });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            EXPECT_EQ(ABT_eventual_set(let_go, nullptr, 0), ABT_SUCCESS);
            yield_until([&] { return has_ended.load(); });
            all.join();
        }
        yield_until([&] { return s == ABT_SCHED_NULL || ABT_sched_free(&s) == ABT_SUCCESS; });
        EXPECT_EQ(ABT_pool_free(&inner), ABT_SUCCESS);
        EXPECT_EQ(ABT_eventual_free(&let_go), ABT_SUCCESS);
    }
}

// The stream is asked to end while its only unit waits for a child in the other one of the stream's
// two pools.
TEST(sched, does_not_end_while_a_unit_waits_for_one_of_its_other_pool) {
    for (const bool frees : {false, true}) {
        const runtime r;
        ABT_eventual let_go = ABT_EVENTUAL_NULL;
        ASSERT_EQ(ABT_eventual_create(0, &let_go), ABT_SUCCESS);
        std::atomic<int> begun{0};
        bool has_ended = false;
        {
            const stream_of_two_pools stream;
            crowd all;
            all.ult(stream.entrance, [&] {
                for (int i = 0; i < 50; ++i) {
                    wait_for_a_child(stream.own, let_go, frees, begun);
                }
                has_ended = true;
            });
            yield_until([&] { return begun.load() == 1; });
            crowd end;
            end.thread([&] { EXPECT_EQ(ABT_xstream_join(stream.x), ABT_SUCCESS); });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            EXPECT_EQ(ABT_eventual_set(let_go, nullptr, 0), ABT_SUCCESS);
            end.join();
            EXPECT_TRUE(has_ended);
            EXPECT_EQ(begun.load(), 50);
            all.join();
        }
        EXPECT_EQ(ABT_eventual_free(&let_go), ABT_SUCCESS);
    }
}

// The same, while its only unit waits for a child that has moved from the unit's pool to the
// primary stream's.
TEST(sched, does_not_end_while_a_unit_waits_for_a_child_that_has_moved) {
    for (const bool frees : {false, true}) {
        const runtime r;
        ABT_eventual let_go = ABT_EVENTUAL_NULL;
        ASSERT_EQ(ABT_eventual_create(0, &let_go), ABT_SUCCESS);
        ABT_xstream x = ABT_XSTREAM_NULL;
        ASSERT_EQ(ABT_xstream_create(ABT_SCHED_NULL, &x), ABT_SUCCESS);
        ABT_pool pool = ABT_POOL_NULL;
        ASSERT_EQ(ABT_xstream_get_main_pools(x, 1, &pool), ABT_SUCCESS);
        std::atomic<bool> has_moved{false};
        std::atomic<bool> has_ended{false};
        std::atomic<bool> stream_has_ended{false};
        crowd all;
        all.ult(pool, [&] {
            crowd children;
            ABT_thread child = children.ult(pool, [&] {
                ABT_thread self = ABT_THREAD_NULL;
                EXPECT_EQ(ABT_thread_self(&self), ABT_SUCCESS);
                EXPECT_EQ(ABT_thread_migrate_to_pool(self, r.pool(0)), ABT_SUCCESS);
                ABT_thread_yield();
                has_moved.store(true);
                EXPECT_EQ(ABT_eventual_wait(let_go, nullptr), ABT_SUCCESS);
            });
            if (!frees) {
                EXPECT_EQ(ABT_thread_join(child), ABT_SUCCESS);
            }
            children.join();
            has_ended.store(true);
        });
        yield_until([&] { return has_moved.load(); });
        crowd end;
        end.thread([&] {
            EXPECT_EQ(ABT_xstream_join(x), ABT_SUCCESS);
            stream_has_ended.store(true);
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_FALSE(stream_has_ended.load());
        EXPECT_EQ(ABT_eventual_set(let_go, nullptr, 0), ABT_SUCCESS);
        yield_until([&] { return has_ended.load(); });
        end.join();
        all.join();
        EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
        EXPECT_EQ(ABT_eventual_free(&let_go), ABT_SUCCESS);
    }
}

int rank_where_runs(ABT_pool p) {
    int rank = -1;
    crowd one;
    one.ult(p, [&rank] { EXPECT_EQ(ABT_self_get_xstream_rank(&rank), ABT_SUCCESS); });
    one.join();
    return rank;
}

int own_rank() {
    int rank = -1;
    EXPECT_EQ(ABT_self_get_xstream_rank(&rank), ABT_SUCCESS);
    return rank;
}

// ULTs that keep the streams of ranks 1 and 2 busy, each until that stream is let go.
class hogs {
public:
    explicit hogs(ABT_pool shared) {
        for (int i = 0; i < 2; ++i) {
            both_.ult(shared, [this] { hold(own_rank()); });
        }
        yield_until([this] { return held_.load() == 2; });
    }
    hogs(const hogs&) = delete;
    hogs& operator=(const hogs&) = delete;
    ~hogs() {
        let_go(1);
        let_go(2);
    }
    void let_go(int rank) { let_go_[rank] = true; }

private:
    void hold(int rank) {
        held_.fetch_add(1);
        while (!let_go_[rank]) {
            std::this_thread::yield();
        }
    }

    std::atomic<int> held_{0};
    std::atomic<bool> let_go_[3] = {};
    crowd both_;
};

// The stream where it was has no time for it until it has run on the other one.
void make_wander(ABT_pool its_pool, ABT_pool shared) {
    const int first = rank_where_runs(its_pool);
    hogs busy(shared);
    busy.let_go(3 - first);
    EXPECT_EQ(rank_where_runs(its_pool), 3 - first);
}

void expect_free_for_a_stream(ABT_pool pool) {
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &x),
              ABT_SUCCESS);
    EXPECT_GE(rank_where_runs(pool), 0);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
}

// A private pool goes with its scheduler. The pools let ULTs move, whatever LAZULT_STARTED says.
class wandering_sched : public ::testing::TestWithParam<ABT_pool_access> {};
INSTANTIATE_TEST_SUITE_P(all, wandering_sched,
                         ::testing::Values(ABT_POOL_ACCESS_PRIV, ABT_POOL_ACCESS_MPSC,
                                           ABT_POOL_ACCESS_MPMC));

TEST_P(wandering_sched, runs_and_ends_where_it_is_resumed) {
    const runtime r;
    for (const bool is_users : {false, true, false, true}) {
        ABT_pool own = make_pool(GetParam(), ABTX_STARTED_MOVE);
        ABT_sched s = is_users ? make_users_sched(1, &own) : make_basic_sched(own);
        ABT_eventual_memory memory = ABT_EVENTUAL_INITIALIZER;
        ABT_eventual e = ABT_EVENTUAL_MEMORY_GET_HANDLE(&memory);
        crowd blocked;  // which keeps the scheduler from its end
        blocked.ult(own, [e] { EXPECT_EQ(ABT_eventual_wait(e, nullptr), ABT_SUCCESS); });
        {
            const shared_streams streams(ABTX_STARTED_MOVE);
            EXPECT_EQ(ABT_pool_add_sched(streams.pool(), s), ABT_SUCCESS);
            make_wander(own, streams.pool());
            EXPECT_EQ(ABT_sched_exit(s), ABT_SUCCESS);
            yield_until([&] { return s == ABT_SCHED_NULL || ABT_sched_free(&s) == ABT_SUCCESS; });
        }
        EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS);
        expect_free_for_a_stream(own);
        blocked.join();
        EXPECT_EQ(ABT_pool_free(&own), ABT_SUCCESS);
    }
}

TEST_P(wandering_sched, takes_blocked_units_along) {
    const runtime r;
    ABT_pool own = make_pool(GetParam(), ABTX_STARTED_MOVE);
    ABT_eventual_memory memory = ABT_EVENTUAL_INITIALIZER;
    ABT_eventual e = ABT_EVENTUAL_MEMORY_GET_HANDLE(&memory);
    ABT_sched s = make_basic_sched(own);
    const shared_streams streams(ABTX_STARTED_MOVE);
    crowd all;
    std::atomic<int> woken{0};
    for (int i = 0; i < 4; ++i) {
        all.ult(own, [&, e] {
            EXPECT_EQ(ABT_eventual_wait(e, nullptr), ABT_SUCCESS);
            ABT_thread_yield();
            woken.fetch_add(1);
        });
    }
    EXPECT_EQ(ABT_pool_add_sched(streams.pool(), s), ABT_SUCCESS);
    make_wander(own, streams.pool());
    EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS);
    all.join();
    EXPECT_EQ(woken.load(), 4);
    yield_until([&] { return s == ABT_SCHED_NULL || ABT_sched_free(&s) == ABT_SUCCESS; });
    EXPECT_EQ(ABT_pool_free(&own), ABT_SUCCESS);
}

// --- main

TEST(main_sched, is_replaced_under_the_caller) {
    const runtime r(1);
    ABT_xstream self = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_self(&self), ABT_SUCCESS);
    for (const ABT_sched_predef each :
         {ABT_SCHED_PRIO, ABT_SCHED_RANDWS, ABT_SCHED_BASIC_WAIT, ABT_SCHED_BASIC}) {
        std::atomic<int> ran{0};
        crowd all;
        all.ult(first_pool_of(self), [&] { ran.fetch_add(1); });
        EXPECT_EQ(ABT_xstream_set_main_sched_basic(self, each, 0, nullptr), ABT_SUCCESS);
        EXPECT_EQ(ran.load(), 1);  // the old one ends when its pools are empty
        all.join();
        ABT_pool home = ABT_POOL_NULL;
        EXPECT_EQ(ABT_self_get_last_pool(&home), ABT_SUCCESS);
        EXPECT_EQ(home, first_pool_of(self));
        crowd more;
        more.ult(first_pool_of(self), [&] { ran.fetch_add(1); });
        more.join();
        EXPECT_EQ(ran.load(), 2);
    }
}

void await_request_to_end(ABT_xstream x) {
    ABT_sched s = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_xstream_get_main_sched(x, &s), ABT_SUCCESS);
    for (ABT_bool stop = ABT_FALSE; stop == ABT_FALSE;) {
        EXPECT_EQ(ABT_sched_has_to_stop(s, &stop), ABT_SUCCESS);
    }
}

TEST(main_sched, ends_although_the_one_before_was_asked_to) {
    const runtime r;
    for (int round = 0; round < 5; ++round) {
        ABT_xstream x = ABT_XSTREAM_NULL;
        EXPECT_EQ(ABT_xstream_create(ABT_SCHED_NULL, &x), ABT_SUCCESS);
        std::atomic<bool> runs{false};
        crowd all;
        all.ult(first_pool_of(x), [&runs, x] {
            runs = true;
            await_request_to_end(x);
            EXPECT_EQ(ABT_xstream_set_main_sched_basic(x, ABT_SCHED_BASIC, 0, nullptr),
                      ABT_SUCCESS);
        });
        yield_until([&runs] { return runs.load(); });
        EXPECT_EQ(ABT_xstream_join(x), ABT_SUCCESS);
        all.join();
        EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    }
}

// Whenever it is asked: the request must not go to a scheduler that has just been replaced, and is
// gone.
TEST(main_sched, is_replaced_while_others_join_its_stream) {
    const runtime r;
    for (int round = 0; round < 30; ++round) {
        ABT_xstream x = ABT_XSTREAM_NULL;
        EXPECT_EQ(ABT_xstream_create(ABT_SCHED_NULL, &x), ABT_SUCCESS);
        std::atomic<int> replaced{0};
        crowd all;
        all.ult(first_pool_of(x), [&replaced, x] {
            for (int i = 0; i < 20; ++i) {
                EXPECT_EQ(ABT_xstream_set_main_sched_basic(x, ABT_SCHED_BASIC, 0, nullptr),
                          ABT_SUCCESS);
                ++replaced;
            }
        });
        yield_until([&] { return replaced.load() > round % 15; });
        EXPECT_EQ(ABT_xstream_join(x), ABT_SUCCESS);
        all.join();
        EXPECT_EQ(replaced.load(), 20);
        EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    }
}

TEST(xstream, has_a_rank_of_its_own) {
    const runtime r(2);
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create_with_rank(ABT_SCHED_NULL, 0, &x), ABT_ERR_INV_XSTREAM_RANK);
    EXPECT_EQ(x, ABT_XSTREAM_NULL);
    EXPECT_EQ(ABT_xstream_create_with_rank(ABT_SCHED_NULL, -3, &x), ABT_ERR_INV_XSTREAM_RANK);
    EXPECT_EQ(ABT_xstream_create_with_rank(ABT_SCHED_NULL, 7, &x), ABT_SUCCESS);
    int rank = 0;
    EXPECT_EQ(ABT_xstream_get_rank(x, &rank), ABT_SUCCESS);
    EXPECT_EQ(rank, 7);
    EXPECT_EQ(ABT_xstream_set_rank(x, 1), ABT_ERR_INV_XSTREAM_RANK);
    EXPECT_EQ(ABT_xstream_set_rank(x, 9), ABT_SUCCESS);
    int count = 0;
    EXPECT_EQ(ABT_xstream_get_num(&count), ABT_SUCCESS);
    EXPECT_EQ(count, 4);
    crowd all;
    std::atomic<int> seen{-1};
    all.ult(first_pool_of(x), [&] {
        int mine = -1;
        ABT_self_get_xstream_rank(&mine);
        seen = mine;
    });
    all.join();
    EXPECT_EQ(seen.load(), 9);
    EXPECT_EQ(ABT_xstream_revive(x), ABT_ERR_INV_XSTREAM);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
}

TEST(xstream, is_cancelled_although_its_pools_are_not_empty) {
    const runtime r;
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create(ABT_SCHED_NULL, &x), ABT_SUCCESS);
    static std::atomic<bool> runs;
    static std::atomic<bool> stop;
    runs = stop = false;
    const auto forever = [](void*) {
        runs = true;
        while (!stop) {
            ABT_thread_yield();
        }
    };
    ABT_thread t[2] = {};
    const ABT_pool p = first_pool_of(x);
    for (ABT_thread& each : t) {
        EXPECT_EQ(ABT_thread_create(p, forever, nullptr, ABT_THREAD_ATTR_NULL, &each), ABT_SUCCESS);
    }
    yield_until([] { return runs.load(); });
    EXPECT_EQ(ABT_xstream_cancel(x), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_join(x), ABT_SUCCESS);
    stop = true;
    EXPECT_EQ(ABT_xstream_revive(x), ABT_SUCCESS);
    for (ABT_thread& each : t) {
        EXPECT_EQ(ABT_thread_free(&each), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
}

TEST(runtime_life, counts_its_users_and_starts_again) {
    EXPECT_EQ(ABT_initialized(), ABT_ERR_UNINITIALIZED);
    EXPECT_EQ(ABT_finalize(), ABT_ERR_UNINITIALIZED);
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(ABT_init(0, nullptr), ABT_SUCCESS);
        EXPECT_EQ(ABT_init(0, nullptr), ABT_SUCCESS);
        EXPECT_EQ(ABT_initialized(), ABT_SUCCESS);
        EXPECT_EQ(ABT_finalize(), ABT_SUCCESS);
        std::thread([] { EXPECT_EQ(ABT_finalize(), ABT_ERR_INV_XSTREAM); }).join();
        EXPECT_EQ(ABT_finalize(), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_initialized(), ABT_ERR_UNINITIALIZED);
}

}  // namespace
}  // namespace lazult::testing
