// SPDX-License-Identifier: BSD-3-Clause
// Signals that come all the time to all threads, so that each system call that can end with EINTR
// does.
#pragma once

#include "lazult/probe/probe.hpp"

#include <gtest/gtest.h>

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <map>
#include <thread>

namespace lazult::testing {

// While it lives, a timer of each thread of the process sends it a signal every 100 us. Threads
// that come later have one soon.
class storm {
public:
    storm() {
        heard = 0;
        struct sigaction action{};
        action.sa_handler = [](int) { heard.fetch_add(1, std::memory_order_relaxed); };
        action.sa_flags = 0;  // without SA_RESTART
        EXPECT_EQ(::sigaction(SIGUSR2, &action, &before_), 0);
        sender_ = std::thread([this] { keep_sending(); });
        while (heard < 10) {
            std::this_thread::yield();
        }
    }
    ~storm() {
        is_over_ = true;
        sender_.join();
        for (const auto& [thread, timer] : timers_) {
            if (timer != none) {
                ::syscall(SYS_timer_delete, timer);
            }
        }
        const timespec moment{0, 2'000'000};  // what is on its way
        ::nanosleep(&moment, nullptr);
        ::sigaction(SIGUSR2, &before_, nullptr);
    }
    storm(const storm&) = delete;
    storm& operator=(const storm&) = delete;

private:
    static constexpr int none = -1;

    void keep_sending() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
        timers_[static_cast<pid_t>(::syscall(SYS_gettid))] = none;
        while (!is_over_) {
            send_to_new_threads();
            const timespec moment{0, 1'000'000};
            ::nanosleep(&moment, nullptr);
        }
    }
    void send_to_new_threads() {
        DIR* const tasks = ::opendir("/proc/self/task");
        while (const dirent* const each = ::readdir(tasks)) {
            const auto thread = static_cast<pid_t>(std::atoi(each->d_name));
            if (thread > 0 && timers_.find(thread) == timers_.end()) {
                timers_[thread] = start_timer(thread);
            }
        }
        ::closedir(tasks);
    }
    // By the system call: glibc's timers may start a thread.
    static int start_timer(pid_t thread) {
        sigevent to{};
        to.sigev_notify = SIGEV_THREAD_ID;
        to.sigev_signo = SIGUSR2;
        to._sigev_un._tid = thread;
        int timer = none;
        if (::syscall(SYS_timer_create, CLOCK_MONOTONIC, &to, &timer) != 0) {
            return none;  // the thread has ended
        }
        const long ns = probe::tsan || probe::asan ? 2'000'000 : 100'000;
        const itimerspec often{{0, ns}, {0, ns}};
        ::syscall(SYS_timer_settime, timer, 0, &often, nullptr);
        return timer;
    }

    static inline std::atomic<long> heard{0};
    struct sigaction before_{};
    std::atomic<bool> is_over_{false};
    std::map<pid_t, int> timers_;
    std::thread sender_;
};

}  // namespace lazult::testing
