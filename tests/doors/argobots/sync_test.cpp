// SPDX-License-Identifier: BSD-3-Clause
// What ULTs, tasklets and external threads wait for.
#include "support.hpp"

#include <cstring>

namespace lazult::testing {
namespace {

template <class Handle>
Handle created(int (*create)(Handle*)) {
    Handle h{};
    EXPECT_EQ(create(&h), ABT_SUCCESS);
    return h;
}

TEST(mutex, excludes_ults_of_several_streams_and_threads) {
    const runtime r(1);
    ABT_mutex m = created(ABT_mutex_create);
    int count = 0;
    crowd all;
    const auto body = [&] {
        for (int i = 0; i < 200; ++i) {
            EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
            const int before = count;
            ABT_thread_yield();
            count = before + 1;
            EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
        }
    };
    for (int i = 0; i < 4; ++i) {
        all.ult(r.pool(i % 2), body);
    }
    all.thread(body);
    all.join();
    EXPECT_EQ(count, 1000);
    EXPECT_EQ(ABT_mutex_free(&m), ABT_SUCCESS);
}

TEST(mutex, a_recursive_one_is_its_owners) {
    const runtime r;
    ABT_mutex_attr attr = created(ABT_mutex_attr_create);
    EXPECT_EQ(ABT_mutex_attr_set_recursive(attr, ABT_TRUE), ABT_SUCCESS);
    ABT_mutex m = ABT_MUTEX_NULL;
    EXPECT_EQ(ABT_mutex_create_with_attr(attr, &m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_spinlock(m), ABT_SUCCESS);
    crowd all;
    all.ult(r.pool(0), [&] {
        EXPECT_EQ(ABT_mutex_trylock(m), ABT_ERR_MUTEX_LOCKED);
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_ERR_MUTEX);
    });
    all.join();
    ABT_mutex_attr same = ABT_MUTEX_ATTR_NULL;
    ABT_bool recursive = ABT_FALSE;
    EXPECT_EQ(ABT_mutex_get_attr(m, &same), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_attr_get_recursive(same, &recursive), ABT_SUCCESS);
    EXPECT_EQ(recursive, ABT_TRUE);
    EXPECT_EQ(ABT_mutex_unlock_se(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock_de(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_attr_free(&same), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_attr_free(&attr), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_free(&m), ABT_SUCCESS);
    EXPECT_EQ(m, ABT_MUTEX_NULL);
}

// As over Argobots, where nobody looks: lazult::mutex ends the process then.
TEST(mutex, an_unlock_that_no_lock_stands_for_does_nothing) {
    const runtime r(1);
    ABT_mutex m = created(ABT_mutex_create);
    EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_trylock(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_trylock(m), ABT_ERR_MUTEX_LOCKED);
    EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock_se(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock_de(m), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_free(&m), ABT_SUCCESS);
}

TEST(mutex, a_tasklet_blocks_its_stream) {
    const runtime r(1);
    ABT_mutex m = created(ABT_mutex_create);
    EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
    std::atomic<int> steps{0};
    crowd all;
    all.tasklet(r.pool(1), [&] {
        steps = 1;
        EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
        steps = 2;
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    });
    yield_until([&] { return steps == 1; });
    EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    all.join();
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(ABT_mutex_free(&m), ABT_SUCCESS);
}

TEST(mutex, null_constants_of_both_families_are_equal) {
    ABT_bool same = ABT_FALSE;
    EXPECT_EQ(ABT_mutex_equal(ABT_MUTEX_NULL, nullptr, &same), ABT_SUCCESS);
    EXPECT_EQ(same, ABT_TRUE);
    ABT_mutex m = created(ABT_mutex_create);
    EXPECT_EQ(ABT_mutex_equal(ABT_MUTEX_NULL, m, &same), ABT_SUCCESS);
    EXPECT_EQ(same, ABT_FALSE);
    EXPECT_EQ(ABT_mutex_free(&m), ABT_SUCCESS);
}

TEST(cond, a_waiter_keeps_others_from_freeing_and_from_another_mutex) {
    const runtime r;
    ABT_mutex m = created(ABT_mutex_create);
    ABT_mutex other = created(ABT_mutex_create);
    ABT_cond c = created(ABT_cond_create);
    std::atomic<int> steps{0};
    crowd all;
    all.ult(r.pool(0), [&] {
        ABT_mutex_lock(m);
        steps = 1;
        EXPECT_EQ(ABT_cond_wait(c, m), ABT_SUCCESS);
        steps = 2;
        ABT_mutex_unlock(m);
    });
    yield_until([&] { return steps == 1; });
    ABT_mutex_lock(m);
    EXPECT_EQ(ABT_cond_free(&c), ABT_ERR_COND);
    ABT_mutex_lock(other);
    EXPECT_EQ(ABT_cond_wait(c, other), ABT_ERR_INV_MUTEX);
    EXPECT_EQ(ABT_cond_signal(c), ABT_SUCCESS);
    ABT_mutex_unlock(m);
    all.join();
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(ABT_cond_free(&c), ABT_SUCCESS);
    ABT_mutex_unlock(other);
    ABT_mutex_free(&other);
    ABT_mutex_free(&m);
}

TEST(cond, a_wait_in_a_recursive_mutex_lets_it_go) {
    const runtime r;
    ABT_mutex_memory memory = ABT_RECURSIVE_MUTEX_INITIALIZER;
    ABT_mutex m = ABT_MUTEX_MEMORY_GET_HANDLE(&memory);
    ABT_cond c = created(ABT_cond_create);
    bool said = false;
    crowd all;
    all.ult(r.pool(0), [&] {
        ABT_mutex_lock(m);
        while (!said) {
            EXPECT_EQ(ABT_cond_wait(c, m), ABT_SUCCESS);
        }
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    });
    ABT_thread_yield();
    EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
    said = true;
    EXPECT_EQ(ABT_cond_broadcast(c), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
    all.join();
    EXPECT_EQ(ABT_cond_wait(c, m), ABT_ERR_INV_MUTEX);  // not the caller's
    ABT_cond_free(&c);
}

TEST(cond, a_deadline_ends_the_wait_with_the_mutex_locked) {
    const runtime r;
    ABT_mutex m = created(ABT_mutex_create);
    ABT_cond c = created(ABT_cond_create);
    ABT_mutex_lock(m);
    const auto began = now();
    const timespec soon = in_ms(20);
    EXPECT_EQ(ABT_cond_timedwait(c, m, &soon), ABT_ERR_COND_TIMEDOUT);
    EXPECT_GE(ms_since(began), 15);
    const timespec past{1, 0};
    EXPECT_EQ(ABT_cond_timedwait(c, m, &past), ABT_ERR_COND_TIMEDOUT);
    EXPECT_EQ(ABT_mutex_trylock(m), ABT_ERR_MUTEX_LOCKED);
    ABT_mutex_unlock(m);
    ABT_cond_free(&c);
    ABT_mutex_free(&m);
}

TEST(rwlock, a_reader_locks_again_while_a_writer_waits) {
    const runtime r;
    ABT_rwlock l = created(ABT_rwlock_create);
    std::atomic<int> steps{0};
    EXPECT_EQ(ABT_rwlock_rdlock(l), ABT_SUCCESS);
    crowd all;
    all.ult(r.pool(0), [&] {
        steps = 1;
        EXPECT_EQ(ABT_rwlock_wrlock(l), ABT_SUCCESS);
        steps = 2;
        EXPECT_EQ(ABT_rwlock_unlock(l), ABT_SUCCESS);
    });
    ABT_thread_yield();
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(ABT_rwlock_rdlock(l), ABT_SUCCESS);
    EXPECT_EQ(ABT_rwlock_unlock(l), ABT_SUCCESS);
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(ABT_rwlock_unlock(l), ABT_SUCCESS);
    all.join();
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(ABT_rwlock_free(&l), ABT_SUCCESS);
}

TEST(waiting, is_refused_to_tasklets_where_it_is_documented) {
    const runtime r;
    ABT_rwlock l = created(ABT_rwlock_create);
    ABT_mutex m = created(ABT_mutex_create);
    ABT_cond c = created(ABT_cond_create);
    ABT_barrier b = ABT_BARRIER_NULL;
    ABT_eventual e = ABT_EVENTUAL_NULL;
    ABT_future f = ABT_FUTURE_NULL;
    EXPECT_EQ(ABT_barrier_create(1, &b), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_create(0, &e), ABT_SUCCESS);
    EXPECT_EQ(ABT_future_create(1, nullptr, &f), ABT_SUCCESS);
    crowd all;
    all.tasklet(r.pool(0), [&] {
        EXPECT_EQ(ABT_rwlock_rdlock(l), ABT_ERR_RWLOCK);
        EXPECT_EQ(ABT_rwlock_wrlock(l), ABT_ERR_RWLOCK);
        EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
        EXPECT_EQ(ABT_cond_wait(c, m), ABT_ERR_COND);
        const timespec soon = in_ms(2);
        EXPECT_EQ(ABT_cond_timedwait(c, m, &soon), ABT_ERR_COND_TIMEDOUT);
        EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
        EXPECT_EQ(ABT_barrier_wait(b), ABT_ERR_BARRIER);
        EXPECT_EQ(ABT_eventual_wait(e, nullptr), ABT_ERR_EVENTUAL);
        EXPECT_EQ(ABT_future_wait(f), ABT_ERR_FUTURE);
        EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS);
        EXPECT_EQ(ABT_future_set(f, nullptr), ABT_SUCCESS);
    });
    all.join();
    ABT_future_free(&f);
    ABT_eventual_free(&e);
    ABT_barrier_free(&b);
    ABT_cond_free(&c);
    ABT_mutex_free(&m);
    ABT_rwlock_free(&l);
}

TEST(barrier, lets_all_through_together_again_and_again) {
    const runtime r(1);
    ABT_barrier b = ABT_BARRIER_NULL;
    EXPECT_EQ(ABT_barrier_create(0, &b), ABT_ERR_INV_ARG);
    EXPECT_EQ(b, ABT_BARRIER_NULL);
    EXPECT_EQ(ABT_barrier_create(1, &b), ABT_SUCCESS);
    EXPECT_EQ(ABT_barrier_reinit(b, 0), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABT_barrier_reinit(b, 5), ABT_SUCCESS);
    uint32_t number = 0;
    EXPECT_EQ(ABT_barrier_get_num_waiters(b, &number), ABT_SUCCESS);
    EXPECT_EQ(number, 5U);
    std::atomic<int> here{0};
    const auto body = [&] {
        for (int round = 1; round <= 50; ++round) {
            here.fetch_add(1);
            EXPECT_EQ(ABT_barrier_wait(b), ABT_SUCCESS);
            EXPECT_GE(here.load(), 5 * round);
        }
    };
    crowd all;
    for (int i = 0; i < 4; ++i) {
        all.ult(r.pool(i % 2), body);
    }
    all.thread(body);
    all.join();
    EXPECT_EQ(ABT_barrier_free(&b), ABT_SUCCESS);
}

TEST(eventual, carries_a_value_once) {
    const runtime r(1);
    ABT_eventual e = ABT_EVENTUAL_NULL;
    EXPECT_EQ(ABT_eventual_create(-1, &e), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABT_eventual_create(100, &e), ABT_SUCCESS);
    char text[101] = "what comes later";
    std::atomic<int> right{0};
    crowd all;
    const auto body = [&] {
        void* got = nullptr;
        EXPECT_EQ(ABT_eventual_wait(e, &got), ABT_SUCCESS);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got) % alignof(std::max_align_t), 0U);
        right += std::strcmp(static_cast<char*>(got), text) == 0 ? 1 : 0;
    };
    all.ult(r.pool(0), body);
    all.ult(r.pool(1), body);
    all.thread(body);
    ABT_bool ready = ABT_TRUE;
    EXPECT_EQ(ABT_eventual_test(e, nullptr, &ready), ABT_SUCCESS);
    EXPECT_EQ(ready, ABT_FALSE);
    const timespec soon = in_ms(5);
    EXPECT_EQ(ABT_eventual_timedwait(e, nullptr, &soon), ABT_ERR_COND_TIMEDOUT);
    EXPECT_EQ(ABT_eventual_set(e, text, 101), ABT_ERR_INV_EVENTUAL);
    EXPECT_EQ(ABT_eventual_set(e, text, -1), ABT_ERR_INV_ARG);
    EXPECT_EQ(ABT_eventual_set(e, text, 100), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_set(e, text, 100), ABT_ERR_EVENTUAL);
    all.join();
    EXPECT_EQ(right, 3);
    EXPECT_EQ(ABT_eventual_reset(e), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_set(e, text, 0), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_timedwait(e, nullptr, &soon), ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_free(&e), ABT_SUCCESS);
}

std::atomic<int> callback_calls{0};

void sum_up(void** values) {
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(values[0]) + reinterpret_cast<std::uintptr_t>(values[1]),
        3U);
    callback_calls.fetch_add(1);
}

TEST(future, calls_back_before_anybody_goes_on) {
    const runtime r;
    ABT_future f = ABT_FUTURE_NULL;
    EXPECT_EQ(ABT_future_create(2, sum_up, &f), ABT_SUCCESS);
    for (int round = 1; round <= 3; ++round) {
        callback_calls = 0;
        crowd all;
        all.ult(r.pool(0), [&] {
            EXPECT_EQ(ABT_future_wait(f), ABT_SUCCESS);
            EXPECT_EQ(callback_calls, 1);
        });
        ABT_thread_yield();
        EXPECT_EQ(ABT_future_set(f, reinterpret_cast<void*>(1)), ABT_SUCCESS);
        ABT_bool ready = ABT_TRUE;
        EXPECT_EQ(ABT_future_test(f, &ready), ABT_SUCCESS);
        EXPECT_EQ(ready, ABT_FALSE);
        EXPECT_EQ(ABT_future_set(f, reinterpret_cast<void*>(2)), ABT_SUCCESS);
        EXPECT_EQ(ABT_future_set(f, nullptr), ABT_ERR_FUTURE);
        all.join();
        EXPECT_EQ(ABT_future_reset(f), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_future_free(&f), ABT_SUCCESS);
}

// The callback wakes a caller that frees the future at once. The free waits for the callback's end.
struct slow_callback {
    ABT_future told = ABT_FUTURE_NULL;
    std::atomic<bool> is_over{false};
    std::atomic<bool> is_freed{false};

    static void call(void** values) {
        auto& me = *static_cast<slow_callback*>(values[0]);
        EXPECT_EQ(ABT_future_set(me.told, nullptr), ABT_SUCCESS);
        const auto began = now();
        while (!me.is_freed && ms_since(began) < 30) {
            std::this_thread::yield();
        }
        me.is_over = true;
    }
};

TEST(future, is_not_freed_under_its_callback) {
    const runtime r(1);
    slow_callback slow;
    ABT_future f = ABT_FUTURE_NULL;
    EXPECT_EQ(ABT_future_create(1, slow_callback::call, &f), ABT_SUCCESS);
    EXPECT_EQ(ABT_future_create(1, nullptr, &slow.told), ABT_SUCCESS);
    crowd all;
    all.ult(r.pool(1), [&slow, f] { EXPECT_EQ(ABT_future_set(f, &slow), ABT_SUCCESS); });
    EXPECT_EQ(ABT_future_wait(slow.told), ABT_SUCCESS);
    EXPECT_EQ(ABT_future_free(&f), ABT_SUCCESS);
    EXPECT_TRUE(slow.is_over.load());
    slow.is_freed = true;
    all.join();
    EXPECT_EQ(ABT_future_free(&slow.told), ABT_SUCCESS);
}

TEST(future, without_compartments_is_always_ready) {
    const runtime r;
    ABT_future f = ABT_FUTURE_NULL;
    callback_calls = 0;
    EXPECT_EQ(ABT_future_create(0, sum_up, &f), ABT_SUCCESS);
    EXPECT_EQ(ABT_future_wait(f), ABT_SUCCESS);
    EXPECT_EQ(ABT_future_set(f, nullptr), ABT_ERR_FUTURE);
    EXPECT_EQ(ABT_future_reset(f), ABT_SUCCESS);
    EXPECT_EQ(ABT_future_wait(f), ABT_SUCCESS);
    EXPECT_EQ(callback_calls, 0);
    EXPECT_EQ(ABT_future_free(&f), ABT_SUCCESS);
}

}  // namespace
}  // namespace lazult::testing
