// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include <pthread.h>
#include <sched.h>

#include "lazult/os/os.hpp"

namespace {

using namespace lazult;

int processors_of_this_thread() {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 0;
}

TEST(service_thread, takes_no_signals_and_is_not_bound_as_its_maker_is) {
    const std::vector<int> all = os::allowed_processors();
    bool takes_alarms = true;
    int processors = 0;
    std::thread maker([&] {
        ASSERT_TRUE(os::bind_this_thread(all.front()));
        ASSERT_EQ(processors_of_this_thread(), 1);
        os::start_service_thread("a test", [&] {
            sigset_t blocked;
            ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
            takes_alarms = ::sigismember(&blocked, SIGALRM) == 0;
            processors = processors_of_this_thread();
        }).join();
        sigset_t blocked;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        EXPECT_EQ(::sigismember(&blocked, SIGALRM), 0);
    });
    maker.join();
    EXPECT_FALSE(takes_alarms);
    EXPECT_EQ(processors, static_cast<int>(all.size()));
}

}  // namespace
