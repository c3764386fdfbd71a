// SPDX-License-Identifier: BSD-3-Clause
// The life of ULTs and tasklets.
#include "support.hpp"

#include <cstring>
#include <set>

namespace lazult::testing {
namespace {

void add_one(void* count) { static_cast<std::atomic<int>*>(count)->fetch_add(1); }

ABT_pool own_pool() {
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABT_self_get_last_pool(&p), ABT_SUCCESS);
    return p;
}

ABT_thread_state state_of(ABT_thread t) {
    ABT_thread_state s = ABT_THREAD_STATE_READY;
    EXPECT_EQ(ABT_thread_get_state(t, &s), ABT_SUCCESS);
    return s;
}

TEST(thread, runs_once_and_is_freed) {
    const runtime r(1);
    std::atomic<int> runs{0};
    for (int i = 0; i < r.streams(); ++i) {
        ABT_thread t = ABT_THREAD_NULL;
        ASSERT_EQ(ABT_thread_create(r.pool(i), add_one, &runs, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_join(t), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_join(t), ABT_SUCCESS) << "again";
        EXPECT_EQ(state_of(t), ABT_THREAD_STATE_TERMINATED);
        const ABT_thread freed = t;
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
        EXPECT_EQ(t, ABT_THREAD_NULL);
        EXPECT_EQ(ABT_thread_join(freed), ABT_ERR_INV_THREAD);
    }
    EXPECT_EQ(runs.load(), 2);
}

TEST(thread, without_a_name_frees_itself) {
    const runtime r(1);
    std::atomic<int> runs{0};
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(ABT_thread_create(r.pool(i % 2), add_one, &runs, ABT_THREAD_ATTR_NULL, nullptr),
                  ABT_SUCCESS);
        ASSERT_EQ(ABT_task_create(r.pool(i % 2), add_one, &runs, nullptr), ABT_SUCCESS);
    }
    yield_until([&] { return runs.load() == 2000; });
}

TEST(thread, many_are_created_joined_and_freed) {
    const runtime r(1);
    constexpr int count = 100;
    std::atomic<int> runs{0};
    std::vector<ABT_pool> pools;
    std::vector<void (*)(void*)> bodies(count, add_one);
    std::vector<void*> arguments(count, &runs);
    std::vector<ABT_thread> threads(count, ABT_THREAD_NULL);
    for (int i = 0; i < count; ++i) {
        pools.push_back(r.pool(i % 2));
    }
    ASSERT_EQ(ABT_thread_create_many(count, pools.data(), bodies.data(), arguments.data(),
                                     ABT_THREAD_ATTR_NULL, threads.data()),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_join_many(count, threads.data()), ABT_SUCCESS);
    EXPECT_EQ(runs.load(), count);
    ASSERT_EQ(ABT_thread_free(&threads[3]), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_join_many(count, threads.data()), ABT_SUCCESS) << "one is null";
    EXPECT_EQ(ABT_thread_free_many(count, threads.data()), ABT_SUCCESS);
    for (const ABT_thread each : threads) {
        EXPECT_EQ(each, ABT_THREAD_NULL);
    }
}

void add_one_after_a_turn(void* count) {
    EXPECT_EQ(ABT_thread_yield(), ABT_SUCCESS);
    add_one(count);
}

// Some of the list run at once where they are joined, others wait, are elsewhere, are gone or have
// ended.
TEST(thread, many_of_all_kinds_are_joined_and_freed) {
    const runtime r(1);
    constexpr int count = 60;
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> runs{0};
        std::vector<ABT_pool> pools;
        std::vector<void (*)(void*)> bodies;
        std::vector<void*> arguments(count, &runs);
        std::vector<ABT_thread> threads(count, ABT_THREAD_NULL);
        for (int i = 0; i < count; ++i) {
            pools.push_back(i % 7 == round % 7 ? r.pool(1) : own_pool());
            bodies.push_back(i % 5 == round % 5 ? add_one_after_a_turn : add_one);
        }
        ASSERT_EQ(ABT_thread_create_many(count, pools.data(), bodies.data(), arguments.data(),
                                         ABT_THREAD_ATTR_NULL, threads.data()),
                  ABT_SUCCESS);
        const int gone = round % count;
        ASSERT_EQ(ABT_thread_free(&threads[static_cast<std::size_t>(gone)]), ABT_SUCCESS);
        if (round % 2 == 0) {
            EXPECT_EQ(ABT_thread_join_many(count, threads.data()), ABT_SUCCESS);
            EXPECT_EQ(runs.load(), count);
            for (int i = 0; i < count; ++i) {
                EXPECT_TRUE(i == gone || state_of(threads[static_cast<std::size_t>(i)]) ==
                                             ABT_THREAD_STATE_TERMINATED);
            }
        }
        EXPECT_EQ(ABT_thread_free_many(count, threads.data()), ABT_SUCCESS);
        EXPECT_EQ(runs.load(), count);
        for (const ABT_thread each : threads) {
            EXPECT_EQ(each, ABT_THREAD_NULL);
        }
    }
}

