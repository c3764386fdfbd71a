// SPDX-License-Identifier: BSD-3-Clause
// Values that each unit has for itself.
#include "support.hpp"

namespace lazult::testing {
namespace {

std::atomic<int> destroyed{0};
void count_destruction(void*) { destroyed.fetch_add(1); }

void* as_value(std::uintptr_t n) { return reinterpret_cast<void*>(n); }

TEST(key, values_differ_by_unit_and_are_destroyed_when_it_is_freed) {
    const runtime r(1);
    destroyed = 0;
    ABT_key key = ABT_KEY_NULL;
    ASSERT_EQ(ABT_key_create(count_destruction, &key), ABT_SUCCESS);
    {
        crowd all;
        for (std::uintptr_t i = 1; i <= 20; ++i) {
            const auto body = [=] {
                void* value = as_value(99);
                EXPECT_EQ(ABT_key_get(key, &value), ABT_SUCCESS);
                EXPECT_EQ(value, nullptr);
                EXPECT_EQ(ABT_key_set(key, as_value(i)), ABT_SUCCESS);
                ABT_thread_yield();
                EXPECT_EQ(ABT_self_get_specific(key, &value), ABT_SUCCESS);
                EXPECT_EQ(value, as_value(i));
            };
            const ABT_thread t =
                i % 2 == 0 ? all.ult(r.pool(0), body) : all.tasklet(r.pool(1), body);
            EXPECT_EQ(ABT_thread_join(t), ABT_SUCCESS);
            EXPECT_EQ(destroyed.load(), 0) << "not at its end";
            void* value = nullptr;
            EXPECT_EQ(ABT_thread_get_specific(t, key, &value), ABT_SUCCESS);
            EXPECT_EQ(value, as_value(i));
        }
    }
    EXPECT_EQ(destroyed.load(), 20);
    EXPECT_EQ(ABT_key_free(&key), ABT_SUCCESS);
    EXPECT_EQ(key, ABT_KEY_NULL);
}

TEST(key, a_freed_one_still_destroys) {
    const runtime r;
    destroyed = 0;
    ABT_key key = ABT_KEY_NULL;
    ASSERT_EQ(ABT_key_create(count_destruction, &key), ABT_SUCCESS);
    ABT_thread t = ABT_THREAD_NULL;
    ASSERT_EQ(
        ABT_thread_create(r.pool(0), [](void*) {}, nullptr, ABT_THREAD_ATTR_NULL, &t), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_set_specific(t, key, as_value(1)), ABT_SUCCESS);
    const ABT_key freed = key;
    EXPECT_EQ(ABT_key_free(&key), ABT_SUCCESS);
    void* value = nullptr;
    EXPECT_EQ(ABT_thread_get_specific(t, freed, &value), ABT_ERR_INV_KEY);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(destroyed.load(), 1);
}

TEST(key, many_keys_and_threads_at_once) {
    const runtime r(1);
    destroyed = 0;
    constexpr std::size_t count = 50;
    std::vector<ABT_key> keys(count, ABT_KEY_NULL);
    for (ABT_key& each : keys) {
        ASSERT_EQ(ABT_key_create(count_destruction, &each), ABT_SUCCESS);
    }
    std::atomic<bool> over{false};
    {
        crowd all;
        const ABT_thread t = all.ult(r.pool(1), [&] {
            while (!over) {
                ABT_thread_yield();
            }
        });
        crowd writers;  // they end before the ULT does: its handle dies with it
        for (std::size_t w = 0; w < 3; ++w) {
            writers.thread([&keys, t, w] {
                for (std::size_t i = 0; i < count; ++i) {
                    const std::size_t k = (i + w * 17) % count;
                    EXPECT_EQ(ABT_thread_set_specific(t, keys[k], as_value(k + 1)), ABT_SUCCESS);
                    void* value = nullptr;
                    EXPECT_EQ(ABT_thread_get_specific(t, keys[k], &value), ABT_SUCCESS);
                    EXPECT_EQ(value, as_value(k + 1));
                }
            });
        }
        writers.join();
        over = true;
    }
    EXPECT_EQ(destroyed.load(), static_cast<int>(count));
    for (ABT_key& each : keys) {
        EXPECT_EQ(ABT_key_free(&each), ABT_SUCCESS);
    }
}

TEST(key, unnamed_units_destroy_theirs_too) {
    const runtime r;
    destroyed = 0;
    static ABT_key key = ABT_KEY_NULL;
    ASSERT_EQ(ABT_key_create(count_destruction, &key), ABT_SUCCESS);
    const auto body = [](void*) {
        EXPECT_EQ(ABT_self_set_specific(key, as_value(1)), ABT_SUCCESS);
    };
    EXPECT_EQ(ABT_thread_create(r.pool(0), body, nullptr, ABT_THREAD_ATTR_NULL, nullptr),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_task_create(r.pool(0), body, nullptr, nullptr), ABT_SUCCESS);
    yield_until([] { return destroyed.load() == 2; });
    EXPECT_EQ(ABT_key_free(&key), ABT_SUCCESS);
    EXPECT_EQ(ABT_key_set(key, nullptr), ABT_ERR_INV_KEY);
}

struct waiting_destructor {
    ABT_key key = ABT_KEY_NULL;
    ABT_mutex mutex = ABT_MUTEX_NULL;
    std::atomic<int> ended{0};
    // destructors that did not run in the ULT that had set the value
    std::atomic<int> elsewhere{0};
};
waiting_destructor waits;

void give_way_and_lock(void* owner) {
    for (int i = 0; i < 5; ++i) {
        ABT_thread_yield();
    }
    EXPECT_EQ(ABT_mutex_lock(waits.mutex), ABT_SUCCESS);
    ABT_thread_yield();
    EXPECT_EQ(ABT_mutex_unlock(waits.mutex), ABT_SUCCESS);
    ABT_thread self = ABT_THREAD_NULL;
    if (ABT_self_get_thread(&self) != ABT_SUCCESS || self != static_cast<ABT_thread>(owner)) {
        waits.elsewhere.fetch_add(1);
    }
    waits.ended.fetch_add(1);
}

void set_own_value(void*) {
    ABT_thread self = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_self_get_thread(&self), ABT_SUCCESS);
    EXPECT_EQ(ABT_key_set(waits.key, self), ABT_SUCCESS);
}

TEST(key, destructors_of_unnamed_ults_may_wait_whatever_the_technique) {
    constexpr int units = 500;
    for (int how = ABTX_TECHNIQUE_ADAPTIVE; how < ABTX_TECHNIQUE_RUN_TO_COMPLETION; ++how) {
        const runtime r;
        const shared_streams shared;
        waits.ended = 0;
        waits.elsewhere = 0;
        ASSERT_EQ(ABT_mutex_create(&waits.mutex), ABT_SUCCESS);
        ASSERT_EQ(ABT_key_create(give_way_and_lock, &waits.key), ABT_SUCCESS);
        ABT_thread_attr attr = ABT_THREAD_ATTR_NULL;
        ASSERT_EQ(ABT_thread_attr_create(&attr), ABT_SUCCESS);
        ASSERT_EQ(ABTX_thread_attr_set_technique(attr, static_cast<ABTX_technique>(how)),
                  ABT_SUCCESS);
        for (int i = 0; i < units; ++i) {
            ASSERT_EQ(ABT_thread_create(shared.pool(), set_own_value, nullptr, attr, nullptr),
                      ABT_SUCCESS);
        }
        yield_until([] { return waits.ended.load() == units; });
        EXPECT_EQ(waits.elsewhere.load(), 0) << "technique " << how;
        EXPECT_EQ(ABT_thread_attr_free(&attr), ABT_SUCCESS);
        EXPECT_EQ(ABT_key_free(&waits.key), ABT_SUCCESS);
        EXPECT_EQ(ABT_mutex_free(&waits.mutex), ABT_SUCCESS);
    }
}

void yield_and_count(void*) {
    ABT_thread_yield();
    ABT_thread_yield();
    destroyed.fetch_add(1);
}

void cancel_self() {
    ABT_thread self = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_self_get_thread(&self), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_cancel(self), ABT_SUCCESS);
}

