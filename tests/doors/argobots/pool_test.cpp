// SPDX-License-Identifier: BSD-3-Clause
// Pools, the library's and users', and the units in them.
#include "support.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace lazult::testing {
namespace {

ABT_pool make_pool(ABT_pool_kind kind, ABT_pool_access access) {
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABT_pool_create_basic(kind, access, ABT_FALSE, &p), ABT_SUCCESS);
    return p;
}

std::size_t size_of(ABT_pool p) {
    std::size_t size = 99;
    EXPECT_EQ(ABT_pool_get_size(p, &size), ABT_SUCCESS);
    return size;
}

ABT_thread make_thread(ABT_pool p) {
    ABT_thread t = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_create(p, nothing, nullptr, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    return t;
}

void run_and_free(ABT_thread t, ABT_pool p) {
    EXPECT_EQ(ABT_self_schedule(t, p), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
}

// --- the library's

struct builtin {
    ABT_pool_kind kind;
    ABT_pool_access access;
};

class builtin_pool : public ::testing::TestWithParam<builtin> {};

INSTANTIATE_TEST_SUITE_P(all, builtin_pool,
                         ::testing::Values(builtin{ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV},
                                           builtin{ABT_POOL_FIFO, ABT_POOL_ACCESS_MPSC},
                                           builtin{ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC},
                                           builtin{ABT_POOL_FIFO_WAIT, ABT_POOL_ACCESS_MPMC},
                                           builtin{ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC}));

TEST_P(builtin_pool, gives_back_what_was_pushed) {
    const runtime r;
    ABT_pool p = make_pool(GetParam().kind, GetParam().access);
    const ABT_thread first = make_thread(p);
    const ABT_thread second = make_thread(p);
    EXPECT_EQ(size_of(p), 2U);
    ABT_thread popped = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_pool_pop_thread(p, &popped), ABT_SUCCESS);
    EXPECT_TRUE(popped == first || popped == second);
    EXPECT_EQ(ABT_pool_push_thread(p, popped), ABT_SUCCESS);
    ABT_thread both[3] = {};
    std::size_t count = 0;
    EXPECT_EQ(ABT_pool_pop_threads(p, both, 3, &count), ABT_SUCCESS);
    EXPECT_EQ(count, 2U);
    ABT_bool empty = ABT_FALSE;
    EXPECT_EQ(ABT_pool_is_empty(p, &empty), ABT_SUCCESS);
    EXPECT_EQ(empty, ABT_TRUE);
    EXPECT_EQ(ABT_pool_pop_thread(p, &popped), ABT_SUCCESS);
    EXPECT_EQ(popped, ABT_THREAD_NULL);
    run_and_free(first, p);
    run_and_free(second, p);
    EXPECT_EQ(ABT_pool_free(&p), ABT_SUCCESS);
    EXPECT_EQ(p, ABT_POOL_NULL);
}

TEST_P(builtin_pool, removes_and_shows_units) {
    const runtime r;
    ABT_pool p = make_pool(GetParam().kind, GetParam().access);
    ABT_thread all[3] = {make_thread(p), make_thread(p), make_thread(p)};
    ABT_unit unit = ABT_UNIT_NULL;
    EXPECT_EQ(ABT_thread_get_unit(all[1], &unit), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_remove(p, unit), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_remove(p, unit), ABT_ERR_POOL);
    std::vector<ABT_thread> shown;
    const auto show = [](void* into, ABT_thread t) {
        static_cast<std::vector<ABT_thread>*>(into)->push_back(t);
    };
    EXPECT_EQ(ABT_pool_print_all_threads(p, &shown, show), ABT_SUCCESS);
    EXPECT_EQ(shown.size(), 2U);
    EXPECT_EQ(std::count(shown.begin(), shown.end(), all[1]), 0);
    EXPECT_EQ(size_of(p), 2U);
    ABT_thread rest[2] = {};
    std::size_t count = 0;
    EXPECT_EQ(ABT_pool_pop_threads(p, rest, 2, &count), ABT_SUCCESS);
    for (const ABT_thread t : all) {
        run_and_free(t, p);
    }
    EXPECT_EQ(ABT_pool_free(&p), ABT_SUCCESS);
}

TEST_P(builtin_pool, is_waited_in_for_a_while) {
    const runtime r;
    ABT_pool p = make_pool(GetParam().kind, GetParam().access);
    ABT_thread popped = nullptr;
    const auto began = now();
    EXPECT_EQ(ABT_pool_pop_wait_thread(p, &popped, 0.03), ABT_SUCCESS);
    EXPECT_EQ(popped, ABT_THREAD_NULL);
    EXPECT_GE(ms_since(began), 29);
    std::thread pusher([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        make_thread(p);
    });
    EXPECT_EQ(ABT_pool_pop_wait_thread(p, &popped, 30.0), ABT_SUCCESS);
    EXPECT_NE(popped, ABT_THREAD_NULL);
    pusher.join();
    EXPECT_LT(ms_since(began), 10'000);
    run_and_free(popped, p);
    EXPECT_EQ(ABT_pool_free(&p), ABT_SUCCESS);
}

TEST(pool, counts_units_that_will_come_back) {
    const runtime r;
    crowd all;
    const ABT_thread t = all.ult(r.pool(0), [] { ABT_self_suspend(); });
    ABT_thread_state state = ABT_THREAD_STATE_READY;
    yield_until([&] {
        return ABT_thread_get_state(t, &state) == ABT_SUCCESS && state == ABT_THREAD_STATE_BLOCKED;
    });
    std::size_t total = 0;
    EXPECT_EQ(size_of(r.pool(0)), 0U);
    EXPECT_EQ(ABT_pool_get_total_size(r.pool(0), &total), ABT_SUCCESS);
    EXPECT_EQ(total, 1U);
    EXPECT_EQ(ABT_thread_resume(t), ABT_SUCCESS);
}

// --- private pools: their client pops threads and gives them away

ABT_pool make_private() {
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_PRIV, ABT_TRUE, &p),
              ABT_SUCCESS);
    return p;
}