TEST(thread, the_caller_and_the_primary_cannot_be_joined) {
    const runtime r;
    ABT_thread primary = ABT_THREAD_NULL;
    ASSERT_EQ(ABT_thread_self(&primary), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_join(primary), ABT_ERR_INV_THREAD);
    ABT_thread copy = primary;
    EXPECT_EQ(ABT_thread_free(&copy), ABT_ERR_INV_THREAD);
    EXPECT_EQ(copy, primary);
    EXPECT_EQ(ABT_thread_cancel(primary), ABT_ERR_INV_THREAD);
    crowd all;
    all.ult(r.pool(0), [&] {
        ABT_thread self = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_self_get_thread(&self), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_join(self), ABT_ERR_INV_THREAD);
        EXPECT_EQ(ABT_thread_join(primary), ABT_ERR_INV_THREAD);
    });
}

TEST(thread, a_tasklet_and_an_external_thread_may_join_too) {
    const runtime r(1);
    crowd all;
    const auto create_and_free = [&] {
        std::atomic<int> runs{0};
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_thread_create(r.pool(1), add_one, &runs, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
        EXPECT_EQ(runs.load(), 1);
    };
    const ABT_pool elsewhere = r.pool(1);
    all.tasklet(r.pool(0), [=] {
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_thread_create(elsewhere, nothing, nullptr, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    });
    all.join();
    create_and_free();
    all.thread([=] {
        std::atomic<int> runs{0};
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_thread_create(elsewhere, add_one, &runs, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
        EXPECT_EQ(runs.load(), 1);
    });
}

TEST(thread, is_revived_with_another_function) {
    const runtime r(1);
    std::atomic<int> first{0};
    std::atomic<int> second{0};
    ABT_thread t = ABT_THREAD_NULL;
    ABT_task k = ABT_TASK_NULL;
    ASSERT_EQ(ABT_thread_create(r.pool(0), add_one, &first, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    ASSERT_EQ(ABT_task_create(r.pool(0), add_one, &first, &k), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_revive(r.pool(1), add_one, &second, &t), ABT_ERR_INV_THREAD)
        << "it has not ended";
    EXPECT_EQ(ABT_task_revive(r.pool(1), add_one, &second, &k), ABT_ERR_INV_TASK);
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(ABT_thread_join(t), ABT_SUCCESS);
        ASSERT_EQ(ABT_task_join(k), ABT_SUCCESS);
        ASSERT_EQ(ABT_thread_revive(r.pool(i % 2), add_one, &second, &t), ABT_SUCCESS);
        ASSERT_EQ(ABT_task_revive(r.pool(i % 2), add_one, &second, &k), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(ABT_task_free(&k), ABT_SUCCESS);
    EXPECT_EQ(first.load(), 2);
    EXPECT_EQ(second.load(), 200);
}

TEST(thread, cancelled_before_its_start_never_runs) {
    const runtime r;
    std::atomic<int> runs{0};
    ABT_thread t = ABT_THREAD_NULL;
    ASSERT_EQ(ABT_thread_create(r.pool(0), add_one, &runs, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_cancel(t), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(runs.load(), 0);
}

TEST(thread, cancelled_while_it_runs_ends_where_it_gives_way) {
    const runtime r;
    crowd all;
    std::atomic<bool> started{false};
    const ABT_thread t = all.ult(r.pool(0), [&] {
        for (;;) {
            started = true;
            ABT_thread_yield();
        }
    });
    yield_until([&] { return started.load(); });
    EXPECT_EQ(ABT_thread_cancel(t), ABT_SUCCESS);
}

struct sentry {
    std::atomic<int>& count;
    ~sentry() { count.fetch_add(1); }
};

TEST(thread, exits_anywhere_and_unwinds) {
    const runtime r;
    std::atomic<int> unwound{0};
    std::atomic<int> passed{0};
    crowd all;
    all.ult(r.pool(0), [&] {
        const sentry s{unwound};
        ABT_self_exit();
        passed = 1;
    });
    all.ult(r.pool(0), [&] {
        const sentry s{unwound};
        ABT_thread_yield();
        ABT_thread_exit();
        passed = 1;
    });
    all.tasklet(r.pool(0), [&] { EXPECT_EQ(ABT_self_exit(), ABT_ERR_INV_THREAD); });
    all.join();
    EXPECT_EQ(unwound.load(), 2);
    EXPECT_EQ(passed.load(), 0);
    EXPECT_EQ(ABT_self_exit(), ABT_ERR_INV_THREAD) << "the primary";
    std::thread([] { EXPECT_EQ(ABT_self_exit(), ABT_ERR_INV_XSTREAM); }).join();
}

TEST(thread, tells_what_it_is) {
    const runtime r(1);
    crowd all;
    int value = 0;
    ABT_thread t = ABT_THREAD_NULL;
    ASSERT_EQ(ABT_thread_create(r.pool(1), nothing, &value, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    ASSERT_EQ(ABT_thread_join(t), ABT_SUCCESS);
    void* argument = nullptr;
    void (*body)(void*) = nullptr;
    ABT_pool pool = ABT_POOL_NULL;
    ABT_xstream where = ABT_XSTREAM_NULL;
    ABT_bool yes = ABT_FALSE;
    int rank = -1;
    EXPECT_EQ(ABT_thread_get_arg(t, &argument), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_get_thread_func(t, &body), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_get_last_pool(t, &pool), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_get_last_xstream(t, &where), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_is_migratable(t, &yes), ABT_SUCCESS);
    EXPECT_EQ(argument, &value);
    EXPECT_EQ(body, nothing);
    EXPECT_EQ(pool, r.pool(1));
    EXPECT_EQ(ABT_xstream_get_rank(where, &rank), ABT_SUCCESS);
    EXPECT_EQ(rank, 1);
    EXPECT_EQ(yes, ABT_TRUE);
    EXPECT_EQ(ABT_thread_set_migratable(t, ABT_FALSE), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_is_migratable(t, &yes), ABT_SUCCESS);
    EXPECT_EQ(yes, ABT_FALSE);
    EXPECT_EQ(ABT_thread_migrate_to_pool(t, r.pool(0)), ABT_ERR_INV_THREAD);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
}

TEST(thread, of_main_runs_on_the_primary_stream_from_the_start) {
    const runtime r;
    ABT_thread self = ABT_THREAD_NULL;
    ABT_xstream here = ABT_XSTREAM_NULL;
    ABT_xstream where = ABT_XSTREAM_NULL;
    ASSERT_EQ(ABT_thread_self(&self), ABT_SUCCESS);
    ASSERT_EQ(ABT_xstream_self(&here), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_get_last_xstream(self, &where), ABT_SUCCESS);
    EXPECT_EQ(where, here);
}

TEST(thread, becomes_the_null_of_its_own_kind_when_it_is_freed) {
    const runtime r(2);
    for (const int pool : {0, 1}) {  // in place, and on another stream
        ABT_thread t = ABT_THREAD_NULL;
        ABT_task task = ABT_TASK_NULL;
        ASSERT_EQ(ABT_thread_create(r.pool(pool), nothing, nullptr, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        ASSERT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
        EXPECT_EQ(t, ABT_THREAD_NULL);
        ASSERT_EQ(ABT_task_create(r.pool(pool), nothing, nullptr, &task), ABT_SUCCESS);
        ASSERT_EQ(ABT_task_free(&task), ABT_SUCCESS);
        EXPECT_EQ(task, ABT_TASK_NULL);
    }
}

// --- a ULT with a new pool leaves when it yields, even if no other unit is ready on its stream

struct home_of_its_own {
    ABT_xstream x = ABT_XSTREAM_NULL;
    ABT_pool pool = ABT_POOL_NULL;
    int rank = -1;

    home_of_its_own(ABT_sched_predef how, ABT_pool_kind kind, ABT_pool_access access) {
        EXPECT_EQ(ABT_pool_create_basic(kind, access, ABT_TRUE, &pool), ABT_SUCCESS);
        EXPECT_EQ(ABT_xstream_create_basic(how, 1, &pool, ABT_SCHED_CONFIG_NULL, &x), ABT_SUCCESS);
        EXPECT_EQ(ABT_xstream_get_rank(x, &rank), ABT_SUCCESS);
    }
    ~home_of_its_own() { EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS); }

    void move_here() const {
        int now = -1;
        EXPECT_EQ(ABT_self_set_associated_pool(pool), ABT_SUCCESS);
        EXPECT_EQ(ABT_self_yield(), ABT_SUCCESS);
        EXPECT_EQ(ABT_self_get_xstream_rank(&now), ABT_SUCCESS);
        EXPECT_EQ(now, rank);
    }
};

struct kind_of_home {
    ABT_sched_predef how;
    ABT_pool_kind kind;
    ABT_pool_access access;
};

TEST(thread, goes_where_its_new_pool_is_with_its_next_yield) {
    for (const kind_of_home& each :
         {kind_of_home{ABT_SCHED_BASIC, ABT_POOL_FIFO, ABT_POOL_ACCESS_MPSC},
          kind_of_home{ABT_SCHED_BASIC, ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC},
          kind_of_home{ABT_SCHED_PRIO, ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC},
          kind_of_home{ABT_SCHED_RANDWS, ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC},
          kind_of_home{ABT_SCHED_BASIC_WAIT, ABT_POOL_FIFO_WAIT, ABT_POOL_ACCESS_MPMC}}) {
        const runtime r(2);
        const home_of_its_own one(each.how, each.kind, each.access);
        const home_of_its_own two(each.how, each.kind, each.access);
        crowd all;
        all.ult(one.pool, [&] {
            for (int i = 0; i < 500; ++i) {
                two.move_here();
                one.move_here();
            }
        });
        all.join();
    }
}

// Many units of one list: those of the creator's pool begin in one way, those of another stream's
// pool in another.
TEST(thread, many_are_created_in_pools_of_several_kinds_by_one_call) {
    for (const kind_of_home& each :
         {kind_of_home{ABT_SCHED_RANDWS, ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC},
          kind_of_home{ABT_SCHED_BASIC, ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV}}) {
        const runtime r(2);
        const home_of_its_own home(each.how, each.kind, each.access);
        crowd all;
        all.ult(home.pool, [&] {
            constexpr int count = 60;
            for (int round = 0; round < 20; ++round) {
                std::array<std::atomic<int>, count> runs{};
                std::vector<ABT_pool> pools;
                std::vector<void (*)(void*)> bodies(count, add_one);
                std::vector<void*> arguments;
                std::vector<ABT_thread> threads(count, ABT_THREAD_NULL);
                for (int i = 0; i < count; ++i) {
                    pools.push_back(i % 7 == round % 7 ? r.pool(1) : home.pool);
                    arguments.push_back(&runs[static_cast<std::size_t>(i)]);
                }
                ASSERT_EQ(
                    ABT_thread_create_many(count, pools.data(), bodies.data(), arguments.data(),
                                           ABT_THREAD_ATTR_NULL, threads.data()),
                    ABT_SUCCESS);
                EXPECT_EQ(ABT_thread_free_many(count, threads.data()), ABT_SUCCESS);
                for (const std::atomic<int>& one : runs) {
                    EXPECT_EQ(one.load(), 1);
                }
                EXPECT_EQ(ABT_thread_create_many(0, nullptr, nullptr, nullptr, ABT_THREAD_ATTR_NULL,
                                                 threads.data()),
                          ABT_SUCCESS);
            }
        });
        all.join();
    }
}

TEST(thread, goes_to_the_default_pool_of_another_stream_and_back) {
    const runtime r(1);
    crowd all;
    all.ult(r.pool(1), [&] {
        for (int i = 0; i < 500; ++i) {
            for (const int stream : {0, 1}) {
                int rank = -1;
                EXPECT_EQ(ABT_self_set_associated_pool(r.pool(stream)), ABT_SUCCESS);
                EXPECT_EQ(ABT_self_yield(), ABT_SUCCESS);
                EXPECT_EQ(ABT_self_get_xstream_rank(&rank), ABT_SUCCESS);
                EXPECT_EQ(rank, stream);
            }
        }
    });
    all.join();
}

// The first one suspended because somebody stood before the unit; to the second one it is the next
// in line.
TEST(thread, is_joined_by_two_of_its_stream) {
    const runtime r;
    for (const ABT_pool_access access : {ABT_POOL_ACCESS_MPSC, ABT_POOL_ACCESS_MPMC}) {
        const home_of_its_own home(ABT_SCHED_BASIC, ABT_POOL_FIFO, access);
        crowd all;
        all.ult(home.pool, [&] {
            ABT_thread awaited = ABT_THREAD_NULL;
            int done = 0;
            crowd joiners;
            for (int i = 0; i < 2; ++i) {
                joiners.ult(home.pool, [&] {
                    EXPECT_EQ(ABT_thread_join(awaited), ABT_SUCCESS);
                    ++done;
                });
            }
            ASSERT_EQ(
                ABT_thread_create(home.pool, nothing, nullptr, ABT_THREAD_ATTR_NULL, &awaited),
                ABT_SUCCESS);
            yield_until([&] { return done == 2; });
            EXPECT_EQ(ABT_thread_free(&awaited), ABT_SUCCESS);
        });
    }
}

struct nested_wait {
    ABT_pool own = ABT_POOL_NULL;
    ABT_pool joiners = ABT_POOL_NULL;
    ABT_thread child = ABT_THREAD_NULL;
    ABT_eventual resumes_child = ABT_EVENTUAL_NULL;
    std::atomic<bool> child_waits{false};
};

void wait_for_eventual(void* all) {
    auto& me = *static_cast<nested_wait*>(all);
    me.child_waits = true;
    EXPECT_EQ(ABT_eventual_wait(me.resumes_child, nullptr), ABT_SUCCESS);
}

void free_child_of_own_pool(void* all) {
    auto& me = *static_cast<nested_wait*>(all);
    EXPECT_EQ(ABT_thread_create(me.own, wait_for_eventual, all, ABT_THREAD_ATTR_NULL, &me.child),
              ABT_SUCCESS);
    ABT_thread child = me.child;
    EXPECT_EQ(ABT_thread_free(&child), ABT_SUCCESS);
}

bool is_blocked(ABT_thread t) {
    ABT_thread_state state = ABT_THREAD_STATE_READY;
    EXPECT_EQ(ABT_thread_get_state(t, &state), ABT_SUCCESS);
    return state == ABT_THREAD_STATE_BLOCKED;
}

// The joiner calls a child of another pool in its own place. The joiner's pool must count the
// joiner meanwhile: a scheduler that finds the pool's total size 0 may end.
TEST(thread, a_joiner_counts_in_its_pool_while_its_child_waits_in_its_place) {
    const runtime r;
    nested_wait all;
    ASSERT_EQ(ABT_eventual_create(0, &all.resumes_child), ABT_SUCCESS);
    ASSERT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &all.own),
              ABT_SUCCESS);
    ASSERT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &all.joiners),
              ABT_SUCCESS);
    ABT_pool pools[] = {all.own, all.joiners};
    ABT_xstream stream = ABT_XSTREAM_NULL;
    ASSERT_EQ(ABT_xstream_create_basic(ABT_SCHED_BASIC, 2, pools, ABT_SCHED_CONFIG_NULL, &stream),
              ABT_SUCCESS);
    ABT_thread joiner = ABT_THREAD_NULL;
    ASSERT_EQ(
        ABT_thread_create(all.joiners, free_child_of_own_pool, &all, ABT_THREAD_ATTR_NULL, &joiner),
        ABT_SUCCESS);
    yield_until([&] { return all.child_waits.load() && is_blocked(all.child); });
    std::size_t units = 99;
    EXPECT_EQ(ABT_pool_get_total_size(all.joiners, &units), ABT_SUCCESS);
    EXPECT_EQ(units, 1U);
    EXPECT_EQ(ABT_eventual_set(all.resumes_child, nullptr, 0), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_free(&joiner), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_free(&stream), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_free(&all.resumes_child), ABT_SUCCESS);
}

TEST(thread, has_never_run_anywhere_at_first) {
    const runtime r;
    crowd all;
    for (int i = 0; i < 2; ++i) {
        const ABT_thread t = all.ult(r.pool(0), [] {});
        ABT_xstream where = nullptr;
        EXPECT_EQ(ABT_thread_get_last_xstream(t, &where), ABT_SUCCESS);
        EXPECT_EQ(where, ABT_XSTREAM_NULL);
        EXPECT_EQ(state_of(t), ABT_THREAD_STATE_READY);
        all.join();
    }
}

TEST(thread, ids_differ) {
    const runtime r(1);
    crowd all;
    std::set<ABT_unit_id> ids;
    for (int i = 0; i < 100; ++i) {
        ABT_unit_id id = 0;
        ABT_unit_id again = 1;
        const ABT_thread t = i % 3 == 0 ? all.tasklet(r.pool(0), [] {}) : all.ult(r.pool(1), [] {});
        EXPECT_EQ(ABT_thread_get_id(t, &id), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_get_id(t, &again), ABT_SUCCESS);
        EXPECT_EQ(id, again);
        ids.insert(id);
    }
    EXPECT_EQ(ids.size(), 100U);
}

TEST(thread, a_child_that_goes_first_has_run_when_its_creator_goes_on) {
    const runtime r;
    crowd all;
    for (int i = 0; i < 2; ++i) {
        std::atomic<int> runs{0};
        ABT_thread t = ABT_THREAD_NULL;
        ASSERT_EQ(ABT_thread_create_to(own_pool(), add_one, &runs, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        EXPECT_EQ(runs.load(), 1);
        ASSERT_EQ(ABT_thread_join(t), ABT_SUCCESS);
        ASSERT_EQ(ABT_thread_revive_to(own_pool(), add_one, &runs, &t), ABT_SUCCESS);
        EXPECT_EQ(runs.load(), 2);
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
        ASSERT_EQ(ABT_thread_create_to(own_pool(), add_one, &runs, ABT_THREAD_ATTR_NULL, nullptr),
                  ABT_SUCCESS);
        EXPECT_EQ(runs.load(), 3);
    }
    std::thread([p = r.pool(0)] {
        ABT_thread t = nullptr;
        EXPECT_EQ(ABT_thread_create_to(p, nothing, nullptr, ABT_THREAD_ATTR_NULL, &t),
                  ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(t, nullptr) << "left as it was";
    }).join();
    all.tasklet(r.pool(0), [&] {
        EXPECT_EQ(ABT_thread_create_to(r.pool(0), nothing, nullptr, ABT_THREAD_ATTR_NULL, nullptr),
                  ABT_ERR_INV_THREAD);
    });
}

TEST(thread, attributes_give_stack_and_callback) {
    const runtime r(1);
    crowd all;
    ABT_thread_attr attr = ABT_THREAD_ATTR_NULL;
    ASSERT_EQ(ABT_thread_attr_create(&attr), ABT_SUCCESS);
    for (const std::size_t size :
         {std::size_t{100'000}, std::size_t{131'072}, std::size_t{16'384}}) {
        ASSERT_EQ(ABT_thread_attr_set_stacksize(attr, size), ABT_SUCCESS);
        ABT_thread t = ABT_THREAD_NULL;
        ASSERT_EQ(ABT_thread_create(r.pool(1), nothing, nullptr, attr, &t), ABT_SUCCESS);
        std::size_t found = 0;
        EXPECT_EQ(ABT_thread_get_stacksize(t, &found), ABT_SUCCESS);
        EXPECT_EQ(found, size);
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_thread_attr_free(&attr), ABT_SUCCESS);
}

TEST(thread, runs_on_the_users_stack_again_and_again) {
    const runtime r;
    std::vector<std::max_align_t> memory(8192);
    const std::size_t bytes = memory.size() * sizeof(memory[0]);
    ABT_thread_attr attr = ABT_THREAD_ATTR_NULL;
    ASSERT_EQ(ABT_thread_attr_create(&attr), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_attr_set_stack(attr, reinterpret_cast<char*>(memory.data()) + 4, bytes),
              ABT_ERR_INV_ARG);
    ASSERT_EQ(ABT_thread_attr_set_stack(attr, memory.data(), bytes), ABT_SUCCESS);
    struct stack_range {
        const void* low;
        const void* high;
        bool is_inside;
    } found{memory.data(), memory.data() + memory.size(), false};
    const auto look = [](void* p) {
        auto& at = *static_cast<stack_range*>(p);
        ABT_thread_yield();
        // AddressSanitizer keeps local variables elsewhere
        const void* here = __builtin_frame_address(0);
        at.is_inside = here >= at.low && here < at.high;
    };
    ABT_thread t = ABT_THREAD_NULL;
    ASSERT_EQ(ABT_thread_create(r.pool(0), look, &found, attr, &t), ABT_SUCCESS);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(ABT_thread_join(t), ABT_SUCCESS);
        EXPECT_TRUE(found.is_inside);
        found.is_inside = false;
        ASSERT_EQ(ABT_thread_revive(r.pool(0), look, &found, &t), ABT_SUCCESS);
    }
    void* base = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(ABT_thread_get_stack(t, &base, &size), ABT_SUCCESS);
    EXPECT_EQ(base, memory.data());
    EXPECT_EQ(size, bytes);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_create_many(1, nullptr, nullptr, nullptr, attr, nullptr),
              ABT_ERR_INV_THREAD_ATTR);
    EXPECT_EQ(ABT_thread_attr_free(&attr), ABT_SUCCESS);
}

TEST(thread, migrates_by_request) {
    const runtime r(1);
    crowd all;
    std::atomic<int> moved{0};
    std::atomic<bool> go{false};
    int rank = -1;
    const ABT_thread t = all.ult(r.pool(0), [&] {
        while (!go) {
            ABT_thread_yield();
        }
        EXPECT_EQ(ABT_self_get_xstream_rank(&rank), ABT_SUCCESS);
    });
    ASSERT_EQ(ABT_thread_set_callback(
                  t, [](ABT_thread, void* count) { add_one(count); }, &moved),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_migrate_to_pool(t, r.pool(0)), ABT_ERR_MIGRATION_TARGET);
    EXPECT_EQ(ABT_thread_migrate_to_pool(t, r.pool(1)), ABT_SUCCESS);
    yield_until([&] { return moved.load() == 1; });
    go = true;
    all.join();
    EXPECT_EQ(rank, 1);
}

// --- each of two streams moves the other one's unit, at the same time

struct movers_side {
    ABT_xstream x = ABT_XSTREAM_NULL;
    ABT_pool pool = ABT_POOL_NULL;
    std::atomic<ABT_thread> sleeper{nullptr};
    std::atomic<int> rounds{0};

    movers_side() {
        EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPSC, ABT_TRUE, &pool),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &x),
                  ABT_SUCCESS);
    }
    ~movers_side() { EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS); }

    // On its stream: so the unit is for this stream alone to end, until it moves.
    ABT_thread make_sleeper() {
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_thread_create(
                      pool, [](void*) { ABT_self_suspend(); }, nullptr, ABT_THREAD_ATTR_NULL, &t),
                  ABT_SUCCESS);
        ABT_thread_state state = ABT_THREAD_STATE_READY;
        while (state != ABT_THREAD_STATE_BLOCKED) {
            ABT_thread_yield();
            EXPECT_EQ(ABT_thread_get_state(t, &state), ABT_SUCCESS);
        }
        return t;
    }
    void move_from(movers_side& other, int round) {
        ABT_thread mine = make_sleeper();
        sleeper = mine;
        rounds = round;
        while (other.rounds.load() < round) {
            std::this_thread::yield();
        }
        ABT_thread theirs = other.sleeper.load();
        EXPECT_EQ(ABT_thread_set_associated_pool(theirs, pool), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_resume(theirs), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_free(&mine), ABT_SUCCESS);
    }
};

TEST(pools_of_units, are_changed_by_two_streams_for_each_others_units) {
    const runtime r;
    movers_side one;
    movers_side two;
    crowd all;
    for (movers_side* each : {&one, &two}) {
        all.ult(each->pool, [each, other = each == &one ? &two : &one] {
            for (int round = 1; round <= 100; ++round) {
                each->move_from(*other, round);
            }
        });
    }
    all.join();
}

}  // namespace
}  // namespace lazult::testing
