// SPDX-License-Identifier: BSD-3-Clause
// What the runtime keeps for each OS thread that touches it: execution streams, and outside threads
// too, which have caches but no host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/arch/arch.hpp"
#include "lazult/core/memory/descriptor.hpp"
#include "lazult/core/memory/stack_cache.hpp"
#include "lazult/core/unit/counters.hpp"
#include "lazult/core/unit/predictor.hpp"
#include "lazult/core/unit/push_places.hpp"
#include "lazult/core/unit/work_unit.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::core {

class host;
class pool;
class steal_lane;

// libstdc++'s per-thread exception state, __cxa_eh_globals of the Itanium C++ ABI, section 2.2.2.
struct exception_state {
    void* caught;
    unsigned int uncaught;

    bool any() const noexcept { return (reinterpret_cast<std::uintptr_t>(caught) | uncaught) != 0; }
};

// Chooses which of the units that an OS thread creates are traced, one in `every`. It also holds
// the thread's trace buffer. See trace.hpp.
struct tracing_state {
    std::int32_t countdown = 1;  // of creations; at 0 the next unit is traced, or at least counted
    std::uint32_t every = 1;
    std::uint32_t left = 1;  // counts down in its place if statistics count every creation
    ds::default_atomics::atomic<std::uint32_t> lives{0};
    std::uint64_t last = 0;    // ticks
    std::uint64_t window = 0;  // ticks, when it began to count `suspensions`
    std::uint32_t suspensions = 0;
    ds::default_atomics::atomic<probe::trace_buffer*> buffer{nullptr};  // made once

    // Counts a creation. Two instructions for one that is neither traced nor counted otherwise.
    bool skips_one() noexcept { return --countdown > 0; }
};

// Every field is written and read by its OS thread only, but for the caches' inboxes, the counters
// and `pushing`.
struct worker {
    work_unit* current = nullptr;  // the unit that runs now; nullptr while a host's own loop runs
    host* here = nullptr;          // the scheduler in charge; nullptr for outside threads
    int* error_number = nullptr;   // this thread's errno
    exception_state* exceptions = nullptr;
    pool* fast_pool =
        nullptr;  // a private pool of this thread's, if there is one: the first that it attached
    steal_lane* lane = nullptr;  // of the first work-stealing pool that this thread owns
    predictor predict;
    descriptor_cache descriptors{&stacks};
    stack_cache stacks;
    counters count;
    tracing_state tracing;
    stack thread_stack;                    // describes the OS thread's own stack
    std::byte* large_stack_top = nullptr;  // see large_stack.hpp
    void* stream = nullptr;                // floor 6's
    push_places<> pushing;                 // the pools that the thread is pushing to: see pool.hpp
    worker* next = nullptr;                // in the list of all, or of those without a thread
    int index = 0;
    int rank = -1;          // of the stream that it is, or was last; negative: none
    int system_thread = 0;  // the kernel's number of its OS thread
    std::uint16_t stream_number =
        0;  // a door's number for the stream that runs here: see set_stream_number()
    std::uint32_t alone_mark = running_mark::of(start_mode::full, 0);
    std::uint32_t in_place_mark = running_mark::of(start_mode::in_place, 0);
    arch::usual_arithmetic usual;  // see has_own_words()

    void set_stream_number(std::uint16_t number) noexcept {
        stream_number = number;
        alone_mark = running_mark::of(start_mode::full, number);
        in_place_mark = running_mark::of(start_mode::in_place, number);
    }
};

// Whether the unit that runs has changed the floating-point control words. A unit begins with those
// of the process, as enter_process() found them, and its end leaves no others behind.
LAZULT_ALWAYS_INLINE bool has_own_words(const worker& w) noexcept { return w.usual.is_left(); }

// The caller's become the process's. Before any unit runs.
void adopt_control_words() noexcept;

// The worker that carved a unit's descriptor: the one that created the unit.
inline worker& creator_of(const work_unit& u) noexcept {
    descriptor_cache* cache = descriptor_chunk::of(&u)->owner;
    return *reinterpret_cast<worker*>(reinterpret_cast<std::byte*>(cache) -
                                      offsetof(worker, descriptors));
}

// The calling OS thread's worker, or nullptr before its first attach. Read anew after every
// suspension.
LAZULT_ALWAYS_INLINE worker* this_worker_or_null() noexcept {
    return static_cast<worker*>(arch::thread_slot());
}

worker& attach_worker();
// nullptr when memory is exhausted.
worker* try_attach_worker() noexcept;

inline worker* try_this_worker() noexcept {
    worker* w = this_worker_or_null();
    return w != nullptr ? w : try_attach_worker();
}

// Ends the process when memory is exhausted.
LAZULT_ALWAYS_INLINE worker& this_worker() {
    worker* w = this_worker_or_null();
    if (w != nullptr) LAZULT_LIKELY {
        return *w;
    }
    return attach_worker();
}

// For a caller in a unit: its thread has a worker.
LAZULT_ALWAYS_INLINE worker& running_worker() noexcept { return *this_worker_or_null(); }

// The unit that runs on the calling OS thread, or nullptr on an outside thread and in a scheduler's
// own loop.
inline work_unit* current_unit() noexcept {
    worker* w = this_worker_or_null();
    return w == nullptr ? nullptr : w->current;
}

// By an OS thread that is no stream any more, or ends: all that it keeps goes to the stores.
void put_away_all(worker& w) noexcept;

// For ThreadSanitizer. The builder of an object that floors 5 and 6 look into calls this. To the
// tool, a stack may be older than an object that it meets, and have no edges from any thread yet:
// before the unit of the stack goes on, the stack puts the unit before into a pool. The OS
// thread's order gives these edges, but the tool does not see it. If an inline function of these
// floors was compiled for a file that is instrumented, its atomics are instrumented too. The tool
// watches these wherever they stand, so it must learn that they were made.
void tell_built() noexcept;
inline void announce_built() noexcept {
    if constexpr (probe::tsan) {
        tell_built();
    }
}

// What the OS thread was before units ran there is ordered before all that runs there: its
// thread-local variables, and errno. So is what announce_built() told of.
void know_this_thread() noexcept;

// Calls a function with every worker that was ever attached. Some of them have lost their thread,
// and wait for another one.
void for_each_worker(void (*visit)(worker&, void*), void* argument);

// The newest of all workers; they stay, linked by `next`.
const worker* first_worker() noexcept;
// How many threads push to a pool for which there was no memory for a worker.
ds::default_atomics::atomic<int>& unknown_pushers() noexcept;

// Descriptors in use by all workers. Exact only while nothing runs.
std::size_t live_units();

}  // namespace lazult::core
