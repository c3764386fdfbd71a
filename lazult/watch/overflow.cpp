// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/overflow.hpp"

#include <cstdio>

#include <unistd.h>

#include "lazult/core/core.hpp"

namespace lazult::watch {
namespace {

using core::work_unit;
using core::worker;

struct report {
    char* buffer;
    std::size_t size;
    const void* address;
};

std::size_t bytes_of(std::uint8_t stack_class) noexcept { return std::size_t{1} << stack_class; }

const char* kind_of(const work_unit& u) noexcept {
    return u.has(core::flag_tasklet) ? "tasklet" : "ULT";
}

void* entry_of(const work_unit& u) noexcept { return reinterpret_cast<void*>(u.entry); }

const char* setting_for(const work_unit& u) noexcept {
    return u.has(core::flag_tasklet)
               ? "LAZULT_SCHEDULER_STACK_SIZE"
               : "LAZULT_STACK_SIZE or the stack_size attribute of this thread";
}

// Returns whether the own code of a scheduler runs, also of a stacked one.
bool is_scheduler(const worker* w, const work_unit* u) noexcept {
    return w != nullptr && w->here != nullptr && (u == nullptr || core::host::runs_own_code(*w));
}

// Describes the overflow of a stack of the runtime's, because its guard page was touched.
void tell_of_stack(const report& to, const core::stack& s) noexcept {
    const worker* const w = core::this_worker_or_null();
    const work_unit* const u = core::current_unit();
    const std::size_t bytes = bytes_of(s.size_class);
    if (u == nullptr || is_scheduler(w, u)) {
        std::snprintf(to.buffer, to.size,
                      "lazult: stack overflow in a scheduler's own code: its stack of %zu bytes is "
                      "full at address %p; raise LAZULT_SCHEDULER_STACK_SIZE\n",
                      bytes, to.address);
        return;
    }
    const std::size_t asked = bytes_of(u->header.stack_class);
    char more[96] = "";
    if (asked != bytes && !u->has(core::flag_user_stack)) {
        std::snprintf(more, sizeof more, ", where it was called by its joiner and asked for %zu",
                      asked);
    }
    std::snprintf(to.buffer, to.size,
                  "lazult: stack overflow in %s %p%s (entry function %p): its stack of %zu bytes "
                  "is full at address %p%s; raise %s\n",
                  kind_of(*u), static_cast<const void*>(u), core::quoted_name(*u).text,
                  entry_of(*u), bytes, to.address, more, setting_for(*u));
}

// Returns whether the unit was called on the OS thread's own stack, by its joiner or by a
// scheduler. If not, the unit is the code of that thread.
bool is_called(const work_unit& u) noexcept {
    return u.started == core::start_mode::in_place ||
           u.started == core::start_mode::run_to_completion ||
           u.started == core::start_mode::scheduler_creation;
}

// Asked at each call, because a fork() may have made the calling thread the main one.
bool is_main() noexcept { return os::thread_id() == static_cast<std::uint64_t>(::getpid()); }

const char* owner() noexcept { return is_main() ? "the main thread" : "an OS thread"; }

const char* remedy() noexcept {
    return is_main() ? "raise its limit (ulimit -s)"
                     : "raise the size that its creator gives it (pthread_attr_setstacksize; "
                       "OMP_STACKSIZE for a thread of OpenMP's)";
}

void tell_of_thread(const report& to, const worker& w) noexcept {
    const work_unit* const u = w.current;
    const std::size_t bytes = w.thread_stack.usable();
    if (u == nullptr || !is_called(*u)) {
        std::snprintf(to.buffer, to.size,
                      "lazult: stack overflow in %s's own code: its stack of %zu bytes is full at "
                      "address %p; %s\n",
                      owner(), bytes, to.address, remedy());
        return;
    }
    std::snprintf(
        to.buffer, to.size,
        "lazult: stack overflow in %s %p%s (entry function %p): its joiner called it on the stack "
        "of %s, whose %zu bytes are full at address %p; it asked for %zu: raise %s\n",
        kind_of(*u), static_cast<const void*>(u), core::quoted_name(*u).text, entry_of(*u), owner(),
        bytes, to.address, bytes_of(u->header.stack_class), setting_for(*u));
}

// Returns whether the address is right below the thread's stack. Linux keeps a megabyte free below
// the main thread's stack, which grows. Below the guard of another thread's stack there may be
// anything.
bool is_below(const worker& w, const void* address) noexcept {
    constexpr std::size_t gap_of_main = std::size_t{1} << 20;
    constexpr std::size_t guard_of_others = std::size_t{64} << 10;
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto low = reinterpret_cast<std::uintptr_t>(w.thread_stack.low);
    return at < low + os::page_size() && at >= low - (is_main() ? gap_of_main : guard_of_others);
}

}  // namespace

bool describe_overflow(void* address, char* buffer, std::size_t size) noexcept {
    const report to{buffer, size, address};
    if (const core::stack* s = core::stack_with_guard_at(address); s != nullptr) {
        tell_of_stack(to, *s);
        return true;
    }
    const worker* const w = core::this_worker_or_null();
    if (w == nullptr || !is_below(*w, address)) {
        return false;
    }
    tell_of_thread(to, *w);
    return true;
}

}  // namespace lazult::watch
