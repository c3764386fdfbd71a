// SPDX-License-Identifier: BSD-3-Clause
// Mutexes, conditions and eventuals in memory of the client's: aligned for an int, zeroed, with and
// without a runtime.
#include "support.hpp"

#include <cstring>

namespace lazult::testing {
namespace {

// Memory at an address that is a multiple of 4 and not of 8, between two words that nobody may
// touch.
struct odd_memory {
    alignas(8) int words[18] = {};

    explicit odd_memory(int first_word = 0) {
        words[0] = words[17] = 0x5c5c5c5c;
        words[1] = first_word;
    }
    ABT_mutex mutex() {
        return ABT_MUTEX_MEMORY_GET_HANDLE(reinterpret_cast<ABT_mutex_memory*>(words + 1));
    }
    ABT_cond cond() {
        return ABT_COND_MEMORY_GET_HANDLE(reinterpret_cast<ABT_cond_memory*>(words + 1));
    }
    ABT_eventual eventual() {
        return ABT_EVENTUAL_MEMORY_GET_HANDLE(reinterpret_cast<ABT_eventual_memory*>(words + 1));
    }
    bool is_fenced() const { return words[0] == 0x5c5c5c5c && words[17] == 0x5c5c5c5c; }
};

void count_up_in_threads(ABT_mutex m, int depth) {
    int count = 0;
    crowd all;
    for (int t = 0; t < 4; ++t) {
        all.thread([&] {
            for (int i = 0; i < 1000; ++i) {
                for (int d = 0; d < depth; ++d) {
                    EXPECT_EQ(ABT_mutex_lock(m), ABT_SUCCESS);
                }
                ++count;
                for (int d = 0; d < depth; ++d) {
                    EXPECT_EQ(ABT_mutex_unlock(m), ABT_SUCCESS);
                }
            }
        });
    }
    all.join();
    EXPECT_EQ(count, 4000);
}

TEST(client_memory, mutexes_need_no_runtime) {
    odd_memory plain;
    odd_memory recursive(1);
    count_up_in_threads(plain.mutex(), 1);
    count_up_in_threads(recursive.mutex(), 3);
    EXPECT_TRUE(plain.is_fenced() && recursive.is_fenced());
    EXPECT_EQ(plain.words[1], 0);
    EXPECT_EQ(recursive.words[1], 1);
}

TEST(client_memory, the_same_mutex_serves_before_during_and_after_a_runtime) {
    odd_memory memory(1);
    EXPECT_EQ(ABT_mutex_lock(memory.mutex()), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock(memory.mutex()),
              ABT_SUCCESS);  // its owner was a thread, and is a ULT from ABT_init on
    {
        const runtime r;
        EXPECT_EQ(ABT_mutex_lock(memory.mutex()), ABT_SUCCESS);
        EXPECT_EQ(ABT_mutex_unlock(memory.mutex()), ABT_SUCCESS);
    }
    EXPECT_EQ(ABT_mutex_trylock(memory.mutex()), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock(memory.mutex()), ABT_SUCCESS);
}

TEST(client_memory, conditions_need_no_runtime) {
    odd_memory mutex;
    odd_memory cond;
    bool said = false;
    crowd all;
    for (int t = 0; t < 3; ++t) {
        all.thread([&] {
            EXPECT_EQ(ABT_mutex_lock(mutex.mutex()), ABT_SUCCESS);
            while (!said) {
                EXPECT_EQ(ABT_cond_wait(cond.cond(), mutex.mutex()), ABT_SUCCESS);
            }
            EXPECT_EQ(ABT_mutex_unlock(mutex.mutex()), ABT_SUCCESS);
        });
    }
    EXPECT_EQ(ABT_mutex_lock(mutex.mutex()), ABT_SUCCESS);
    const timespec soon = in_ms(5);
    EXPECT_EQ(ABT_cond_timedwait(cond.cond(), mutex.mutex(), &soon), ABT_ERR_COND_TIMEDOUT);
    said = true;
    EXPECT_EQ(ABT_cond_broadcast(cond.cond()), ABT_SUCCESS);
    EXPECT_EQ(ABT_mutex_unlock(mutex.mutex()), ABT_SUCCESS);
    all.join();
    EXPECT_TRUE(mutex.is_fenced() && cond.is_fenced());
    EXPECT_EQ(cond.words[1], 0);
}

TEST(client_memory, eventuals_carry_no_value) {
    odd_memory memory;
    ABT_eventual e = memory.eventual();
    int value = 0;
    EXPECT_EQ(ABT_eventual_set(e, &value, 1), ABT_ERR_INV_EVENTUAL);
    crowd all;
    all.thread([&] {
        void* got = &value;
        EXPECT_EQ(ABT_eventual_wait(e, &got), ABT_SUCCESS);
        EXPECT_EQ(got, nullptr);
    });
    EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS);
    all.join();
    ABT_bool ready = ABT_FALSE;
    EXPECT_EQ(ABT_eventual_test(e, nullptr, &ready), ABT_SUCCESS);
    EXPECT_EQ(ready, ABT_TRUE);
    EXPECT_EQ(ABT_eventual_reset(e), ABT_SUCCESS);
    EXPECT_TRUE(memory.is_fenced());
}

TEST(client_memory, is_not_for_free) {
    odd_memory memory;
    ABT_mutex m = memory.mutex();
    ABT_cond c = memory.cond();
    ABT_eventual e = memory.eventual();
    EXPECT_EQ(ABT_mutex_free(&m), ABT_ERR_INV_MUTEX);
    EXPECT_EQ(ABT_cond_free(&c), ABT_ERR_INV_COND);
    EXPECT_EQ(ABT_eventual_free(&e), ABT_ERR_INV_EVENTUAL);
    EXPECT_EQ(m, memory.mutex());
}

}  // namespace
}  // namespace lazult::testing
