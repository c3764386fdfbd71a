// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/topo/topo.hpp"

#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
int bindings = 0;
}

// In front of the C library's, so that hwloc's calls are counted, too.
extern "C" [[gnu::visibility("default")]] int sched_setaffinity(pid_t thread, std::size_t bytes,
                                                                const cpu_set_t* set) noexcept {
    ++bindings;
    return static_cast<int>(::syscall(SYS_sched_setaffinity, thread, bytes, set));
}

namespace {

using namespace lazult;
using topo::topology;
using ints = std::vector<int>;

TEST(machine, has_the_processors_that_this_process_may_use) {
    const topology& here = topo::machine();
    EXPECT_EQ(&here, &topo::machine());
    if (here.is_synthetic()) {
        GTEST_SKIP() << "a synthetic machine is asked for";
    }
    ints found;
    for (int i = 0; i < here.processors(); ++i) found.push_back(here.system_processor(i));
    std::ranges::sort(found);
    EXPECT_EQ(found, os::allowed_processors());
    EXPECT_GE(here.cores(), 1);
    EXPECT_LE(here.cores(), here.processors());
    EXPECT_GE(here.numa_nodes(), 1);
}

TEST(machine, distances_are_symmetric_and_0_only_to_oneself) {
    const topology& here = topo::machine();
    for (int a = 0; a < here.processors(); ++a) {
        for (int b = 0; b < here.processors(); ++b) {
            EXPECT_EQ(here.distance(a, b), here.distance(b, a));
            EXPECT_EQ(here.distance(a, b) == 0, a == b);
            EXPECT_LE(here.distance(a, b), 4);
        }
    }
}

TEST(machine, binds_threads_where_it_says) {
    const topology& here = topo::machine();
    if (here.is_synthetic()) {
        GTEST_SKIP() << "a synthetic machine is asked for";
    }
    std::thread([&] {
        for (int i = 0; i < here.processors(); ++i) {
            ASSERT_TRUE(here.bind_this_thread(i));
            EXPECT_EQ(os::current_processor(), here.system_processor(i));
        }
        EXPECT_FALSE(here.bind_this_thread(-1));
        EXPECT_FALSE(here.bind_this_thread(here.processors()));
    }).join();
}

TEST(machine, refuses_processors_that_are_not_there) {
    const topology& here = topo::machine();
    EXPECT_THROW(here.distance(0, here.processors()), std::out_of_range);
    EXPECT_THROW(here.system_processor(-1), std::out_of_range);
}

TEST(machine, describes_itself_in_lines) {
    const std::string text = topo::machine().describe();
    EXPECT_EQ(
        text.find("topology: " + std::to_string(topo::machine().processors()) + " processors, "),
        0U);
    EXPECT_NE(text.find("\nsource: "), std::string::npos);
    EXPECT_NE(text.find("\nNUMA node 0: processors 0"), std::string::npos);
    EXPECT_EQ(text.back(), '\n');
}

// Of a child: the affinity of the main thread stands for the process.
void check_one_processor() {
    const int last = os::allowed_processors().back();
    if (!os::bind_this_thread(last)) std::_Exit(2);
    const topology here;
    std::_Exit(here.processors() == 1 && here.system_processor(0) == last && here.cores() == 1 ? 0
                                                                                               : 1);
}

// Else the system may leave several processes on one processor for milliseconds.
TEST(machine, is_looked_at_without_moving_the_caller) {
    if (!os::describes_processors()) {
        GTEST_SKIP() << "the system does not describe its processors";
    }
    bindings = 0;
    const topology here;
    EXPECT_EQ(bindings, 0);
}

TEST(machine, honours_an_affinity_mask) {
    if (topo::machine().is_synthetic()) {
        GTEST_SKIP() << "a synthetic machine is asked for";
    }
    EXPECT_EXIT(check_one_processor(), testing::ExitedWithCode(0), "");
}

#if defined(LAZULT_HAVE_HWLOC) && LAZULT_HAVE_HWLOC == 1

// Two packages, in each a NUMA node and two L3 caches with two cores of two processors.
const topology& two_packages() {
    static const topology machine("package:2 numa:1 l3:2 core:2 pu:2");
    return machine;
}

TEST(synthetic, counts) {
    EXPECT_EQ(two_packages().processors(), 16);
    EXPECT_EQ(two_packages().cores(), 8);
    EXPECT_EQ(two_packages().numa_nodes(), 2);
    EXPECT_TRUE(two_packages().is_synthetic());
}

TEST(synthetic, distances_follow_what_is_shared) {
    EXPECT_EQ(two_packages().distance(0, 0), 0);
    EXPECT_EQ(two_packages().distance(0, 1), 1);
    EXPECT_EQ(two_packages().distance(0, 2), 2);
    EXPECT_EQ(two_packages().distance(1, 3), 2);
    EXPECT_EQ(two_packages().distance(0, 4), 3);
    EXPECT_EQ(two_packages().distance(0, 7), 3);
    EXPECT_EQ(two_packages().distance(0, 8), 4);
    EXPECT_EQ(two_packages().distance(15, 0), 4);
}

TEST(synthetic, the_outermost_cache_counts) {
    const topology machine("package:1 l2:2 core:2 pu:1");
    EXPECT_EQ(machine.distance(0, 1), 2);
    EXPECT_EQ(machine.distance(0, 2), 3);
    const topology deep("package:1 l3:1 l2:2 core:2 pu:1");
    EXPECT_EQ(deep.distance(0, 2), 2);
}

TEST(synthetic, private_caches_are_not_shared) {
    const topology machine("package:1 core:2 l2:1 pu:1");
    EXPECT_EQ(machine.distance(0, 1), 3);
}

TEST(synthetic, a_machine_without_cores_has_one_per_processor) {
    const topology machine("package:1 pu:3");
    EXPECT_EQ(machine.cores(), 3);
    EXPECT_EQ(machine.numa_nodes(), 1);
    EXPECT_EQ(machine.distance(0, 1), 3);
}

TEST(synthetic, is_not_bound_to) {
    cpu_set_t before;
    cpu_set_t after;
    ::sched_getaffinity(0, sizeof before, &before);
    EXPECT_FALSE(two_packages().bind_this_thread(0));
    ::sched_getaffinity(0, sizeof after, &after);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(synthetic, describes_its_nodes) {
    EXPECT_EQ(two_packages().describe(),
              "topology: 16 processors, 8 cores, 2 NUMA nodes\n"
              "source: hwloc, a synthetic machine; threads are not bound\n"
              "NUMA node 0: processors 0-7\n"
              "NUMA node 1: processors 8-15\n");
}

TEST(synthetic, nonsense_throws) {
    EXPECT_THROW(topology("banana"), std::invalid_argument);
    EXPECT_THROW(topology(""), std::invalid_argument);
}

void check_environment() {
    ::setenv("HWLOC_SYNTHETIC", "package:1 core:5 pu:1", 1);
    const topology machine;
    std::_Exit(machine.is_synthetic() && machine.processors() == 5 && !machine.bind_this_thread(0)
                   ? 0
                   : 1);
}

TEST(synthetic, hwlocs_own_variable_is_honoured) {
    EXPECT_EXIT(check_environment(), testing::ExitedWithCode(0), "");
}

#else

TEST(synthetic, needs_hwloc) {
    EXPECT_THROW(topology("package:1 core:2 pu:1"), std::invalid_argument);
}

#endif

}  // namespace
