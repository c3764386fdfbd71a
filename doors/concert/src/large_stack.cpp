// SPDX-License-Identifier: BSD-3-Clause
#include "large_stack.hpp"

#include "lazult/arch/arch.hpp"
#include "lazult/base/base.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

#include <cstddef>

namespace lazult::concert {
namespace {

constexpr std::size_t large = std::size_t{1} << 20;

struct range {
    std::byte* low = nullptr;
    std::byte* high = nullptr;

    bool has(const std::byte* p) const noexcept { return p >= low && p < high; }
};

// Of one OS thread. Its large stack is made when it is first needed, below a guard.
struct stacks {
    range system;
    range own;

    stacks() noexcept {
        const os::stack_bounds bounds = os::this_thread_stack();
        system = {bounds.low, bounds.high};
    }
    ~stacks() {
        if (own.low != nullptr) {
            os::release(own.low - os::page_size(), large + os::page_size());
        }
    }
    void make() noexcept {
        const std::size_t guard = os::page_size();
        auto* const memory = static_cast<std::byte*>(os::reserve(large + guard, guard));
        if (memory == nullptr) {
            base::fatal_misuse("concert", "there is no memory for a stack to call MPI on",
                               "use fewer threads, or more memory");
        }
        os::install_guard(memory, guard, os::best_guard_method());
        own = {memory + guard, memory + guard + large};
    }
};

// Not inlined: a ULT may continue on another OS thread.
LAZULT_NOINLINE stacks& mine() noexcept {
    thread_local stacks of_this_thread;
    return of_this_thread;
}

struct request {
    void (*call)(void*);
    void* argument;
};

void on_the_other_side(void* self) noexcept {
    const void* low = nullptr;
    std::size_t bytes = 0;
    probe::asan_finish_switch(nullptr, &low, &bytes);
    const request& what = *static_cast<request*>(self);
    what.call(what.argument);
    probe::asan_start_switch(nullptr, low, bytes);
}

}  // namespace

void with_large_stack(void (*call)(void*), void* argument) noexcept {
    const auto* const here = static_cast<std::byte*>(__builtin_frame_address(0));
    stacks& known = mine();
    if (known.system.has(here) || known.own.has(here)) LAZULT_LIKELY {
        call(argument);
        return;
    }
    if (known.own.low == nullptr) {
        known.make();
    }
    request what{call, argument};
    void* fake_stack = nullptr;
    probe::asan_start_switch(&fake_stack, known.own.low, large);
    arch::lazult_call_on(known.own.high, on_the_other_side, &what);
    probe::asan_finish_switch(fake_stack, nullptr, nullptr);
}

}  // namespace lazult::concert
