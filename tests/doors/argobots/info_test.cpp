// SPDX-License-Identifier: BSD-3-Clause
// Questions, prints, stack dumps, timers, names of errors.
#include "support.hpp"

#include <cstdio>
#include <cstring>
#include <string>

namespace lazult::testing {
namespace {

// What a function prints to a file.
std::string printed(const std::function<int(FILE*)>& print) {
    char* text = nullptr;
    std::size_t length = 0;
    FILE* file = open_memstream(&text, &length);
    EXPECT_EQ(print(file), ABT_SUCCESS);
    std::fclose(file);
    std::string result(text, length);
    std::free(text);
    return result;
}

TEST(query, writes_no_more_than_its_type) {
    std::uint64_t unused = 0;
    EXPECT_EQ(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_DEBUG, &unused),
              ABT_ERR_UNINITIALIZED);
    const runtime r;
    for (int kind = ABT_INFO_QUERY_KIND_ENABLED_DEBUG;
         kind <= ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC; ++kind) {
        const bool large = kind >= ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE &&
                           kind <= ABT_INFO_QUERY_KIND_DEFAULT_SCHED_SLEEP_NSEC;
        alignas(8) int words[4] = {-7, -7, -7, -7};
        EXPECT_EQ(ABT_info_query_config(static_cast<ABT_info_query_kind>(kind), words + 0),
                  ABT_SUCCESS);
        EXPECT_NE(words[0], -7) << kind;
        EXPECT_EQ(words[1] == -7, !large) << kind;
        EXPECT_EQ(words[2], -7) << kind;
    }
    EXPECT_EQ(ABT_info_query_config(static_cast<ABT_info_query_kind>(28), &unused),
              ABT_ERR_INV_QUERY_KIND);
    EXPECT_EQ(ABT_info_query_config(static_cast<ABT_info_query_kind>(-1), &unused),
              ABT_ERR_INV_QUERY_KIND);
}

TEST(print, shows_what_there_is) {
    const runtime r(1);
    EXPECT_NE(printed(ABT_info_print_config).find("LAZULT_STACK_SIZE"), std::string::npos);
    const std::string streams = printed(ABT_info_print_all_xstreams);
    EXPECT_NE(streams.find("2 execution streams"), std::string::npos) << streams;
    EXPECT_NE(streams.find("rank 1"), std::string::npos) << streams;
    ABT_thread self = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_self(&self), ABT_SUCCESS);
    const std::string unit = printed([&](FILE* to) { return ABT_info_print_thread(to, self); });
    EXPECT_NE(unit.find("primary ULT"), std::string::npos) << unit;
    const std::string pool = printed([&](FILE* to) { return ABT_info_print_pool(to, r.pool(0)); });
    EXPECT_NE(pool.find("units: 0"), std::string::npos) << pool;
}

extern "C" __attribute__((noinline)) void suspends_here() {
    ABT_self_suspend();
    asm volatile("");  // no tail call
}

