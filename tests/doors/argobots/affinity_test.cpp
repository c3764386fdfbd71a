// SPDX-License-Identifier: BSD-3-Clause
// Binding streams to processors, where a setting allows it. That it does not by default is in
// numbers/streams.c.
#include "support.hpp"

#include <sched.h>

#include <cstdlib>

namespace lazult::testing {
namespace {

// Before anything reads the settings. tool_test.cpp is in the same program.
const int sets_affinity = setenv("LAZULT_ABT_AFFINITY", "on", 1);

std::vector<int> processors_of_the_process() {
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    std::vector<int> numbers;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(static_cast<std::size_t>(i), &set)) {
            numbers.push_back(i);
        }
    }
    return numbers;
}

std::vector<int> processors_of(ABT_xstream x) {
    std::vector<int> numbers(CPU_SETSIZE);
    int count = 0;
    EXPECT_EQ(ABT_xstream_get_affinity(x, CPU_SETSIZE, numbers.data(), &count), ABT_SUCCESS);
    numbers.resize(static_cast<std::size_t>(count));
    return numbers;
}

ABT_xstream own_stream() {
    ABT_xstream x = ABT_XSTREAM_NULL;
    EXPECT_EQ(ABT_xstream_self(&x), ABT_SUCCESS);
    return x;
}

bool is_told_to_bind() {
    ABT_bool told = ABT_FALSE;
    EXPECT_EQ(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_AFFINITY, &told), ABT_SUCCESS);
    return told != ABT_FALSE;
}

TEST(affinity, a_setting_makes_the_functions_work) {
    EXPECT_EQ(sets_affinity, 0);
    const std::vector<int> all = processors_of_the_process();
    const runtime r;
    const ABT_xstream x = own_stream();
    int processor = -1;
    EXPECT_EQ(ABT_xstream_get_cpubind(x, &processor), ABT_ERR_CPUID);
    EXPECT_EQ(processors_of(x), all);
    EXPECT_EQ(ABT_xstream_set_cpubind(x, all.back()), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_get_cpubind(x, &processor), ABT_SUCCESS);
    EXPECT_EQ(processor, all.back());
    EXPECT_EQ(processors_of(x), std::vector<int>{all.back()});
    EXPECT_EQ(processors_of_the_process(), std::vector<int>{all.back()});
    EXPECT_FALSE(is_told_to_bind());
    EXPECT_EQ(ABT_xstream_set_affinity(x, 0, nullptr), ABT_SUCCESS);
}

// Also when the first call that asks for all of them comes after another one has bound the stream.
TEST(affinity, no_processors_means_those_that_the_process_had) {
    const std::vector<int> all = processors_of_the_process();
    const runtime r;
    EXPECT_EQ(ABT_xstream_set_cpubind(own_stream(), all.front()), ABT_SUCCESS);
    EXPECT_EQ(ABT_xstream_set_affinity(own_stream(), 0, nullptr), ABT_SUCCESS);
    EXPECT_EQ(processors_of(own_stream()), all);
    EXPECT_EQ(processors_of_the_process(), all);
}

TEST(affinity, argobots_own_variable_binds_streams) {
    setenv("ABT_SET_AFFINITY", "1", 1);
    const std::vector<int> all = processors_of_the_process();
    {
        const runtime r;
        EXPECT_TRUE(is_told_to_bind());
        EXPECT_EQ(processors_of(own_stream()), std::vector<int>{all.front()});
        EXPECT_EQ(ABT_xstream_set_affinity(own_stream(), 0, nullptr), ABT_SUCCESS);
    }
    unsetenv("ABT_SET_AFFINITY");
}

}  // namespace
}  // namespace lazult::testing