void serve_here(ABT_pool p) {
    ABT_xstream self = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_self(&self), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_set_main_sched_basic(self, ABT_SCHED_BASIC, 1, &p), ABT_SUCCESS);
}

ABT_thread create_and_pop(ABT_pool p) {
    ABT_thread t = ABT_THREAD_NULL;
    ABT_thread popped = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_create(p, [](void*) {}, nullptr, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_pop_thread(p, &popped), ABT_SUCCESS);
    EXPECT_EQ(popped, t);
    return t;
}

void await(const std::function<bool()>& holds) {
    while (!holds()) {
        std::this_thread::yield();
    }
}

TEST(private_pool, a_popped_thread_ends_elsewhere_while_it_is_joined) {
    const runtime r(1);
    const ABT_pool mine = make_private();
    serve_here(mine);
    std::atomic<ABT_thread> given{nullptr};
    std::atomic<bool> stop{false};
    crowd all;
    all.ult(r.pool(1), [&] {
        while (!stop) {
            if (ABT_thread t = given.exchange(nullptr); t != nullptr) {
                EXPECT_EQ(ABT_self_schedule(t, ABT_POOL_NULL), ABT_SUCCESS);
            }
        }
    });
    for (int i = 0; i < 5000; ++i) {
        ABT_thread t = create_and_pop(mine);
        given = t;
        await([&] { return given.load() == nullptr; });
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    }
    stop = true;
}

// Each stream creates a thread, and runs and frees the other's.
struct exchange_of_threads {
    ABT_pool pools[2] = {make_private(), make_private()};
    std::atomic<ABT_thread> offers[2] = {nullptr, nullptr};

    void once(int me) {
        auto& mine = offers[me];
        auto& theirs = offers[1 - me];
        mine = create_and_pop(pools[me]);
        await([&] { return theirs.load() != nullptr; });
        ABT_thread taken = theirs;
        EXPECT_EQ(ABT_pool_push_thread(pools[me], taken), ABT_SUCCESS);
        theirs = nullptr;
        await([&] { return mine.load() == nullptr; });
        EXPECT_EQ(ABT_thread_free(&taken), ABT_SUCCESS);
    }
    void often(int me) {
        for (int i = 0; i < 3000; ++i) {
            once(me);
        }
    }
};

TEST(private_pool, takes_a_thread_that_was_popped_from_another) {
    const runtime r;
    exchange_of_threads all;
    serve_here(all.pools[0]);
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(
        ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &all.pools[1], ABT_SCHED_CONFIG_NULL, &x),
        ABT_SUCCESS);
    crowd other;
    other.ult(all.pools[1], [&all] { all.often(1); });
    all.often(0);
    other.join();
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
}

