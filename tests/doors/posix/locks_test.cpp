// SPDX-License-Identifier: BSD-3-Clause
// Locks, conditions and semaphores of the C library, between ULTs, and between ULTs and OS threads.
#include "tests/doors/posix/harness.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace lazult {
namespace {

using lazult::testing::form;
using lazult::testing::in_ms;
using lazult::testing::name_of;
using lazult::testing::posix_test;

struct mutex_of_type {
    explicit mutex_of_type(int type) {
        pthread_mutexattr_t how;
        ::pthread_mutexattr_init(&how);
        ::pthread_mutexattr_settype(&how, type);
        ::pthread_mutex_init(&m, &how);
        ::pthread_mutexattr_destroy(&how);
    }
    ~mutex_of_type() { EXPECT_EQ(::pthread_mutex_destroy(&m), 0); }
    mutex_of_type(const mutex_of_type&) = delete;
    mutex_of_type& operator=(const mutex_of_type&) = delete;
    pthread_mutex_t m;
};

constexpr int all_types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
                             PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ADAPTIVE_NP};

using lock_call = form<int(pthread_mutex_t*)>;
class posix_mutex_locks : public posix_test,
                          public ::testing::WithParamInterface<std::tuple<lock_call, int>> {
protected:
    int lock(pthread_mutex_t* m) { return std::get<0>(GetParam()).call(m); }
    int type() { return std::get<1>(GetParam()); }
};