TEST(stack_dump, shows_the_functions_of_a_suspended_unit) {
    const runtime r;
    ABT_thread t = ABT_THREAD_NULL;
    ABT_thread_create(r.pool(0), [](void*) { suspends_here(); }, nullptr, ABT_THREAD_ATTR_NULL, &t);
    const std::string fresh = printed([&](FILE* to) { return ABT_info_print_thread_stack(to, t); });
    EXPECT_NE(fresh.find("has not started"), std::string::npos) << fresh;
    ABT_thread_yield();
    for (int i = 0; i < 2; ++i) {
        const std::string text =
            printed([&](FILE* to) { return ABT_info_print_thread_stack(to, t); });
        if (DUMPS_SHOW_FUNCTIONS == 0) {
            EXPECT_NE(text.find("no functions to show"), std::string::npos) << text;
            continue;
        }
        EXPECT_NE(text.find("ABT_self_suspend"), std::string::npos) << text;
        EXPECT_NE(text.find("#2"), std::string::npos) << text;
    }
    EXPECT_EQ(ABT_thread_resume(t), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
}

struct answer {
    std::atomic<int> calls{0};
    std::atomic<int> timed_out{0};
};

void note_answer(ABT_bool timeout, void* a) {
    static_cast<answer*>(a)->timed_out += timeout;
    static_cast<answer*>(a)->calls += 1;
}

TEST(stack_dump, of_all_pools_waits_for_all_streams) {
    const runtime r(2);
    FILE* sink = std::fopen("/dev/null", "w");
    answer a;
    for (int i = 1; i <= 3; ++i) {
        EXPECT_EQ(ABT_info_trigger_print_all_thread_stacks(sink, -1.0, note_answer, &a),
                  ABT_SUCCESS);
        yield_until([&] { return a.calls == i; });
    }
    EXPECT_EQ(a.timed_out, 0);
    std::fclose(sink);
}

TEST(stack_dump, does_not_wait_longer_than_its_limit) {
    const runtime r(1);
    FILE* sink = std::fopen("/dev/null", "w");
    answer a;
    std::atomic<bool> spins{false};
    std::atomic<bool> may_end{false};
    crowd all;
    all.ult(r.pool(1), [&] {
        spins = true;
        while (!may_end) {
        }
    });
    yield_until([&] { return spins.load(); });
    EXPECT_EQ(ABT_info_trigger_print_all_thread_stacks(sink, 0.05, note_answer, &a), ABT_SUCCESS);
    yield_until([&] { return a.calls == 1; });
    EXPECT_EQ(a.timed_out, 1);
    may_end = true;
    all.join();
    std::fclose(sink);
}

TEST(timer, needs_no_runtime) {
    ABT_timer t = ABT_TIMER_NULL;
    ABT_timer other = ABT_TIMER_NULL;
    EXPECT_EQ(ABT_timer_create(&t), ABT_SUCCESS);
    EXPECT_EQ(ABT_timer_start(t), ABT_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    double seconds = 0;
    EXPECT_EQ(ABT_timer_stop_and_read(t, &seconds), ABT_SUCCESS);
    EXPECT_GE(seconds, 0.005);
    EXPECT_EQ(ABT_timer_dup(t, &other), ABT_SUCCESS);
    double same = 0;
    EXPECT_EQ(ABT_timer_read(other, &same), ABT_SUCCESS);
    EXPECT_EQ(same, seconds);
    EXPECT_EQ(ABT_timer_stop_and_add(t, &same), ABT_SUCCESS);
    EXPECT_GE(same, 2 * seconds);
    double overhead = -1;
    EXPECT_EQ(ABT_timer_get_overhead(&overhead), ABT_SUCCESS);
    EXPECT_GT(overhead, 0);
    EXPECT_LT(overhead, 1e-3);
    EXPECT_EQ(ABT_timer_free(&t), ABT_SUCCESS);
    EXPECT_EQ(ABT_timer_free(&other), ABT_SUCCESS);
    EXPECT_EQ(other, ABT_TIMER_NULL);
}

TEST(error, every_code_has_a_name) {
    for (int code = ABT_SUCCESS; code <= ABT_ERR_INV_POOL_USER_DEF; ++code) {
        char name[32];
        std::size_t length = 0;
        EXPECT_EQ(ABT_error_get_str(code, nullptr, &length), ABT_SUCCESS);
        ASSERT_LT(length, sizeof name);
        EXPECT_EQ(ABT_error_get_str(code, name, nullptr), ABT_SUCCESS);
        EXPECT_EQ(std::strlen(name), length);
        EXPECT_EQ(std::strncmp(name, "ABT_", 4), 0);
    }
    EXPECT_EQ(ABT_error_get_str(-1, nullptr, nullptr), ABT_ERR_OTHER);
    EXPECT_EQ(ABT_error_get_str(58, nullptr, nullptr), ABT_ERR_OTHER);
}

}  // namespace
}  // namespace lazult::testing
