// SPDX-License-Identifier: BSD-3-Clause
// What goes beyond Argobots.
#include "support.hpp"

#include <array>
#include <cmath>

namespace lazult::testing {
namespace {

const timespec out_of_range{1, 1'000'000'000};

TEST(techniques, are_kept_in_attributes) {
    const runtime r;
    ABT_thread_attr attr = ABT_THREAD_ATTR_NULL;
    EXPECT_EQ(ABT_thread_attr_create(&attr), ABT_SUCCESS);
    for (int number = ABTX_TECHNIQUE_ADAPTIVE; number <= ABTX_TECHNIQUE_RUN_TO_COMPLETION;
         ++number) {
        const auto wanted = static_cast<ABTX_technique>(number);
        auto got = ABTX_TECHNIQUE_ADAPTIVE;
        EXPECT_EQ(ABTX_thread_attr_set_technique(attr, wanted), ABT_SUCCESS);
        EXPECT_EQ(ABTX_thread_attr_get_technique(attr, &got), ABT_SUCCESS);
        EXPECT_EQ(got, wanted);
        int ran = 0;
        ABT_thread t = ABT_THREAD_NULL;
        EXPECT_EQ(ABT_thread_create(
                      r.pool(0), [](void* n) { ++*static_cast<int*>(n); }, &ran, attr, &t),
                  ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
        EXPECT_EQ(ran, 1);
    }
    EXPECT_EQ(ABTX_thread_attr_set_technique(attr, static_cast<ABTX_technique>(7)),
              ABT_ERR_INV_ARG);
    EXPECT_EQ(ABTX_thread_attr_set_technique(attr, static_cast<ABTX_technique>(-1)),
              ABT_ERR_INV_ARG);
    EXPECT_EQ(ABT_thread_attr_free(&attr), ABT_SUCCESS);
}

TEST(sleep, lets_others_run) {
    EXPECT_EQ(ABTX_thread_sleep_for(0.001), ABT_ERR_UNINITIALIZED);
    const runtime r;
    std::atomic<int> asleep{0};
    const auto began = now();
    crowd all;
    for (int i = 0; i < 20; ++i) {
        all.ult(r.pool(0), [&] {
            asleep.fetch_add(1);
            EXPECT_EQ(ABTX_thread_sleep_for(0.05), ABT_SUCCESS);
            EXPECT_EQ(asleep.load(), 20);
        });
    }
    all.join();
    EXPECT_GE(ms_since(began), 45);
    EXPECT_LT(ms_since(began), 900);
}

TEST(sleep, wakes_at_a_time_and_refuses_what_is_none) {
    const runtime r;
    const auto began = now();
    const timespec soon = in_ms(20);
    EXPECT_EQ(ABTX_thread_sleep_until(&soon), ABT_SUCCESS);
    EXPECT_GE(ms_since(began), 15);
    const timespec past{1, 0};
    EXPECT_EQ(ABTX_thread_sleep_until(&past), ABT_SUCCESS);
    EXPECT_EQ(ABTX_thread_sleep_until(&out_of_range), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABTX_thread_sleep_for(std::nan("")), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABTX_thread_sleep_for(-1), ABT_SUCCESS);
    crowd all;
    all.tasklet(r.pool(0), [&] {
        EXPECT_EQ(ABTX_thread_sleep_for(0.001), ABT_ERR_INV_THREAD);
        EXPECT_EQ(ABTX_thread_sleep_until(&past), ABT_ERR_INV_THREAD);
    });
    all.thread([&] { EXPECT_EQ(ABTX_thread_sleep_for(0.001), ABT_SUCCESS); });
    all.join();
}

TEST(timed_lock, gives_up_in_time) {
    const runtime r;
    std::array<ABT_mutex_memory, 2> memory = {ABT_mutex_memory ABT_MUTEX_INITIALIZER,
                                              ABT_mutex_memory ABT_RECURSIVE_MUTEX_INITIALIZER};
    for (ABT_mutex_memory& each : memory) {
        ABT_mutex m = ABT_MUTEX_MEMORY_GET_HANDLE(&each);
        EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
        crowd all;
        all.ult(r.pool(0), [&] {
            const auto began = now();
            const timespec soon = in_ms(20);
            EXPECT_EQ(ABTX_mutex_timedlock(m, &soon), ABT_ERR_COND_TIMEDOUT);
            EXPECT_GE(ms_since(began), 15);
            EXPECT_EQ(ABTX_mutex_timedlock(m, &out_of_range), ABT_ERR_INV_ARG);
        });
        all.join();
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
        const timespec past{1, 0};
        EXPECT_EQ(ABTX_mutex_timedlock(m, &past), ABT_SUCCESS);
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    }
}

// A ULT that ends when told to.
struct held_ult {
    std::atomic<bool> may_end{false};
    ABT_thread thread = ABT_THREAD_NULL;

    explicit held_ult(ABT_pool where) {
        EXPECT_EQ(ABT_thread_create(where, run, this, ABT_THREAD_ATTR_NULL, &thread), ABT_SUCCESS);
    }
    static void run(void* self) {
        while (!static_cast<held_ult*>(self)->may_end) {
            ABTX_thread_sleep_for(0.001);
        }
    }
};

TEST(timed_join, leaves_the_unit_to_be_joined_later) {
    const runtime r(1);
    for (int stream = 0; stream < 2; ++stream) {
        held_ult u(r.pool(stream));
        const timespec soon = in_ms(20);
        EXPECT_EQ(ABTX_thread_timedjoin(u.thread, &soon), ABT_ERR_COND_TIMEDOUT);
        EXPECT_EQ(ABTX_thread_timedjoin(u.thread, &out_of_range), ABT_ERR_INV_ARG);
        u.may_end = true;
        const timespec later = in_ms(5000);
        EXPECT_EQ(ABTX_thread_timedjoin(u.thread, &later), ABT_SUCCESS);
        EXPECT_EQ(ABT_thread_free(&u.thread), ABT_SUCCESS);
    }
    ABT_thread self = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_self(&self), ABT_SUCCESS);
    const timespec soon = in_ms(1);
    EXPECT_EQ(ABTX_thread_timedjoin(self, &soon), ABT_ERR_INV_THREAD);
}

TEST(join_any, takes_them_as_they_end) {
    const runtime r(1);
    std::array<std::unique_ptr<held_ult>, 3> ults;
    std::array<ABT_thread, 4> list{};
    for (std::size_t i = 0; i < 3; ++i) {
        ults[i] = std::make_unique<held_ult>(r.pool(static_cast<int>(i % 2)));
        list[i] = ults[i]->thread;
    }
    list[3] = ABT_THREAD_NULL;
    for (const std::size_t next : {2U, 0U, 1U}) {
        ults[next]->may_end = true;
        int index = 7;
        EXPECT_EQ(ABTX_thread_join_any(4, list.data(), &index), ABT_SUCCESS);
        ASSERT_EQ(index, static_cast<int>(next));
        EXPECT_EQ(ABT_thread_free(&list[next]), ABT_SUCCESS);
    }
    int index = 7;
    EXPECT_EQ(ABTX_thread_join_any(4, list.data(), &index), ABT_ERR_INV_THREAD);
    EXPECT_EQ(index, -1);
    EXPECT_EQ(ABTX_thread_join_any(-1, list.data(), &index), ABT_ERR_INV_ARG);
}

TEST(wait_any, waits_for_units_and_eventuals) {
    const runtime r(1);
    ABT_eventual_memory memory = ABT_EVENTUAL_INITIALIZER;
    ABT_eventual e = ABT_EVENTUAL_MEMORY_GET_HANDLE(&memory);
    held_ult u(r.pool(1));
    std::array<ABTX_wait_item, 3> items{};
    items[0].kind = ABTX_WAIT_EVENTUAL;
    items[0].handle.eventual = ABT_EVENTUAL_NULL;
    items[1].kind = ABTX_WAIT_THREAD;
    items[1].handle.thread = u.thread;
    items[2].kind = ABTX_WAIT_EVENTUAL;
    items[2].handle.eventual = e;
    int index = 7;
    const timespec soon = in_ms(10);
    EXPECT_EQ(ABTX_wait_any(3, items.data(), &soon, &index), ABT_ERR_COND_TIMEDOUT);
    EXPECT_EQ(index, -1);
    crowd all;
    all.ult(r.pool(0), [&] { EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS); });
    EXPECT_EQ(ABTX_wait_any(3, items.data(), nullptr, &index), ABT_SUCCESS);
    EXPECT_EQ(index, 2);
    EXPECT_EQ(ABT_eventual_reset(e), ABT_SUCCESS);
    u.may_end = true;
    EXPECT_EQ(ABTX_wait_any(3, items.data(), nullptr, &index), ABT_SUCCESS);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(ABT_thread_free(&u.thread), ABT_SUCCESS);
    items[1].handle.thread = ABT_THREAD_NULL;
    items[2].kind = static_cast<ABTX_wait_kind>(2);
    EXPECT_EQ(ABTX_wait_any(3, items.data(), nullptr, &index), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABTX_wait_any(2, items.data(), nullptr, &index), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABTX_wait_any(-1, items.data(), nullptr, &index), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABTX_wait_any(2, items.data(), &out_of_range, &index), ABT_ERR_INV_ARG);
}

TEST(wait_any, tasklets_wait_for_units_and_not_for_eventuals) {
    const runtime r(1);
    ABT_eventual_memory memory = ABT_EVENTUAL_INITIALIZER;
    ABTX_wait_item item{};
    item.kind = ABTX_WAIT_EVENTUAL;
    item.handle.eventual = ABT_EVENTUAL_MEMORY_GET_HANDLE(&memory);
    crowd all;
    all.tasklet(r.pool(0), [&] {
        int index = 7;
        EXPECT_EQ(ABTX_wait_any(1, &item, nullptr, &index), ABT_ERR_EVENTUAL);
        EXPECT_EQ(ABT_eventual_set(item.handle.eventual, nullptr, 0), ABT_SUCCESS);
        EXPECT_EQ(ABTX_wait_any(1, &item, nullptr, &index), ABT_SUCCESS);
    });
    all.join();
}

}  // namespace
}  // namespace lazult::testing