TEST_P(posix_mutex_locks, suspend_until_the_mutex_is_free) {
    mutex_of_type of(type());
    std::atomic<bool> is_held{false};
    suspends(
        [&] {
            while (!is_held) {
                lazult::this_thread::yield();
            }
            EXPECT_EQ(lock(&of.m), 0);
            EXPECT_EQ(::pthread_mutex_unlock(&of.m), 0);
        },
        [&] {
            EXPECT_EQ(::pthread_mutex_lock(&of.m), 0);
            is_held = true;
            for (int i = 0; i < 20; ++i) {
                lazult::this_thread::yield();
            }
            EXPECT_EQ(::pthread_mutex_unlock(&of.m), 0);
        });
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_mutex_locks,
    ::testing::Combine(
        ::testing::Values(lock_call{"lock",
                                    [](pthread_mutex_t* m) { return ::pthread_mutex_lock(m); }},
                          lock_call{"timedlock",
                                    [](pthread_mutex_t* m) {
                                        const timespec when = in_ms(CLOCK_REALTIME, 30'000);
                                        return ::pthread_mutex_timedlock(m, &when);
                                    }},
                          lock_call{"clocklock",
                                    [](pthread_mutex_t* m) {
                                        const timespec when = in_ms(CLOCK_MONOTONIC, 30'000);
                                        return ::pthread_mutex_clocklock(m, CLOCK_MONOTONIC, &when);
                                    }}),
        ::testing::ValuesIn(all_types)),
    [](const auto& info) {
        return std::string(std::get<0>(info.param).name) + "_of_type_" +
               std::to_string(std::get<1>(info.param));
    });

class posix_locks : public posix_test {
protected:
    // Runs `body(number)` in `units` ULTs of `streams` streams and in `threads` OS threads.
    template <class Body>
    void crowd(int streams, int units, int threads, Body body) {
        start(streams);
        std::vector<lazult::thread> all;
        std::vector<std::thread> others;
        for (int i = 0; i < units; ++i) {
            all.emplace_back([=] { body(i); });
        }
        for (int i = 0; i < threads; ++i) {
            others.emplace_back([=] { body(units + i); });
        }
        for (lazult::thread& each : all) {
            each.join();
        }
        for (std::thread& each : others) {
            each.join();
        }
    }
};

class posix_mutex_types : public posix_locks, public ::testing::WithParamInterface<int> {};

// The holder moves between streams, because it yields.
TEST_P(posix_mutex_types, keep_ults_and_threads_apart) {
    mutex_of_type of(GetParam());
    int inside = 0;
    int counted = 0;
    crowd(4, 20, 3, [&](int number) {
        for (int i = 0; i < 300; ++i) {
            ASSERT_EQ(::pthread_mutex_lock(&of.m), 0);
            ASSERT_EQ(++inside, 1);
            if ((i + number) % 7 == 0) {
                lazult::this_thread::yield();
            }
            --inside;
            ++counted;
            ASSERT_EQ(::pthread_mutex_unlock(&of.m), 0);
        }
    });
    EXPECT_EQ(counted, 23 * 300);
}

INSTANTIATE_TEST_SUITE_P(all, posix_mutex_types, ::testing::ValuesIn(all_types));

TEST_F(posix_locks, a_recursive_mutex_knows_its_ult) {
    mutex_of_type of(PTHREAD_MUTEX_RECURSIVE);
    start(1);
    std::atomic<bool> is_held{false};
    lazult::thread holder([&] {
        EXPECT_EQ(::pthread_mutex_lock(&of.m), 0);
        EXPECT_EQ(::pthread_mutex_lock(&of.m), 0);
        EXPECT_EQ(::pthread_mutex_trylock(&of.m), 0);
        is_held = true;
        lazult::this_thread::yield();
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(::pthread_mutex_unlock(&of.m), 0);
            lazult::this_thread::yield();
        }
        EXPECT_EQ(::pthread_mutex_unlock(&of.m), EPERM);
    });
    lazult::thread other([&] {  // on the same OS thread
        while (!is_held) {
            lazult::this_thread::yield();
        }
        EXPECT_EQ(::pthread_mutex_trylock(&of.m), EBUSY);
        EXPECT_EQ(::pthread_mutex_unlock(&of.m), EPERM);
        EXPECT_EQ(::pthread_mutex_lock(&of.m), 0);
        EXPECT_EQ(::pthread_mutex_unlock(&of.m), 0);
    });
    holder.join();
    other.join();
}

TEST_F(posix_locks, an_error_checking_mutex_finds_a_ults_mistakes) {
    mutex_of_type of(PTHREAD_MUTEX_ERRORCHECK);
    start(1);
    lazult::thread([&] {
        EXPECT_EQ(::pthread_mutex_unlock(&of.m), EPERM);
        EXPECT_EQ(::pthread_mutex_lock(&of.m), 0);
        EXPECT_EQ(::pthread_mutex_lock(&of.m), EDEADLK);
        EXPECT_EQ(::pthread_mutex_trylock(&of.m), EBUSY);
        std::thread([&] {
            EXPECT_EQ(::pthread_mutex_trylock(&of.m), EBUSY);
            EXPECT_EQ(::pthread_mutex_unlock(&of.m), EPERM);
        }).join();
        EXPECT_EQ(::pthread_mutex_unlock(&of.m), 0);
    }).join();
}

TEST_F(posix_locks, a_timed_lock_ends_at_its_time) {
    mutex_of_type of(PTHREAD_MUTEX_NORMAL);
    ASSERT_EQ(::pthread_mutex_lock(&of.m), 0);
    lets_others_run([&] {
        const double begin = testing::seconds_now();
        timespec when = in_ms(CLOCK_REALTIME, 20);
        EXPECT_EQ(::pthread_mutex_timedlock(&of.m, &when), ETIMEDOUT);
        EXPECT_GE(testing::seconds_now() - begin, 0.018);
        when = in_ms(CLOCK_MONOTONIC, 5);
        EXPECT_EQ(::pthread_mutex_clocklock(&of.m, CLOCK_MONOTONIC, &when), ETIMEDOUT);
        when.tv_nsec = -1;
        EXPECT_EQ(::pthread_mutex_timedlock(&of.m, &when), EINVAL);
    });
    ASSERT_EQ(::pthread_mutex_unlock(&of.m), 0);
}

TEST_F(posix_locks, a_mutex_may_be_held_over_a_yield) {
    std::mutex m;
    start(1);
    lazult::task_group all;
    for (int i = 0; i < 10; ++i) {
        all.run([&] {
            const std::lock_guard hold(m);
            lazult::this_thread::yield();
        });
    }
    all.wait();
}

using condition_wait = form<int(pthread_cond_t*, pthread_mutex_t*)>;
class posix_condition_waits : public posix_locks,
                              public ::testing::WithParamInterface<condition_wait> {
protected:
    void wakes_by(int (*wake)(pthread_cond_t*)) {
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        bool is_set = false;
        suspends(
            [&] {
                EXPECT_EQ(::pthread_mutex_lock(&m), 0);
                while (!is_set) {
                    EXPECT_EQ(GetParam().call(&c, &m), 0);
                }
                EXPECT_EQ(::pthread_mutex_unlock(&m), 0);
            },
            [&] {
                EXPECT_EQ(::pthread_mutex_lock(&m), 0);
                is_set = true;
                EXPECT_EQ(wake(&c), 0);
                EXPECT_EQ(::pthread_mutex_unlock(&m), 0);
            });
    }
};

TEST_P(posix_condition_waits, suspend_until_a_signal) { wakes_by(::pthread_cond_signal); }
TEST_P(posix_condition_waits, suspend_until_a_broadcast) { wakes_by(::pthread_cond_broadcast); }

INSTANTIATE_TEST_SUITE_P(
    all, posix_condition_waits,
    ::testing::Values(condition_wait{"wait",
                                     [](pthread_cond_t* c, pthread_mutex_t* m) {
                                         return ::pthread_cond_wait(c, m);
                                     }},
                      condition_wait{"timedwait",
                                     [](pthread_cond_t* c, pthread_mutex_t* m) {
                                         const timespec when = in_ms(CLOCK_REALTIME, 30'000);
                                         return ::pthread_cond_timedwait(c, m, &when);
                                     }},
                      condition_wait{"clockwait",
                                     [](pthread_cond_t* c, pthread_mutex_t* m) {
                                         const timespec when = in_ms(CLOCK_MONOTONIC, 30'000);
                                         return ::pthread_cond_clockwait(c, m, CLOCK_MONOTONIC,
                                                                         &when);
                                     }}),
    name_of);

TEST_F(posix_locks, a_timed_wait_for_a_condition_ends_at_its_time) {
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_cond_t monotonic;
    pthread_condattr_t how;
    ::pthread_condattr_init(&how);
    ::pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    ::pthread_cond_init(&monotonic, &how);
    lets_others_run([&] {
        EXPECT_EQ(::pthread_mutex_lock(&m), 0);
        const double begin = testing::seconds_now();
        timespec when = in_ms(CLOCK_REALTIME, 20);
        EXPECT_EQ(::pthread_cond_timedwait(&c, &m, &when), ETIMEDOUT);
        EXPECT_GE(testing::seconds_now() - begin, 0.018);
        when = in_ms(CLOCK_MONOTONIC, 20);
        EXPECT_EQ(::pthread_cond_timedwait(&monotonic, &m, &when), ETIMEDOUT);
        EXPECT_GE(testing::seconds_now() - begin, 0.036);
        when.tv_nsec = 1'000'000'000;
        EXPECT_EQ(::pthread_cond_timedwait(&c, &m, &when), EINVAL);
        EXPECT_EQ(::pthread_mutex_unlock(&m), 0);
    });
}

// Producers and consumers of both kinds, with a queue of one place, so that each waits for others.
TEST_F(posix_locks, no_signal_between_ults_and_threads_is_lost) {
    std::mutex m;
    std::condition_variable has_changed;
    bool is_full = false;
    int taken = 0;
    constexpr int rounds = 300;
    crowd(2, 8, 4, [&](int number) {
        for (int i = 0; i < rounds; ++i) {
            std::unique_lock hold(m);
            const bool gives = number % 2 == 0;
            has_changed.wait(hold, [&] { return is_full != gives; });
            is_full = gives;
            taken += !gives;
            hold.unlock();
            has_changed.notify_all();
        }
    });
    EXPECT_EQ(taken, 6 * rounds);
}

// Each side waits for the other's single signal.
TEST_F(posix_locks, a_ult_and_a_thread_play_ping_pong) {
    start(1);
    std::mutex m;
    std::condition_variable turns[2];
    int turn = 0;
    const auto play = [&](int me) {
        for (int i = 0; i < 2000; ++i) {
            std::unique_lock hold(m);
            turns[me].wait(hold, [&] { return turn == me; });
            turn = 1 - me;
            turns[1 - me].notify_one();
        }
    };
    std::thread thread([&] { play(1); });
    lazult::thread([&] { play(0); }).join();
    thread.join();
}

using rwlock_call = form<int(pthread_rwlock_t*)>;
class posix_rwlock_calls : public posix_locks, public ::testing::WithParamInterface<rwlock_call> {};

TEST_P(posix_rwlock_calls, suspend_until_a_writer_is_done) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    std::atomic<bool> is_held{false};
    suspends(
        [&] {
            while (!is_held) {
                lazult::this_thread::yield();
            }
            EXPECT_EQ(GetParam().call(&lock), 0);
            EXPECT_EQ(::pthread_rwlock_unlock(&lock), 0);
        },
        [&] {
            EXPECT_EQ(::pthread_rwlock_wrlock(&lock), 0);
            is_held = true;
            for (int i = 0; i < 20; ++i) {
                lazult::this_thread::yield();
            }
            EXPECT_EQ(::pthread_rwlock_unlock(&lock), 0);
        });
    EXPECT_EQ(::pthread_rwlock_destroy(&lock), 0);
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_rwlock_calls,
    ::testing::Values(
        rwlock_call{"rdlock", [](pthread_rwlock_t* l) { return ::pthread_rwlock_rdlock(l); }},
        rwlock_call{"wrlock", [](pthread_rwlock_t* l) { return ::pthread_rwlock_wrlock(l); }},
        rwlock_call{"timedrdlock",
                    [](pthread_rwlock_t* l) {
                        const timespec when = in_ms(CLOCK_REALTIME, 30'000);
                        return ::pthread_rwlock_timedrdlock(l, &when);
                    }},
        rwlock_call{"timedwrlock",
                    [](pthread_rwlock_t* l) {
                        const timespec when = in_ms(CLOCK_REALTIME, 30'000);
                        return ::pthread_rwlock_timedwrlock(l, &when);
                    }},
        rwlock_call{"clockrdlock",
                    [](pthread_rwlock_t* l) {
                        const timespec when = in_ms(CLOCK_MONOTONIC, 30'000);
                        return ::pthread_rwlock_clockrdlock(l, CLOCK_MONOTONIC, &when);
                    }},
        rwlock_call{"clockwrlock",
                    [](pthread_rwlock_t* l) {
                        const timespec when = in_ms(CLOCK_MONOTONIC, 30'000);
                        return ::pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, &when);
                    }}),
    name_of);

// A writer that has moved unlocks as a writer.
TEST_F(posix_locks, readers_and_writers_stay_apart) {
    std::shared_mutex lock;
    std::atomic<int> readers{0};
    std::atomic<int> writers{0};
    crowd(4, 20, 3, [&](int number) {
        for (int i = 0; i < 200; ++i) {
            if ((i + number) % 3 == 0) {
                lock.lock();
                ASSERT_EQ(++writers, 1);
                ASSERT_EQ(readers, 0);
                if (i % 5 == 0) {
                    lazult::this_thread::yield();
                }
                --writers;
                lock.unlock();
            } else {
                lock.lock_shared();
                ++readers;
                ASSERT_EQ(writers, 0);
                if (i % 5 == 0) {
                    lazult::this_thread::yield();
                }
                --readers;
                lock.unlock_shared();
            }
        }
    });
}

TEST_F(posix_locks, a_timed_rwlock_ends_at_its_time) {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    lets_others_run([&] {
        EXPECT_EQ(::pthread_rwlock_rdlock(&lock), 0);
        const timespec when = in_ms(CLOCK_REALTIME, 10);
        EXPECT_EQ(::pthread_rwlock_timedwrlock(&lock, &when), ETIMEDOUT);
        EXPECT_EQ(::pthread_rwlock_unlock(&lock), 0);
    });
}

using semaphore_wait = form<int(sem_t*)>;
class posix_semaphore_waits : public posix_locks,
                              public ::testing::WithParamInterface<semaphore_wait> {};

TEST_P(posix_semaphore_waits, suspend_until_a_post) {
    sem_t s;
    ASSERT_EQ(::sem_init(&s, 0, 0), 0);
    suspends([&] { EXPECT_EQ(GetParam().call(&s), 0); }, [&] { EXPECT_EQ(::sem_post(&s), 0); });
    EXPECT_EQ(::sem_destroy(&s), 0);
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_semaphore_waits,
    ::testing::Values(semaphore_wait{"wait", [](sem_t* s) { return ::sem_wait(s); }},
                      semaphore_wait{"timedwait",
                                     [](sem_t* s) {
                                         const timespec when = in_ms(CLOCK_REALTIME, 30'000);
                                         return ::sem_timedwait(s, &when);
                                     }},
                      semaphore_wait{"clockwait",
                                     [](sem_t* s) {
                                         const timespec when = in_ms(CLOCK_MONOTONIC, 30'000);
                                         return ::sem_clockwait(s, CLOCK_MONOTONIC, &when);
                                     }}),
    name_of);

TEST_F(posix_locks, a_semaphore_counts_for_ults_and_threads) {
    sem_t s;
    ASSERT_EQ(::sem_init(&s, 0, 3), 0);
    std::atomic<int> inside{0};
    crowd(3, 15, 3, [&](int) {
        for (int i = 0; i < 200; ++i) {
            ASSERT_EQ(::sem_wait(&s), 0);
            ASSERT_LE(++inside, 3);
            if (i % 4 == 0) {
                lazult::this_thread::yield();
            }
            --inside;
            ASSERT_EQ(::sem_post(&s), 0);
        }
    });
    int left = 0;
    ::sem_getvalue(&s, &left);
    EXPECT_EQ(left, 3);
    ::sem_destroy(&s);
}

TEST_F(posix_locks, a_timed_wait_for_a_semaphore_ends_at_its_time) {
    sem_t s;
    ASSERT_EQ(::sem_init(&s, 0, 0), 0);
    lets_others_run([&] {
        timespec when = in_ms(CLOCK_REALTIME, 20);
        const double begin = testing::seconds_now();
        EXPECT_EQ(::sem_timedwait(&s, &when), -1);
        EXPECT_EQ(errno, ETIMEDOUT);
        EXPECT_GE(testing::seconds_now() - begin, 0.018);
        when.tv_nsec = -1;
        EXPECT_EQ(::sem_timedwait(&s, &when), -1);
        EXPECT_EQ(errno, EINVAL);
    });
    ::sem_destroy(&s);
}

// Another process posts a shared semaphore and unlocks a shared mutex, which nobody tells this one.
struct shared_objects {
    sem_t posted;
    pthread_mutex_t m;
};

TEST_F(posix_locks, what_another_process_sets_free_is_found) {
    auto* const both =
        static_cast<shared_objects*>(::mmap(nullptr, sizeof(shared_objects), PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(both, MAP_FAILED);
    ASSERT_EQ(::sem_init(&both->posted, 1, 0), 0);
    pthread_mutexattr_t how;
    ::pthread_mutexattr_init(&how);
    ::pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    ::pthread_mutex_init(&both->m, &how);
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::pthread_mutex_lock(&both->m);
        [[maybe_unused]] const ssize_t held = ::write(told[1], "x", 1);
        ::usleep(50'000);
        ::pthread_mutex_unlock(&both->m);
        ::sem_post(&both->posted);
        ::_exit(0);
    }
    char c = 0;
    ASSERT_EQ(::read(told[0], &c, 1), 1);
    lets_others_run([&] {
        EXPECT_EQ(::pthread_mutex_lock(&both->m), 0);
        EXPECT_EQ(::pthread_mutex_unlock(&both->m), 0);
        EXPECT_EQ(::sem_wait(&both->posted), 0);
    });
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    ::munmap(both, sizeof *both);
}

}  // namespace
}  // namespace lazult