TEST(pool, refuses_what_is_none) {
    const runtime r;
    ABT_pool p = r.pool(0);
    EXPECT_EQ(
        ABT_pool_create_basic(static_cast<ABT_pool_kind>(3), ABT_POOL_ACCESS_MPMC, ABT_FALSE, &p),
        ABT_ERR_INV_POOL_KIND);
    EXPECT_EQ(p, ABT_POOL_NULL);
    EXPECT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, static_cast<ABT_pool_access>(7), ABT_FALSE, &p),
              ABT_ERR_INV_POOL_ACCESS);
    EXPECT_EQ(ABT_pool_create(ABT_POOL_USER_DEF_NULL, ABT_POOL_CONFIG_NULL, &p),
              ABT_ERR_INV_POOL_USER_DEF);
    p = make_pool(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC);
    const ABT_pool freed = p;
    EXPECT_EQ(ABT_pool_free(&p), ABT_SUCCESS);
    p = freed;
    EXPECT_EQ(ABT_pool_free(&p), ABT_ERR_INV_POOL);
    EXPECT_EQ(ABT_pool_push_thread(freed, ABT_THREAD_NULL), ABT_ERR_INV_POOL);
    ABT_thread t = ABT_THREAD_NULL;
    int on_stack = 0;
    EXPECT_EQ(ABT_unit_get_thread(reinterpret_cast<ABT_unit>(&on_stack), &t), ABT_ERR_INV_UNIT);
    EXPECT_EQ(ABT_unit_get_thread(ABT_UNIT_NULL, &t), ABT_ERR_INV_UNIT);
}

// --- users'

// First in first out, with units of its own or the handles themselves. It records the calls that it
// gets.
struct users_pool {
    struct unit {
        ABT_thread thread;
    };

    std::mutex lock;
    std::deque<ABT_unit> queue;
    std::vector<ABT_pool_context> pushes;
    int live_units = 0;
    bool units_are_handles = false;
    bool refuses_units = false;

    ABT_pool pool = ABT_POOL_NULL;

    static users_pool& of(ABT_pool p) {
        void* data = nullptr;
        EXPECT_EQ(ABT_pool_get_data(p, &data), ABT_SUCCESS);
        return *static_cast<users_pool*>(data);
    }
    static ABT_unit create_unit(ABT_pool p, ABT_thread t) {
        users_pool& me = of(p);
        const std::scoped_lock hold(me.lock);
        if (me.refuses_units) {
            return ABT_UNIT_NULL;
        }
        ++me.live_units;
        return me.units_are_handles ? reinterpret_cast<ABT_unit>(t)
                                    : reinterpret_cast<ABT_unit>(new unit{t});
    }
    static void free_unit(ABT_pool p, ABT_unit u) {
        users_pool& me = of(p);
        const std::scoped_lock hold(me.lock);
        --me.live_units;
        if (!me.units_are_handles) {
            delete reinterpret_cast<unit*>(u);
        }
    }
    static ABT_bool is_empty(ABT_pool p) {
        const std::scoped_lock hold(of(p).lock);
        return of(p).queue.empty() ? ABT_TRUE : ABT_FALSE;
    }
    static ABT_thread pop(ABT_pool p, ABT_pool_context) {
        users_pool& me = of(p);
        const std::scoped_lock hold(me.lock);
        if (me.queue.empty()) {
            return ABT_THREAD_NULL;
        }
        const ABT_unit u = me.queue.front();
        me.queue.pop_front();
        return me.units_are_handles ? reinterpret_cast<ABT_thread>(u)
                                    : reinterpret_cast<unit*>(u)->thread;
    }
    static void push(ABT_pool p, ABT_unit u, ABT_pool_context context) {
        users_pool& me = of(p);
        const std::scoped_lock hold(me.lock);
        me.queue.push_back(u);
        me.pushes.push_back(context);
    }

    users_pool(bool handles) : units_are_handles(handles) {
        ABT_pool_user_def def = ABT_POOL_USER_DEF_NULL;
        EXPECT_EQ(ABT_pool_user_def_create(create_unit, free_unit, is_empty, pop, push, &def),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &pool), ABT_SUCCESS);
        EXPECT_EQ(ABT_pool_set_data(pool, this), ABT_SUCCESS);
        EXPECT_EQ(ABT_pool_user_def_free(&def), ABT_SUCCESS);
    }
    users_pool(const users_pool&) = delete;
    users_pool& operator=(const users_pool&) = delete;
};

class user_pool_test : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(units, user_pool_test, ::testing::Bool());

