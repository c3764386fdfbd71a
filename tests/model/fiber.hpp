// SPDX-License-Identifier: BSD-3-Clause
// Flows of control on stacks of their own, over <ucontext.h>: the model must not depend on what it
// checks.
#pragma once

#include <ucontext.h>
#include <cstddef>
#include <memory>

namespace lazult::model {

class fiber {
public:
    // The calling OS thread's own stack.
    fiber();
    // Runs entry(argument), which must not return, when it is switched to first.
    fiber(void (*entry)(void*), void* argument);
    ~fiber();
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    void switch_to(fiber& next);

private:
    static constexpr std::size_t stack_size = 256 * 1024;

    static void start(unsigned high, unsigned low);
    void arrived();

    ucontext_t context_{};
    std::unique_ptr<std::byte[]> stack_;
    void (*entry_)(void*) = nullptr;
    void* argument_ = nullptr;
    // For the sanitizers: the bounds of the stack, ASan's fake stack while another fiber runs, and
    // TSan's name for this fiber.
    const void* low_ = nullptr;
    std::size_t size_ = 0;
    void* fake_stack_ = nullptr;
    void* tsan_fiber_;
};

}  // namespace lazult::model
