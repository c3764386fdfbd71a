// SPDX-License-Identifier: BSD-3-Clause
// The wrappers of a tool that is on are exercised for real by the tests of the floors that switch
// stacks; here they are called as their contracts allow without a switch, in every build.
#include "lazult/probe/probe.hpp"

#include "lazult/os/os.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include <sys/wait.h>

namespace {

using namespace lazult;

TEST(sanitizers, fibers_exist_exactly_under_tsan) {
    void* self = probe::fiber_current();
    void* fiber = probe::fiber_create();
    EXPECT_EQ(self != nullptr, probe::tsan);
    EXPECT_EQ(fiber != nullptr, probe::tsan);
    probe::fiber_destroy(fiber);
}

// The edges are those of a real hand-over. Without them TSan calls it a race that this frame is
// used as two fibers: the switch itself orders nothing. EXPECT_EQ would take the address of `self`,
// which is then read from the frame after the release.
LAZULT_NOINLINE void visit(void* fiber) {
    char edge = 0;
    void* self = probe::fiber_current();
    probe::release(&edge);
    probe::fiber_switch(fiber);
    probe::acquire(&edge);
    EXPECT_TRUE(probe::fiber_current() == fiber);
    probe::release(&edge);
    probe::fiber_switch(self);
    probe::acquire(&edge);
    EXPECT_TRUE(probe::fiber_current() == self);
}

TEST(sanitizers, a_fiber_can_be_visited) {
    void* fiber = probe::fiber_create();
    for (int i = 0; i < 100; ++i) visit(fiber);
    probe::fiber_destroy(fiber);
}

void share_without_an_edge() {
    static volatile int shared = 0;
    void* const self = probe::fiber_current();
    void* const fiber = probe::fiber_create();
    shared = 1;
    probe::fiber_switch(fiber);
    shared = shared + 1;
    probe::fiber_switch(self);
    std::exit(0);
}

TEST(sanitizers, a_switch_orders_nothing) {
    if (!probe::tsan) {
        GTEST_SKIP() << "only ThreadSanitizer can tell";
    }
    const auto complains = [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) != 0; };
    EXPECT_EXIT(share_without_an_edge(), complains, "data race");
}

// Under TSan this is the whole test: without the edge it reports a race on `value` and the program
// fails. The hand-over itself is a futex-free relaxed flag, which orders nothing.
TEST(sanitizers, release_and_acquire_make_an_edge) {
    int value = 0;
    std::atomic<bool> ready{false};
    std::thread writer([&] {
        value = 42;
        probe::release(&ready);
        // A release store for the hardware where no tool gives the edge.
        ready.store(true, probe::tsan ? std::memory_order_relaxed : std::memory_order_release);
    });
    while (!ready.load(probe::tsan ? std::memory_order_relaxed : std::memory_order_acquire)) {
        std::this_thread::yield();
    }
    probe::acquire(&ready);
    EXPECT_EQ(value, 42);
    writer.join();
}

TEST(sanitizers, asan_learns_of_a_switch_to_the_same_stack) {
    const os::stack_bounds stack = os::this_thread_stack();
    const auto size = static_cast<std::size_t>(stack.high - stack.low);
    probe::stack_switch kept;
    const void* old_low = nullptr;
    std::size_t old_size = 0;
    probe::asan_start_switch(&kept.fake_stack, stack.low, size);
    probe::asan_finish_switch(kept.fake_stack, &old_low, &old_size);
    EXPECT_EQ(old_low != nullptr, probe::asan);
    EXPECT_EQ(old_size != 0, probe::asan);
}

// As a longjmp out of a frame leaves it: the bytes are poisoned when the stack is used again.
void poison([[maybe_unused]] char* bytes, [[maybe_unused]] std::size_t size) {
#if LAZULT_ASAN
    __asan_poison_memory_region(bytes, size);
#endif
}

TEST(sanitizers, unpoisoned_bytes_may_be_used_again) {
    alignas(8) static char bytes[256];
    poison(bytes, sizeof bytes);
    probe::asan_unpoison(bytes, sizeof bytes);
    for (char& byte : bytes) byte = 1;
    EXPECT_EQ(bytes[255], 1);
}

TEST(sanitizers, valgrind_registration_is_harmless_without_valgrind) {
    const std::size_t size = std::size_t{64} << 10;
    auto* stack = static_cast<std::byte*>(os::reserve(size, 1));
    ASSERT_NE(stack, nullptr);
    const unsigned id = probe::valgrind_register_stack(stack, stack + size);
    if (!probe::under_valgrind()) {
        EXPECT_EQ(id, 0U);
    }
    probe::valgrind_deregister_stack(id);
    os::release(stack, size);
}

}  // namespace