TEST_P(user_pool_test, has_a_unit_for_each_of_its_threads) {
    const runtime r;
    users_pool mine(GetParam());
    ABT_thread t = make_thread(mine.pool);
    EXPECT_EQ(mine.live_units, 1);
    ABT_unit unit = ABT_UNIT_NULL;
    EXPECT_EQ(ABT_thread_get_unit(t, &unit), ABT_SUCCESS);
    ABT_thread found = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_unit_get_thread(unit, &found), ABT_SUCCESS);
    EXPECT_EQ(found, t);
    ABT_unit popped = ABT_UNIT_NULL;
    EXPECT_EQ(ABT_pool_pop(mine.pool, &popped), ABT_SUCCESS);
    EXPECT_EQ(popped, unit);
    // In a pool of the library's it needs none.
    EXPECT_EQ(ABT_pool_push(r.pool(0), popped), ABT_SUCCESS);
    EXPECT_EQ(mine.live_units, 0);
    if (!GetParam()) {
        EXPECT_EQ(ABT_unit_get_thread(unit, &found), ABT_ERR_INV_UNIT);
    }
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&mine.pool), ABT_SUCCESS);
}

TEST_P(user_pool_test, hears_why_a_unit_is_pushed) {
    const runtime r;
    users_pool mine(GetParam());
    ABT_thread t = ABT_THREAD_NULL;
    const auto body = [](void*) {
        ABT_self_yield();
        ABT_self_suspend();
    };
    EXPECT_EQ(ABT_thread_create(mine.pool, body, nullptr, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    const auto run_next = [&] {
        ABT_thread next = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_pool_pop_thread(mine.pool, &next), ABT_SUCCESS);
        EXPECT_EQ(next, t);
        EXPECT_EQ(ABT_self_schedule(next, ABT_POOL_NULL), ABT_SUCCESS);
    };
    run_next();
    run_next();
    EXPECT_EQ(ABT_thread_resume(t), ABT_SUCCESS);
    run_next();
    EXPECT_EQ(mine.pushes, (std::vector<ABT_pool_context>{ABT_POOL_CONTEXT_OP_THREAD_CREATE,
                                                          ABT_POOL_CONTEXT_OP_THREAD_YIELD,
                                                          ABT_POOL_CONTEXT_OP_THREAD_RESUME}));
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(mine.live_units, 0);
    EXPECT_EQ(ABT_pool_free(&mine.pool), ABT_SUCCESS);
}

TEST_P(user_pool_test, may_have_no_memory_for_a_unit) {
    const runtime r;
    users_pool mine(GetParam());
    mine.refuses_units = true;
    ABT_thread t = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_create(mine.pool, nothing, nullptr, ABT_THREAD_ATTR_NULL, &t),
              ABT_ERR_UNIT);
    EXPECT_EQ(t, ABT_THREAD_NULL);
    ABT_pool other = make_pool(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC);
    t = make_thread(other);
    ABT_thread popped = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_pool_pop_thread(other, &popped), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_push_thread(mine.pool, t), ABT_ERR_UNIT);
    ABT_pool home = ABT_POOL_NULL;
    EXPECT_EQ(ABT_thread_get_last_pool(t, &home), ABT_SUCCESS);
    EXPECT_EQ(home, other);
    run_and_free(t, ABT_POOL_NULL);
    EXPECT_EQ(ABT_pool_free(&other), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_free(&mine.pool), ABT_SUCCESS);
}

TEST_P(user_pool_test, serves_a_stream_of_its_own) {
    const runtime r;
    users_pool mine(GetParam());
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &mine.pool, ABT_SCHED_CONFIG_NULL, &x),
              ABT_SUCCESS);
    std::atomic<int> ran{0};
    {
        crowd all;
        for (int i = 0; i < 200; ++i) {
            all.ult(mine.pool, [&] {
                ABT_thread_yield();
                ran.fetch_add(1);
            });
        }
    }
    EXPECT_EQ(ran.load(), 200);
    EXPECT_EQ(ABT_xstream_free(&x), ABT_SUCCESS);
    EXPECT_EQ(mine.live_units, 0);
    EXPECT_EQ(ABT_pool_free(&mine.pool), ABT_SUCCESS);
}