// The unnamed ULT has been cancelled, and so has the one that frees a named one. Neither
// cancellation unwinds a destructor.
TEST(key, destructors_may_wait_in_a_cancelled_ult) {
    const runtime r;
    destroyed = 0;
    static ABT_key key = ABT_KEY_NULL;
    ASSERT_EQ(ABT_key_create(yield_and_count, &key), ABT_SUCCESS);
    const auto unnamed = [](void*) {
        EXPECT_EQ(ABT_key_set(key, as_value(1)), ABT_SUCCESS);
        cancel_self();
    };
    EXPECT_EQ(ABT_thread_create(r.pool(0), unnamed, nullptr, ABT_THREAD_ATTR_NULL, nullptr),
              ABT_SUCCESS);
    yield_until([] { return destroyed.load() == 1; });
    {
        crowd all;
        all.ult(r.pool(0), [&] {
            ABT_thread child = ABT_THREAD_NULL;
            const auto sets = [](void*) { EXPECT_EQ(ABT_key_set(key, as_value(1)), ABT_SUCCESS); };
            EXPECT_EQ(ABT_thread_create(r.pool(0), sets, nullptr, ABT_THREAD_ATTR_NULL, &child),
                      ABT_SUCCESS);
            EXPECT_EQ(ABT_thread_join(child), ABT_SUCCESS);
            cancel_self();
            EXPECT_EQ(ABT_thread_free(&child), ABT_SUCCESS);
        });
    }
    EXPECT_EQ(destroyed.load(), 2);
    EXPECT_EQ(ABT_key_free(&key), ABT_SUCCESS);
}

}  // namespace
}  // namespace lazult::testing
