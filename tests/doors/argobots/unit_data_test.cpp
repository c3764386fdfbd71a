// SPDX-License-Identifier: BSD-3-Clause
// What stays with a ULT of Argobots' at whatever it suspends, with signals of a timer meanwhile.
#include "tests/support/unit_state.hpp"

#include <unistd.h>

#include <string>

#include "support.hpp"

namespace lazult::testing {
namespace {

void yields() { ABT_thread_yield(); }

// Others wait for the lock meanwhile.
void yields_with_a_lock(ABT_mutex lock) {
    ABT_mutex_lock(lock);
    ABT_thread_yield();
    ABT_mutex_unlock(lock);
}

// A tasklet of another stream answers; what it begins with is nobody's.
void waits_for_an_answer(ABT_pool where) {
    struct question {
        ABT_eventual answer = ABT_EVENTUAL_NULL;
        bool is_fresh = false;
    } asked;
    EXPECT_EQ(ABT_eventual_create(0, &asked.answer), ABT_SUCCESS);
    EXPECT_EQ(ABT_task_create(
                  where,
                  [](void* argument) {
                      auto& mine = *static_cast<question*>(argument);
                      mine.is_fresh = std::uncaught_exceptions() == 0 &&
                                      std::current_exception() == nullptr &&
                                      std::fegetround() == FE_TONEAREST;
                      ABT_eventual_set(mine.answer, nullptr, 0);
                  },
                  &asked, nullptr),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_eventual_wait(asked.answer, nullptr), ABT_SUCCESS);
    EXPECT_TRUE(asked.is_fresh);
    EXPECT_EQ(ABT_eventual_free(&asked.answer), ABT_SUCCESS);
}

void joins(ABT_pool where) {
    ABT_thread child = ABT_THREAD_NULL;
    const auto body = [](void*) { ABT_thread_yield(); };
    EXPECT_EQ(ABT_thread_create(where, body, nullptr, ABT_THREAD_ATTR_NULL, &child), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_free(&child), ABT_SUCCESS);
}

TEST(unit_data, stay_with_their_ult) {
    const runtime running(2);
    ABT_mutex lock = ABT_MUTEX_NULL;
    ASSERT_EQ(ABT_mutex_create(&lock), ABT_SUCCESS);
    std::atomic<const char*> lost{nullptr};
    {
        const support::timer_signals signals;
        constexpr int ults = 16;
        for (int round = 0; round < 5 || signals.taken() < 10; ++round) {
            crowd all;
            for (int ult = 0; ult < ults; ++ult) {
                const ABT_pool there = running.pool((ult + 1) % running.streams());
                int turn = ult;
                all.ult(running.pool(ult % running.streams()),
                        [&lost, lock, there, ult, turn]() mutable {
                            const auto suspend = [&] {
                                switch (turn++ % 4) {
                                    case 0: return yields();
                                    case 1: return yields_with_a_lock(lock);
                                    case 2: return waits_for_an_answer(there);
                                    default: return joins(there);
                                }
                            };
                            const char* mine = support::lost_unit_state(
                                ult, support::errno_promise::kept, suspend);
                            if (mine != nullptr) {
                                lost.store(mine);
                            }
                        });
            }
        }
    }
    EXPECT_EQ(ABT_mutex_free(&lock), ABT_SUCCESS);
    const char* first = lost.load();
    EXPECT_EQ(first, nullptr) << first;
}

// The fixture of all these tests would not see what this does not.
TEST(left_behind, names_what_is_not_given_back) {
    const runtime running;
    const support::held before;
    const int file = ::dup(1);
    ABT_thread unit = ABT_THREAD_NULL;
    ASSERT_EQ(ABT_thread_create(running.pool(0), nothing, nullptr, ABT_THREAD_ATTR_NULL, &unit),
              ABT_SUCCESS);
    ASSERT_EQ(ABT_thread_join(unit), ABT_SUCCESS);
    EXPECT_EQ(support::left_behind(before),
              "1 units more than before; 1 open files more than before; ");
    ASSERT_EQ(ABT_thread_free(&unit), ABT_SUCCESS);
    ::close(file);
    EXPECT_EQ(support::left_behind(before), "");
}

}  // namespace
}  // namespace lazult::testing