TEST(user_pool, is_freed_with_its_last_scheduler_if_automatic) {
    const runtime r;
    static int freed = 0;
    freed = 0;
    ABT_pool_user_def def = ABT_POOL_USER_DEF_NULL;
    EXPECT_EQ(
        ABT_pool_user_def_create(users_pool::create_unit, users_pool::free_unit,
                                 users_pool::is_empty, users_pool::pop, users_pool::push, &def),
        ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_user_def_set_free(def, [](ABT_pool) { ++freed; }), ABT_SUCCESS);
    ABT_pool_config config = ABT_POOL_CONFIG_NULL;
    EXPECT_EQ(ABT_pool_config_create(&config), ABT_SUCCESS);
    const int yes = 1;
    EXPECT_EQ(ABT_pool_config_set(config, ABT_pool_config_automatic.key,
                                  ABT_pool_config_automatic.type, &yes),
              ABT_SUCCESS);
    ABT_pool p = ABT_POOL_NULL;
    EXPECT_EQ(ABT_pool_create(def, config, &p), ABT_SUCCESS);
    ABT_sched one = ABT_SCHED_NULL;
    ABT_sched two = ABT_SCHED_NULL;
    EXPECT_EQ(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &p, ABT_SCHED_CONFIG_NULL, &one),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_sched_create_basic(ABT_SCHED_BASIC, 1, &p, ABT_SCHED_CONFIG_NULL, &two),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_sched_free(&one), ABT_SUCCESS);
    EXPECT_EQ(freed, 0);
    EXPECT_EQ(ABT_sched_free(&two), ABT_SUCCESS);
    EXPECT_EQ(freed, 1);
    EXPECT_EQ(ABT_pool_config_free(&config), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_user_def_free(&def), ABT_SUCCESS);
}

// --- settings

TEST(config, keeps_values_of_all_types) {
    ABT_pool_config config = ABT_POOL_CONFIG_NULL;
    EXPECT_EQ(ABT_pool_config_create(&config), ABT_SUCCESS);
    for (int key = 0; key < 20; ++key) {
        const double value = key + 0.5;
        EXPECT_EQ(ABT_pool_config_set(config, key, ABT_POOL_CONFIG_DOUBLE, &value), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_pool_config_set(config, 3, ABT_POOL_CONFIG_PTR, &config), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_config_set(config, 4, ABT_POOL_CONFIG_INT, nullptr), ABT_SUCCESS);
    EXPECT_EQ(ABT_pool_config_set(config, 5, static_cast<ABT_pool_config_type>(3), &config),
              ABT_ERR_INV_ARG);
    double real = 0;
    ABT_pool_config_type type = ABT_POOL_CONFIG_INT;
    EXPECT_EQ(ABT_pool_config_get(config, 19, &type, &real), ABT_SUCCESS);
    EXPECT_EQ(type, ABT_POOL_CONFIG_DOUBLE);
    EXPECT_EQ(real, 19.5);
    EXPECT_EQ(ABT_pool_config_get(config, 3, &type, nullptr), ABT_SUCCESS);
    EXPECT_EQ(type, ABT_POOL_CONFIG_PTR);
    EXPECT_EQ(ABT_pool_config_get(config, 4, nullptr, nullptr), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABT_pool_config_free(&config), ABT_SUCCESS);
    EXPECT_EQ(config, ABT_POOL_CONFIG_NULL);
    EXPECT_EQ(ABT_pool_config_free(&config), ABT_ERR_INV_POOL_CONFIG);
}

TEST(config, is_read_by_number) {
    const ABT_sched_config_var first = {0, ABT_SCHED_CONFIG_INT};
    const ABT_sched_config_var third = {2, ABT_SCHED_CONFIG_PTR};
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
    int here = 0;
    EXPECT_EQ(ABT_sched_config_create(&config, first, 7, third, &here, ABT_sched_config_var_end),
              ABT_SUCCESS);
    int number = 0;
    double untouched = 1.5;
    void* pointer = nullptr;
    EXPECT_EQ(ABT_sched_config_read(config, 3, &number, &untouched, &pointer), ABT_SUCCESS);
    EXPECT_EQ(number, 7);
    EXPECT_EQ(untouched, 1.5);
    EXPECT_EQ(pointer, &here);
    EXPECT_EQ(ABT_sched_config_free(&config), ABT_SUCCESS);
    const ABT_sched_config_var wrong = {0, static_cast<ABT_sched_config_type>(3)};
    EXPECT_EQ(ABT_sched_config_create(&config, wrong, 7, ABT_sched_config_var_end),
              ABT_ERR_INV_ARG);
}

}  // namespace
}  // namespace lazult::testing
