// SPDX-License-Identifier: BSD-3-Clause
// What the calling unit learns about itself, and how it gives way.
#include "support.hpp"

#include <string>

namespace lazult::testing {
namespace {

TEST(self, knows_what_it_is) {
    ABT_unit_type type = ABT_UNIT_TYPE_THREAD;
    EXPECT_EQ(ABT_self_get_type(&type), ABT_ERR_UNINITIALIZED);
    EXPECT_EQ(type, ABT_UNIT_TYPE_EXT);
    const runtime r(1);
    crowd all;
    EXPECT_EQ(ABT_self_get_type(&type), ABT_SUCCESS);
    EXPECT_EQ(type, ABT_UNIT_TYPE_THREAD);
    ABT_bool yes = ABT_FALSE;
    EXPECT_EQ(ABT_self_is_primary(&yes), ABT_SUCCESS);
    EXPECT_EQ(yes, ABT_TRUE);
    all.tasklet(r.pool(1), [] {
        ABT_unit_type mine = ABT_UNIT_TYPE_EXT;
        EXPECT_EQ(ABT_self_get_type(&mine), ABT_SUCCESS);
        EXPECT_EQ(mine, ABT_UNIT_TYPE_TASK);
        ABT_thread t = nullptr;
        EXPECT_EQ(ABT_thread_self(&t), ABT_ERR_INV_THREAD);
        EXPECT_EQ(t, ABT_THREAD_NULL);
        ABT_bool primary = ABT_TRUE;
        EXPECT_EQ(ABT_self_on_primary_xstream(&primary), ABT_SUCCESS);
        EXPECT_EQ(primary, ABT_FALSE);
        EXPECT_EQ(ABT_self_yield(), ABT_ERR_INV_THREAD);
        EXPECT_EQ(ABT_thread_yield(), ABT_SUCCESS);
    });
    all.thread([] {
        ABT_unit_type mine = ABT_UNIT_TYPE_THREAD;
        EXPECT_EQ(ABT_self_get_type(&mine), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(mine, ABT_UNIT_TYPE_EXT);
        ABT_thread t = nullptr;
        EXPECT_EQ(ABT_thread_self(&t), ABT_ERR_INV_XSTREAM);
        EXPECT_EQ(t, ABT_THREAD_NULL);
        EXPECT_EQ(ABT_self_yield(), ABT_ERR_INV_XSTREAM);
    });
}

TEST(self, changes_its_argument) {
    const runtime r;
    crowd all;
    int other = 0;
    all.ult(r.pool(0), [&] {
        void* found = nullptr;
        EXPECT_EQ(ABT_self_get_arg(&found), ABT_SUCCESS);
        EXPECT_NE(found, nullptr);
        EXPECT_EQ(ABT_self_set_arg(&other), ABT_SUCCESS);
        EXPECT_EQ(ABT_self_get_arg(&found), ABT_SUCCESS);
        EXPECT_EQ(found, &other);
    });
}

TEST(self, suspends_until_it_is_resumed) {
    const runtime r(1);
    crowd all;
    for (int i = 0; i < 2; ++i) {
        const ABT_thread t = all.ult(r.pool(i), [] {
            for (int n = 0; n < 50; ++n) {
                EXPECT_EQ(ABT_self_suspend(), ABT_SUCCESS);
            }
        });
        for (int n = 0; n < 50;) {
            ABT_thread_state s = ABT_THREAD_STATE_READY;
            EXPECT_EQ(ABT_thread_get_state(t, &s), ABT_SUCCESS);
            if (s == ABT_THREAD_STATE_BLOCKED) {
                EXPECT_EQ(ABT_thread_resume(t), ABT_SUCCESS);
                ++n;
            }
            ABT_thread_yield();
        }
    }
    EXPECT_EQ(ABT_thread_resume(ABT_THREAD_NULL), ABT_ERR_INV_THREAD);
}

// The order in which three ULTs of the primary stream come to run after `a` has named `c`.
std::string order_after(const runtime& r, int (*go)(ABT_thread)) {
    std::string order;
    ABT_thread a = ABT_THREAD_NULL;
    ABT_thread c = ABT_THREAD_NULL;
    crowd all;
    const ABT_pool pool = r.pool(0);
    a = all.ult(pool, [&] {
        order += 'a';
        ABT_thread popped = ABT_THREAD_NULL;
        ABT_thread first = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_pool_pop_thread(pool, &first), ABT_SUCCESS);
        EXPECT_EQ(ABT_pool_pop_thread(pool, &popped), ABT_SUCCESS);
        while (popped != c) {
            EXPECT_EQ(ABT_pool_push_thread(pool, popped), ABT_SUCCESS);
            EXPECT_EQ(ABT_pool_pop_thread(pool, &popped), ABT_SUCCESS);
        }
        EXPECT_EQ(ABT_pool_push_thread(pool, first), ABT_SUCCESS);
        EXPECT_EQ(go(c), ABT_SUCCESS);
        order += 'A';
    });
    all.ult(pool, [&] { order += 'b'; });
    c = all.ult(pool, [&] {
        order += 'c';
        ABT_thread_state s = ABT_THREAD_STATE_READY;
        EXPECT_EQ(ABT_thread_get_state(a, &s), ABT_SUCCESS);
        if (s == ABT_THREAD_STATE_BLOCKED) {
            EXPECT_EQ(ABT_thread_resume(a), ABT_SUCCESS);
        }
    });
    yield_until([&] { return order.find('c') != order.npos && order.find('b') != order.npos; });
    all.join();
    return order;
}

TEST(self, hands_the_stream_to_a_named_ult) {
    const runtime r;
    EXPECT_EQ(order_after(r, ABT_self_yield_to).substr(0, 2), "ac");
    EXPECT_EQ(order_after(r, ABT_self_suspend_to).substr(0, 2), "ac");
    EXPECT_EQ(order_after(r, ABT_self_exit_to).substr(0, 2), "ac");
}

TEST(self, yield_to_takes_a_ult_out_of_its_pool) {
    const runtime r;
    std::string order;
    ABT_thread c = ABT_THREAD_NULL;
    crowd all;
    const ABT_thread a = all.ult(r.pool(0), [&] {
        order += 'a';
        EXPECT_EQ(ABT_thread_yield_to(c), ABT_SUCCESS);
        order += 'A';
    });
    all.ult(r.pool(0), [&] { order += 'b'; });
    c = all.ult(r.pool(0), [&] { order += 'c'; });
    yield_until([&] { return order.size() == 4; });
    EXPECT_EQ(order, "acbA");
    EXPECT_EQ(ABT_thread_yield_to(a), ABT_SUCCESS) << "it has ended: nothing happens";
}

TEST(self, resumes_and_gives_way_at_once) {
    const runtime r;
    for (int (*go)(ABT_thread) :
         {ABT_self_resume_yield_to, ABT_self_resume_suspend_to, ABT_self_resume_exit_to}) {
        std::string order;
        crowd all;
        ABT_thread second = ABT_THREAD_NULL;
        const ABT_thread first = all.ult(r.pool(0), [&] {
            EXPECT_EQ(ABT_self_suspend(), ABT_SUCCESS);
            order += '1';
            ABT_thread_state s = ABT_THREAD_STATE_READY;
            EXPECT_EQ(ABT_thread_get_state(second, &s), ABT_SUCCESS);
            if (s == ABT_THREAD_STATE_BLOCKED) {
                EXPECT_EQ(ABT_thread_resume(second), ABT_SUCCESS);
            }
        });
        ABT_thread_state s = ABT_THREAD_STATE_READY;
        yield_until([&] {
            ABT_thread_get_state(first, &s);
            return s == ABT_THREAD_STATE_BLOCKED;
        });
        second = all.ult(r.pool(0), [&] {
            EXPECT_EQ(go(first), ABT_SUCCESS);
            order += '2';
        });
        all.join();
        EXPECT_EQ(order, go == ABT_self_resume_exit_to ? "1" : "12");
    }
}

TEST(self, schedules_what_it_has_popped) {
    const runtime r;
    ABT_pool pool = ABT_POOL_NULL;
    ASSERT_EQ(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool),
              ABT_SUCCESS);
    int runs = 0;
    {
        crowd all;
        for (int i = 0; i < 10; ++i) {
            all.ult(pool, [&] {
                ABT_thread_yield();
                ++runs;
            });
        }
        while (runs < 10) {
            ABT_thread t = ABT_THREAD_NULL;
            EXPECT_EQ(ABT_pool_pop_thread(pool, &t), ABT_SUCCESS);
            EXPECT_EQ(ABT_self_schedule(t, ABT_POOL_NULL), ABT_SUCCESS);
        }
    }
    EXPECT_EQ(ABT_pool_free(&pool), ABT_SUCCESS);
}

}  // namespace
}  // namespace lazult::testing
