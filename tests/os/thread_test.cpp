// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/sizes.hpp"

namespace {

using namespace lazult;

using support::mib;

// A frame address and not a local's: AddressSanitizer keeps locals elsewhere.
bool holds_this_frame(const os::stack_bounds& stack) {
    const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
    return stack.low < here && here < stack.high;
}

std::size_t size_of(const os::stack_bounds& stack) {
    return static_cast<std::size_t>(stack.high - stack.low);
}

TEST(thread, the_main_stack_holds_this_frame_and_obeys_the_limit) {
    const os::stack_bounds stack = os::this_thread_stack();
    EXPECT_TRUE(holds_this_frame(stack));
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_STACK, &limit), 0);
    const std::size_t most = limit.rlim_cur == RLIM_INFINITY ? 8 * mib : limit.rlim_cur;
    EXPECT_LE(size_of(stack), most);
}

void check_unlimited_main_stack() {
    rlimit limit{};
    ::getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = RLIM_INFINITY;
    if (::setrlimit(RLIMIT_STACK, &limit) != 0) std::_Exit(2);
    const os::stack_bounds stack = os::this_thread_stack();
    std::_Exit(holds_this_frame(stack) && size_of(stack) <= 8 * mib ? 0 : 1);
}

TEST(thread, an_unlimited_main_stack_counts_8_mib) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_STACK, &limit), 0);
    if (limit.rlim_max != RLIM_INFINITY) {
        GTEST_SKIP() << "the hard limit of the stack is not unlimited";
    }
    EXPECT_EXIT(check_unlimited_main_stack(), testing::ExitedWithCode(0), "");
}

struct seen_in_thread {
    os::stack_bounds stack;
    bool holds_frame;
};

void* look_at_own_stack(void* result) {
    auto* seen = static_cast<seen_in_thread*>(result);
    seen->stack = os::this_thread_stack();
    seen->holds_frame = holds_this_frame(seen->stack);
    // The lowest byte is the thread's own, and not its guard.
    *reinterpret_cast<volatile char*>(seen->stack.low) = 1;
    return nullptr;
}

TEST(thread, a_threads_stack_is_what_it_was_created_with) {
    pthread_attr_t attributes;
    ASSERT_EQ(::pthread_attr_init(&attributes), 0);
    // Larger than any that glibc may have kept of an earlier thread and would reuse as it is.
    ASSERT_EQ(::pthread_attr_setstacksize(&attributes, 64 * mib), 0);
    pthread_t thread;
    seen_in_thread seen{};
    ASSERT_EQ(::pthread_create(&thread, &attributes, look_at_own_stack, &seen), 0);
    ::pthread_join(thread, nullptr);
    ::pthread_attr_destroy(&attributes);
    EXPECT_TRUE(seen.holds_frame);
    EXPECT_GE(size_of(seen.stack), 63 * mib);
    EXPECT_LE(size_of(seen.stack), 65 * mib);
}

std::string own_name() {
    std::array<char, 64> name{};
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    return name.data();
}

TEST(thread, long_names_are_cut_and_not_refused) {
    std::thread([] {
        os::set_thread_name("lazult:3");
        EXPECT_EQ(own_name(), "lazult:3");
        os::set_thread_name("0123456789abcdefghij");
        EXPECT_EQ(own_name(), "0123456789abcde");
    }).join();
}

TEST(thread, ids_differ) {
    const std::uint64_t mine = os::thread_id();
    EXPECT_EQ(mine, static_cast<std::uint64_t>(::getpid()));
    std::uint64_t other = mine;
    std::thread([&] { other = os::thread_id(); }).join();
    EXPECT_NE(mine, other);
}

TEST(thread, binds_to_each_allowed_processor_and_back) {
    const std::vector<int> allowed = os::allowed_processors();
    EXPECT_EQ(os::count_allowed_processors(), static_cast<int>(allowed.size()));
    ASSERT_FALSE(allowed.empty());
    EXPECT_TRUE(std::ranges::is_sorted(allowed));
    std::thread([&] {
        for (int processor : allowed) {
            ASSERT_TRUE(os::bind_this_thread(processor));
            EXPECT_EQ(os::current_processor(), processor);
        }
        ASSERT_TRUE(os::bind_this_thread(allowed));
        cpu_set_t set;
        ASSERT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
        EXPECT_EQ(static_cast<std::size_t>(CPU_COUNT(&set)), allowed.size());
    }).join();
}

TEST(thread, a_bound_thread_does_not_change_what_the_process_may_use) {
    const std::vector<int> allowed = os::allowed_processors();
    std::thread([&] {
        ASSERT_TRUE(os::bind_this_thread(allowed.back()));
        EXPECT_EQ(os::allowed_processors(), allowed);
    }).join();
}

TEST(thread, is_moved_and_not_bound) {
    std::thread([] {
        const std::vector<int> allowed = os::allowed_processors();
        const auto mask = [] {
            cpu_set_t set;
            CPU_ZERO(&set);
            EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
            return CPU_COUNT(&set);
        };
        const int before = mask();
        ASSERT_TRUE(os::bind_this_thread(allowed.front()));
        const int from = os::current_processor();
        ASSERT_TRUE(os::bind_this_thread(allowed));
        os::move_this_thread(from, 1);
        EXPECT_EQ(mask(), before);
        os::move_this_thread(-1, 1);  // no processor of its own
        EXPECT_EQ(mask(), before);
    }).join();
}

TEST(thread, refuses_processors_that_are_not_there) {
    EXPECT_FALSE(os::bind_this_thread(-1));
    EXPECT_FALSE(os::bind_this_thread(100'000));
    EXPECT_FALSE(os::bind_this_thread(std::vector<int>{}));
}

}  // namespace
