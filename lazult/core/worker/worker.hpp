// SPDX-License-Identifier: BSD-3-Clause
// What the runtime keeps for each OS thread that touches it: for execution streams, and for outside
// threads, which have caches but no host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/core/memory/descriptor.hpp"
#include "lazult/core/memory/stack_cache.hpp"
#include "lazult/core/unit/predictor.hpp"
#include "lazult/core/unit/push_places.hpp"
#include "lazult/core/worker/kernel_port.hpp"

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

// Chooses which of the units that an OS thread creates are traced: one in `every`. Holds the
// thread's trace buffer, too. See trace.hpp.
struct tracing_state {
    std::int32_t countdown = 1;  // of creations; at 0 a unit is traced, or at least counted
    std::uint32_t every = 1;
    std::uint32_t left = 1;  // counts down instead of `countdown` if every creation is counted
    ds::default_atomics::atomic<std::uint32_t> lives{0};
    std::uint64_t last = 0;    // ticks: when `every` was adjusted
    std::uint64_t window = 0;  // ticks: when it began to count `suspensions`
    std::uint32_t suspensions = 0;
    ds::default_atomics::atomic<probe::trace_buffer*> buffer{nullptr};  // made once
    std::uint8_t yield_kind = 0;                                        // see tell_yield()
    char* words = nullptr;  // for the suspend probe; made once

    // Counts a creation. Returns true for a unit that is neither traced nor counted otherwise.
    bool skips_one() noexcept { return --countdown > 0; }
};

// Only its OS thread writes and reads the fields, but for the caches' inboxes, the counters and
// `pushing`. Reports read some of the others as hints. Three fields of a stream are read by others:
//
// field    written by             read by                 order
// port     its thread; a forked   spare streams; units    units store it by release and load it by
//          child                  of the stream           acquire, as spare streams do; the thread
//                                                         loads what it has stored: relaxed
// stream   its thread; the list   the monitor             relaxed: it compares the address alone
//          of workers
// number   its thread             spare streams           relaxed: any value that it had will do
struct worker {
    work_unit* current = nullptr;  // the unit that runs now; nullptr while a host's own loop runs
    host* here = nullptr;          // the scheduler in charge; nullptr for outside threads
    int* error_number = nullptr;   // this thread's errno
    exception_state* exceptions = nullptr;
    pool* fast_pool = nullptr;   // the first private pool that this thread has attached, or null
    steal_lane* lane = nullptr;  // of the first work-stealing pool that this thread owns
    // where a unit stays that has begun on this thread, once it suspends; null: it may move
    pool* stay_pool = nullptr;
    const host* stay_host = nullptr;  // the scheduler that serves that pool
    // where this stream's units wait for the kernel; null: none has
    ds::default_atomics::atomic<kernel_port*> port{nullptr};
    predictor predict;
    descriptor_cache descriptors{&stacks};
    stack_cache stacks;
    counters count;
    tracing_state tracing;
    stack thread_stack;                    // describes the OS thread's own stack
    std::byte* large_stack_top = nullptr;  // see large_stack.hpp
    // for sched/; the link of the list of workers without a thread
    ds::default_atomics::atomic<void*> stream{nullptr};
    push_places<> pushing;   // the pools that the thread is pushing to: pool.hpp
    worker* next = nullptr;  // in the list of all workers
    int index = 0;
    int rank = -1;                    // of the stream that it is, or was last; negative: none
    int system_thread = 0;            // the kernel's number of the OS thread
    std::uint32_t streams_ended = 0;  // that ran here; only its thread uses this
    // a door's number for the stream that runs here, which also stands in the two marks
    ds::default_atomics::atomic<std::uint16_t> number{0};
    std::uint32_t alone_mark = running_mark::of(start_mode::full, 0);
    std::uint32_t in_place_mark = running_mark::of(start_mode::in_place, 0);
    arch::usual_arithmetic usual;  // see has_own_words()
    unsigned callbacks = 0;        // see program_callback

    std::uint16_t stream_number() const noexcept {
        return number.load(std::memory_order_relaxed);  // see the table
    }
    void set_stream_number(std::uint16_t its) noexcept {
        number.store(its, std::memory_order_relaxed);  // see the table
        alone_mark = running_mark::of(start_mode::full, its);
        in_place_mark = running_mark::of(start_mode::in_place, its);
    }
};

// Returns whether the running unit has changed the floating-point control words. A unit begins with
// those of the process, as enter_process() found them, and its end restores them.
LAZULT_ALWAYS_INLINE bool has_own_words(const worker& w) noexcept { return w.usual.is_left(); }

// Makes the caller's control words those of the process. Called before any unit runs.
void adopt_control_words() noexcept;

// Returns the worker that created the unit: the one that carved its descriptor.
inline worker& creator_of(const work_unit& u) noexcept {
    descriptor_cache* cache = descriptor_chunk::of(&u)->owner;
    return *reinterpret_cast<worker*>(reinterpret_cast<std::byte*>(cache) -
                                      offsetof(worker, descriptors));
}

// Returns the calling OS thread's worker, or nullptr before its first attach. It must be called
// again after every suspension.
LAZULT_ALWAYS_INLINE worker* this_worker_or_null() noexcept {
    return static_cast<worker*>(arch::thread_slot());
}

// While such an object exists, the thread runs a function of the program's inside the runtime: a
// pool's, for instance. A call of the C library that it makes must not suspend the current unit,
// which may be about to leave.
class program_callback {
public:
    program_callback() noexcept : w_(this_worker_or_null()) {
        if (w_ != nullptr) {
            ++w_->callbacks;
        }
    }
    ~program_callback() {
        if (w_ != nullptr) {
            --w_->callbacks;
        }
    }
    program_callback(const program_callback&) = delete;
    program_callback& operator=(const program_callback&) = delete;

private:
    worker* w_;
};

worker& attach_worker();
// Returns nullptr when memory is exhausted.
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

// Puts all free memory that the worker keeps into the stores. Called by its OS thread.
void put_away_all(worker& w) noexcept;

// For ThreadSanitizer: announces an object that core/ or sched/ accesses. Its builder calls this.
// The tool takes a stack for a thread, and knows no order between the construction and a stack that
// is older: before its own unit goes on, such a stack pushes the unit before into a pool. The OS
// thread's order is not visible to the tool. The tool sees these accesses because inline functions
// are compiled into instrumented files.
void tell_built() noexcept;
inline void announce_built() noexcept {
    if constexpr (probe::tsan) {
        tell_built();
    }
}

// For ThreadSanitizer: orders what follows after what the OS thread did before units ran there
// (thread-local variables, errno), and after what announce_built() has announced.
void know_this_thread() noexcept;

// Calls a function with every worker. Some of them have no thread at present.
void for_each_worker(void (*visit)(worker&, void*), void* argument);

// Returns the newest worker. Workers are never freed; they are linked by `next`.
const worker* first_worker() noexcept;
// Counts the threads that push to a pool without a worker, for want of memory.
ds::default_atomics::atomic<int>& unknown_pushers() noexcept;

// Returns the number of descriptors in use by all workers. Exact only while nothing runs.
std::size_t live_units();

}  // namespace lazult::core
