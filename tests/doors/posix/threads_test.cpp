// SPDX-License-Identifier: BSD-3-Clause
// Sleeps, joins of OS threads, child processes, names of computers.
#include "tests/doors/posix/harness.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace lazult {
namespace {

using lazult::testing::form;
using lazult::testing::in_ms;
using lazult::testing::name_of;
using lazult::testing::posix_test;
using lazult::testing::told_child;
using lazult::testing::two_ends;

// Sleeps for 20 ms, or for a second.
struct sleep_form {
    const char* name;
    double seconds;
    int (*call)();
};
class posix_sleeps : public posix_test, public ::testing::WithParamInterface<sleep_form> {};

TEST_P(posix_sleeps, let_others_run_for_the_whole_time) {
    lets_others_run([] {
        const double begin = testing::seconds_now();
        EXPECT_EQ(GetParam().call(), 0);
        EXPECT_GE(testing::seconds_now() - begin, GetParam().seconds * 0.99);
    });
}

constexpr timespec twenty_ms{0, 20'000'000};

INSTANTIATE_TEST_SUITE_P(
    all, posix_sleeps,
    ::testing::Values(
        sleep_form{"sleep", 1, [] { return static_cast<int>(::sleep(1)); }},
        sleep_form{"usleep", 0.02, [] { return ::usleep(20'000); }},
        sleep_form{"nanosleep", 0.02, [] { return ::nanosleep(&twenty_ms, nullptr); }},
        sleep_form{"thrd_sleep", 0.02, [] { return ::thrd_sleep(&twenty_ms, nullptr); }},
        sleep_form{"clock_nanosleep", 0.02,
                   [] { return ::clock_nanosleep(CLOCK_MONOTONIC, 0, &twenty_ms, nullptr); }},
        sleep_form{"clock_nanosleep_until", 0.02,
                   [] {
                       const timespec when = in_ms(CLOCK_REALTIME, 20);
                       return ::clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &when, nullptr);
                   }},
        sleep_form{"sleep_for", 0.02,
                   [] {
                       std::this_thread::sleep_for(std::chrono::milliseconds(20));
                       return 0;
                   }}),
    name_of);

class posix_threads : public posix_test {};

TEST_F(posix_threads, wrong_times_are_refused) {
    start(1);
    lazult::thread([] {
        const timespec wrong{0, 1'000'000'000};
        EXPECT_EQ(::nanosleep(&wrong, nullptr), -1);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(::clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, nullptr), EINVAL);
    }).join();
}

using join_form = form<int(pthread_t, void**)>;
class posix_joins : public posix_test, public ::testing::WithParamInterface<join_form> {};

TEST_P(posix_joins, suspend_until_the_thread_has_ended) {
    static std::atomic<bool> may_end;
    may_end = false;
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(
                  &thread, nullptr,
                  [](void* argument) -> void* {
                      while (!may_end) {
                          ::usleep(1000);
                      }
                      return argument;
                  },
                  &may_end),
              0);
    void* value = nullptr;
    suspends([&] { EXPECT_EQ(GetParam().call(thread, &value), 0); }, [&] { may_end = true; });
    EXPECT_EQ(value, &may_end);
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_joins,
    ::testing::Values(join_form{"join", [](pthread_t t, void** v) { return ::pthread_join(t, v); }},
                      join_form{"timedjoin",
                                [](pthread_t t, void** v) {
                                    const timespec when = in_ms(CLOCK_REALTIME, 30'000);
                                    return ::pthread_timedjoin_np(t, v, &when);
                                }},
                      join_form{"clockjoin",
                                [](pthread_t t, void** v) {
                                    const timespec when = in_ms(CLOCK_MONOTONIC, 30'000);
                                    return ::pthread_clockjoin_np(t, v, CLOCK_MONOTONIC, &when);
                                }}),
    name_of);

TEST_F(posix_threads, a_thread_that_exits_in_the_middle_is_joined) {
    start(1);
    lazult::thread([] {
        pthread_t thread{};
        ASSERT_EQ(::pthread_create(
                      &thread, nullptr, [](void* argument) -> void* { ::pthread_exit(argument); },
                      &thread),
                  0);
        void* value = nullptr;
        EXPECT_EQ(::pthread_join(thread, &value), 0);
        EXPECT_EQ(value, &thread);
    }).join();
}

TEST_F(posix_threads, a_timed_join_ends_at_its_time) {
    std::atomic<bool> may_end{false};
    std::thread thread([&] {
        while (!may_end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    lets_others_run([&] {
        const timespec when = in_ms(CLOCK_REALTIME, 20);
        void* value = nullptr;
        EXPECT_EQ(::pthread_timedjoin_np(thread.native_handle(), &value, &when), ETIMEDOUT);
    });
    may_end = true;
    thread.join();
}

// A thread has returned from its function, and what it destroys then waits for a ULT.
TEST_F(posix_threads, a_timed_join_ends_at_its_time_while_the_thread_destroys_what_it_has) {
    static std::atomic<bool> has_returned;
    static std::atomic<bool> may_end;
    has_returned = may_end = false;
    struct slow_to_go {
        ~slow_to_go() {
            has_returned = true;
            while (!may_end) {
                ::usleep(1000);
            }
        }
        bool is_made = false;
    };
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(
                  &thread, nullptr,
                  [](void*) -> void* {
                      static thread_local slow_to_go it;
                      it.is_made = true;
                      return nullptr;
                  },
                  nullptr),
              0);
    lets_others_run([thread] {
        while (!has_returned) {
            ::usleep(1000);
        }
        timespec when = in_ms(CLOCK_REALTIME, 20);
        EXPECT_EQ(::pthread_timedjoin_np(thread, nullptr, &when), ETIMEDOUT);
        when = in_ms(CLOCK_MONOTONIC, 20);
        EXPECT_EQ(::pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC, &when), ETIMEDOUT);
        may_end = true;
        EXPECT_EQ(::pthread_join(thread, nullptr), 0);
    });
}

TEST_F(posix_threads, threads_that_nobody_joins_and_many_that_are_joined) {
    start(2);
    std::vector<lazult::thread> all;
    std::atomic<int> ran{0};
    for (int i = 0; i < 50; ++i) {
        all.emplace_back([&] {
            std::thread([&] { ++ran; }).join();
            std::thread([&] { ++ran; }).detach();
        });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
    while (ran < 100) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Threads begin and end while the process forks: the child can start threads even so.
TEST_F(posix_threads, a_forked_child_can_start_and_join_threads) {
    std::atomic<bool> is_over{false};
    std::thread busy([&] {
        while (!is_over) {
            std::thread([] {}).join();
        }
    });
    for (int i = 0; i < 20; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(10);
            std::thread([] {}).join();
            ::_exit(3);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
    }
    is_over = true;
    busy.join();
}

// Waits for a child that ends with status 7 when its pipe is closed.
using child_form = form<pid_t(pid_t child, int* status)>;
class posix_children : public posix_test, public ::testing::WithParamInterface<child_form> {};

TEST_P(posix_children, are_waited_for) {
    const told_child child(7);
    int status = 0;
    suspends([&] { EXPECT_EQ(GetParam().call(child.pid(), &status), child.pid()); },
             [&] { child.tell(); });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

INSTANTIATE_TEST_SUITE_P(
    all, posix_children,
    ::testing::Values(
        child_form{"wait", [](pid_t, int* status) { return ::wait(status); }},
        child_form{"waitpid", [](pid_t child, int* status) { return ::waitpid(child, status, 0); }},
        child_form{"waitpid_of_any", [](pid_t, int* status) { return ::waitpid(-1, status, 0); }},
        child_form{"wait3",
                   [](pid_t, int* status) {
                       rusage used{};
                       return ::wait3(status, 0, &used);
                   }},
        child_form{"wait4",
                   [](pid_t child, int* status) {
                       rusage used{};
                       return ::wait4(child, status, 0, &used);
                   }},
        child_form{"waitid",
                   [](pid_t child, int* status) {
                       siginfo_t info{};
                       EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED), 0);
                       *status = info.si_status << 8;
                       return info.si_pid;
                   }}),
    name_of);

int open_descriptors() {
    int count = 0;
    for (int fd = 0; fd < 200; ++fd) {
        count += ::fcntl(fd, F_GETFD) >= 0;
    }
    return count;
}

TEST_F(posix_threads, a_cancelled_wait_for_a_child_leaves_nothing_behind) {
    start(1);
    const told_child child;
    int before = 0;
    for (int i = 0; i < 4; ++i) {
        lazult::thread waiter([&] {
            int status = 0;
            ::waitpid(child.pid(), &status, 0);
            ADD_FAILURE() << "it was cancelled";
        });
        lazult::this_thread::sleep_for(std::chrono::milliseconds(5));
        lazult::cancel(waiter);
        waiter.join();
        if (i == 0) {  // the stream has its port now
            before = open_descriptors();
        }
    }
    EXPECT_EQ(open_descriptors(), before);
    child.tell();
    lazult::thread([&] { EXPECT_EQ(::waitpid(child.pid(), nullptr, 0), child.pid()); }).join();
}

TEST_F(posix_threads, a_cancelled_thread_unwinds_in_wait4) {
    const told_child child;
    pthread_t thread{};
    pid_t awaited = child.pid();
    ASSERT_EQ(::pthread_create(
                  &thread, nullptr,
                  [](void* of) -> void* {
                      ::wait4(*static_cast<pid_t*>(of), nullptr, 0, nullptr);
                      return nullptr;
                  },
                  &awaited),
              0);
    ::usleep(5000);
    EXPECT_EQ(::pthread_cancel(thread), 0);
    void* value = nullptr;
    EXPECT_EQ(::pthread_join(thread, &value), 0);
    EXPECT_EQ(value, PTHREAD_CANCELED);
    child.tell();
    EXPECT_EQ(::waitpid(child.pid(), nullptr, 0), child.pid());
}

// The child shares the parent's memory until it executes another program.
TEST_F(posix_threads, a_child_of_vfork_does_not_disturb_its_parent) {
    two_ends pipe;
    suspends(
        [&] {
            char c = 0;
            EXPECT_EQ(::read(pipe.in(), &c, 1), 1);
        },
        [&] {
            const pid_t child = ::vfork();
            if (child == 0) {
                ::dup2(2, pipe.in());
                ::close(pipe.in());
                ::execl("/bin/true", "true", nullptr);
                ::_exit(127);
            }
            int status = 0;
            EXPECT_EQ(::waitpid(child, &status, 0), child);
            EXPECT_EQ(status, 0);
            EXPECT_EQ(::write(pipe.out(), "x", 1), 1);
        });
}

// The joiner's ULTs may have to run before the thread can end.
TEST_F(posix_threads, a_thread_whose_destructors_wait_is_joined) {
    start(1);
    static std::atomic<bool> may_end;
    may_end = false;
    struct slow {
        ~slow() {
            while (!may_end) {
                ::usleep(1000);
            }
        }
    };
    lazult::thread joiner([] {
        std::thread([] {
            static thread_local slow one [[maybe_unused]];
            (void)&one;
        }).join();
    });
    lazult::thread releaser([] {
        ::usleep(20'000);
        may_end = true;
    });
    joiner.join();
    releaser.join();
}

TEST_F(posix_threads, who_has_no_child_is_told_so) {
    start(1);
    lazult::thread([] {
        int status = 0;
        EXPECT_EQ(::waitpid(-1, &status, 0), -1);
        EXPECT_EQ(errno, ECHILD);
        EXPECT_EQ(::waitpid(::getpid(), &status, 0), -1);
        EXPECT_EQ(errno, ECHILD);
    }).join();
}

TEST_F(posix_threads, the_lock_of_a_file_suspends) {
    char path[] = "/tmp/lazult-posix-XXXXXX";
    const int one = ::mkstemp(path);
    const int other = ::open(path, O_RDWR);
    ::unlink(path);
    ASSERT_EQ(::flock(one, LOCK_EX), 0);
    suspends([&] { EXPECT_EQ(::flock(other, LOCK_EX), 0); },
             [&] { EXPECT_EQ(::flock(one, LOCK_UN), 0); });
    start(1);
    lazult::thread([&] {
        EXPECT_EQ(::flock(one, LOCK_EX | LOCK_NB), -1);
        EXPECT_EQ(errno, EWOULDBLOCK);
        EXPECT_EQ(::flock(-1, LOCK_EX), -1);
        EXPECT_EQ(errno, EBADF);
    }).join();
    ::close(one);
    ::close(other);
}

TEST_F(posix_threads, names_are_found) {
    start(1);
    lazult::thread([] {
        addrinfo hints{};
        hints.ai_family = AF_INET;
        hints.ai_flags = AI_NUMERICHOST;
        addrinfo* found = nullptr;
        ASSERT_EQ(::getaddrinfo("127.0.0.1", "80", &hints, &found), 0);
        ASSERT_NE(found, nullptr);
        char host[100];
        EXPECT_EQ(::getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, nullptr, 0,
                                NI_NUMERICHOST),
                  0);
        EXPECT_STREQ(host, "127.0.0.1");
        ::freeaddrinfo(found);
        EXPECT_NE(::getaddrinfo("no.such.host.invalid", nullptr, &hints, &found), 0);
    }).join();
}

}  // namespace
}  // namespace lazult
