// SPDX-License-Identifier: BSD-3-Clause
// What the tests of this door share. They are linked with liblazult-posix before the C library, so
// that plain calls of POSIX go there, as they do under `lazult run --posix`.
#pragma once

#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>
#include <optional>
#include <string>

namespace lazult::testing {

inline timespec in_ms(clockid_t clock, long ms) {
    timespec when{};
    ::clock_gettime(clock, &when);
    when.tv_sec += ms / 1000;
    when.tv_nsec += ms % 1000 * 1'000'000;
    if (when.tv_nsec >= 1'000'000'000) {
        ++when.tv_sec;
        when.tv_nsec -= 1'000'000'000;
    }
    return when;
}

inline double seconds_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct two_ends {
    two_ends() { EXPECT_EQ(::pipe(ends), 0); }
    ~two_ends() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    two_ends(const two_ends&) = delete;
    two_ends& operator=(const two_ends&) = delete;
    int in() const { return ends[0]; }
    int out() const { return ends[1]; }

    int ends[2];
};

// A way to make a call, for tests of all ways.
template <class Call>
struct form {
    const char* name;
    Call* call;
};
inline constexpr auto name_of = [](const auto& info) { return std::string(info.param.name); };

// A child process. It waits until tell(), and then exits with that status.
class told_child {
public:
    explicit told_child(int status = 0) : pid_(::fork()) {
        if (pid_ == 0) {
            char c = 0;
            const ssize_t told = ::read(pipe_.in(), &c, 1);
            ::_exit(told == 1 ? status : 1);
        }
    }
    pid_t pid() const { return pid_; }
    void tell() const { EXPECT_EQ(::write(pipe_.out(), "x", 1), 1); }

private:
    two_ends pipe_;
    pid_t pid_;
};

class posix_test : public ::testing::Test {
protected:
    // A blocked stream would stay blocked.
    posix_test() { ::alarm(60); }
    ~posix_test() override { ::alarm(0); }

    // Calls wait() in a ULT and, when it has suspended that ULT, end() in another ULT of the same
    // stream. If wait() blocked the stream instead, end() would never run.
    template <class Wait, class End>
    void suspends(Wait wait, End end) {
        running_.emplace(lazult::options{.streams = 1});
        std::atomic<bool> has_begun{false};
        std::atomic<bool> has_ended{false};
        lazult::thread waiter([&] {
            has_begun = true;
            wait();
            has_ended = true;
        });
        lazult::thread ender([&] {
            while (!has_begun) {
                lazult::this_thread::yield();
            }
            EXPECT_FALSE(has_ended) << "the call did not wait";
            end();
        });
        waiter.join();
        ender.join();
        running_.reset();
    }
    // For a wait that ends by itself: others of its stream run meanwhile.
    template <class Wait>
    void lets_others_run(Wait wait) {
        suspends(wait, [] {});
    }

    void start(int streams) { running_.emplace(lazult::options{.streams = streams}); }

private:
    std::optional<lazult::runtime> running_;
};

}  // namespace lazult::testing
