// SPDX-License-Identifier: BSD-3-Clause
#include "tests/model/fiber.hpp"

#include "lazult/probe/probe.hpp"

#include <cstdint>

namespace lazult::model {

namespace {
fiber* came_from = nullptr;  // set before each switch; the model runs on one OS thread
}

fiber::fiber() : tsan_fiber_(probe::fiber_current()) {}

fiber::fiber(void (*entry)(void*), void* argument)
    : stack_(std::make_unique_for_overwrite<std::byte[]>(stack_size)),
      entry_(entry),
      argument_(argument),
      low_(stack_.get()),
      size_(stack_size),
      tsan_fiber_(probe::fiber_create()) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = stack_size;
    context_.uc_link = nullptr;
    const std::uint64_t self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&fiber::start), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

fiber::~fiber() {
    if (stack_ != nullptr) {
        probe::asan_unpoison(stack_.get(), stack_size);
        probe::fiber_destroy(tsan_fiber_);
    }
}

void fiber::switch_to(fiber& next) {
    // read before the release, like all that belongs to this side
    void* const tsan_fiber = next.tsan_fiber_;
    came_from = this;
    probe::asan_start_switch(&fake_stack_, next.low_, next.size_);
    probe::release(&came_from);
    probe::fiber_switch(tsan_fiber);
    swapcontext(&context_, &next.context_);
    arrived();
}

void fiber::arrived() {
    const void* low = nullptr;
    std::size_t size = 0;
    probe::asan_finish_switch(fake_stack_, &low, &size);
    probe::acquire(&came_from);
    if (came_from->size_ == 0) {  // an OS thread's own stack: only the tool knows its bounds
        came_from->low_ = low;
        came_from->size_ = size;
    }
}

void fiber::start(unsigned high, unsigned low) {
    const std::uint64_t self = std::uint64_t{high} << 32 | low;
    auto* const started = reinterpret_cast<fiber*>(static_cast<std::uintptr_t>(self));
    started->arrived();
    started->entry_(started->argument_);
}

}  // namespace lazult::model
