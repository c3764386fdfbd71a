// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace lazult;

// While the process had one thread: with more the kernel takes some ten milliseconds for it. The
// library is not asked here.
TEST(membarrier, the_process_is_registered_when_the_library_is_loaded) {
    const long known = ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    if (known < 0 || (known & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) {
        GTEST_SKIP() << "the kernel has no such barrier";
    }
    EXPECT_EQ(::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), 0);
}

TEST(membarrier, the_answer_never_changes_and_the_call_returns) {
    const bool available = os::membarrier_available();
    for (int i = 0; i < 100; ++i) os::membarrier();
    EXPECT_EQ(os::membarrier_available(), available);
}

// Spins first: the two sides must meet within nanoseconds, or there is nothing to order. Yields
// then, for machines with one processor.
template <class Condition>
void await(Condition condition) {
    for (int spins = 0; !condition(); ++spins) {
        if (spins > 1'000) os::yield_thread();
    }
}

// Store buffering: each thread stores its word and then reads the other's. With a full barrier in
// both, at least one sees the other's store. Here one side's barrier binds the compiler only.
class store_buffering {
public:
    template <class Heavy>
    int both_missed(int rounds, Heavy heavy_barrier) {
        std::thread light([&] { run_light(rounds); });
        int missed = 0;
        for (int round = 1; round <= rounds; ++round) {
            light_word_.store(0, std::memory_order_relaxed);
            heavy_word_.store(0, std::memory_order_relaxed);
            // pairs with: run_light(), load of start_
            start_.store(round, std::memory_order_release);
            // The light side needs a moment to notice; the delay sweeps over that moment.
            for (int i = 0; i < round % 256; ++i) sink_ = i;
            heavy_word_.store(1, std::memory_order_relaxed);
            heavy_barrier();
            const int heavy_saw = light_word_.load(std::memory_order_relaxed);
            // pairs with: run_light(), store of done_
            await([&] { return done_.load(std::memory_order_acquire) == round; });
            missed += heavy_saw == 0 && light_saw_.load(std::memory_order_relaxed) == 0 ? 1 : 0;
        }
        light.join();
        return missed;
    }

private:
    void run_light(int rounds) {
        for (int round = 1; round <= rounds; ++round) {
            // pairs with: both_missed(), store of start_
            await([&] { return start_.load(std::memory_order_acquire) == round; });
            light_word_.store(1, std::memory_order_relaxed);
            std::atomic_signal_fence(std::memory_order_seq_cst);
            light_saw_.store(heavy_word_.load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
            // pairs with: both_missed(), load of done_
            done_.store(round, std::memory_order_release);
        }
    }

    volatile int sink_ = 0;
    alignas(64) std::atomic<int> light_word_{0};
    alignas(64) std::atomic<int> heavy_word_{0};
    alignas(64) std::atomic<int> light_saw_{0};
    alignas(64) std::atomic<int> start_{0};
    alignas(64) std::atomic<int> done_{0};
};

TEST(membarrier, makes_a_light_side_without_any_barrier_correct) {
    if (!os::membarrier_available()) {
        GTEST_SKIP() << "this kernel has no expedited membarrier";
    }
    store_buffering litmus;
    EXPECT_EQ(litmus.both_missed(10'000, [] { os::membarrier(); }), 0);
    // How sharp the litmus is on this machine, for the reader of a log: too much luck for an
    // expectation.
    store_buffering without;
    RecordProperty("missed_without_barrier", without.both_missed(10'000, [] {}));
}

TEST(membarrier, a_visit_of_every_processor_does_for_it) {
    store_buffering litmus;
    EXPECT_EQ(litmus.both_missed(500, [] { os::reach_every_processor(); }), 0);
}

TEST(membarrier, a_visit_leaves_the_thread_where_it_may_run) {
    cpu_set_t before;
    cpu_set_t after;
    ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
    os::reach_every_processor();
    ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
