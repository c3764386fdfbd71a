// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/worker/large_stack.hpp"

namespace lazult::core {
namespace {

constexpr std::size_t large_guard_bytes = std::size_t{64} << 10;  // a multiple of any page

// The low pages, the guard, are not committed: an overflow is a fault.
std::byte* make_large_stack() noexcept {
    const std::size_t all = large_guard_bytes + large_stack_bytes;
    auto* const low = static_cast<std::byte*>(os::reserve_addresses(all, large_guard_bytes));
    if (low == nullptr) {
        return nullptr;
    }
    if (!os::commit(low + large_guard_bytes, large_stack_bytes)) {
        os::release(low, all);
        return nullptr;
    }
    return low + all;
}

// Returns whether the caller stands on the large stack, or has as much room on the OS thread's own
// stack, which may be as small as its creator wished.
bool has_room_here(const worker& w) noexcept {
    const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
    const auto within = [here](const std::byte* low, const std::byte* high) {
        return here >= low && here < high;
    };
    const std::byte* const top = w.large_stack_top;
    return (within(w.thread_stack.low, w.thread_stack.high) &&
            here - w.thread_stack.low >= static_cast<std::ptrdiff_t>(large_stack_bytes)) ||
           (top != nullptr && within(top - large_stack_bytes, top));
}

struct call_above {
    entry_function call;
    void* argument;
};

void enter(void* v) noexcept {
    const void* back_low = nullptr;
    std::size_t back_size = 0;
    probe::asan_finish_switch(nullptr, &back_low, &back_size);
    const call_above mine = *static_cast<call_above*>(v);
    mine.call(mine.argument);
    probe::asan_start_switch(nullptr, back_low, back_size);
}

// Calls `what` on the large stack. The calls of all units there are ordered for ThreadSanitizer.
void run_above(std::byte* top, call_above what) noexcept {
    probe::acquire(top);  // pairs with: the release below
    void* fake = nullptr;
    probe::asan_start_switch(&fake, top - large_stack_bytes, large_stack_bytes);
    arch::lazult_call_on(top, enter, &what);
    probe::asan_finish_switch(fake, nullptr, nullptr);
    probe::release(top);  // pairs with: the acquire above
}

}  // namespace

void call_on_large_stack(entry_function call, void* argument) noexcept {
    worker* const w = this_worker_or_null();
    if (w == nullptr || w->here == nullptr) {
        call(argument);
        return;
    }
    const no_suspension held(w->current);
    if (has_room_here(*w)) {
        call(argument);
        return;
    }
    if (w->large_stack_top == nullptr) LAZULT_UNLIKELY {
        w->large_stack_top = make_large_stack();
    }
    if (w->large_stack_top == nullptr) LAZULT_UNLIKELY {
        call(argument);
        return;
    }
    run_above(w->large_stack_top, {call, argument});
}

}  // namespace lazult::core
