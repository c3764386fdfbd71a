// SPDX-License-Identifier: BSD-3-Clause
// Memory that is refused: by operator new, which scarce_new.cpp replaces for the programs that it
// is compiled into; and by the system, to a child process that may have so many more bytes of
// addresses.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>

#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::support {

// How many requests of operator new, by whichever thread, are granted before all others are
// refused; nothing counts while it is not armed.
struct new_requests {
    std::atomic<bool> armed{false};
    std::atomic<long> left{0};

    bool refuses() noexcept { return armed.load() && left.fetch_sub(1) <= 0; }
};
inline new_requests requests_of_new;

// While it lives, all requests but the first ones are refused. Nothing but the call that is tested
// should stand in its scope.
class scarcity {
public:
    explicit scarcity(long granted = 0) noexcept {
        requests_of_new.left.store(granted);
        requests_of_new.armed.store(true);
    }
    scarcity(const scarcity&) = delete;
    scarcity& operator=(const scarcity&) = delete;
    ~scarcity() { requests_of_new.armed.store(false); }
};

// Calls until one succeeds, with one request more granted each time. How many calls were refused.
template <class Call>
int refusals_until(Call&& succeeds) {
    constexpr int most = 1000;
    for (int n = 0; n < most; ++n) {
        bool done = false;
        {
            const scarcity some(n);
            done = succeeds();
        }
        if (done) {
            return n;
        }
    }
    ADD_FAILURE() << "it never succeeds";
    return most;
}

// False where nobody heeds the limit: an emulator does not, and a sanitizer needs more than it
// would leave.
inline bool limit_addresses(std::size_t more) {
    if (probe::asan || probe::tsan) {
        return false;
    }
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit addresses{};
    ::getrlimit(RLIMIT_AS, &addresses);
    addresses.rlim_cur = pages * os::page_size() + more;
    if (::setrlimit(RLIMIT_AS, &addresses) != 0) {
        return false;
    }
    const std::size_t too_much = more + (std::size_t{1} << 20);
    void* const address =
        ::mmap(nullptr, too_much, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address != MAP_FAILED) {
        ::munmap(address, too_much);
    }
    return address == MAP_FAILED;
}

inline void lift_limit_on_addresses() {
    rlimit addresses{};
    ::getrlimit(RLIMIT_AS, &addresses);
    addresses.rlim_cur = addresses.rlim_max;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &addresses), 0);
}

inline constexpr int unlimited = 77;  // how a child ends that limit_addresses() is of no use to

// In a child process, which `body` may limit. It gives back false to say that this was not
// possible; what it expects is expected here.
template <class Body>
void in_child(Body&& body) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const bool was_possible = body();
        std::fflush(nullptr);
        ::_exit(testing::Test::HasFailure() ? 1 : was_possible ? 0 : unlimited);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == unlimited) {
        GTEST_SKIP() << "no limit on addresses is heeded here";
    }
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace lazult::support
