// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Contexts: what a logical thread keeps when it cannot go on, and the strand that runs them.
/// Included by <lazult_concert_methods.hpp>; no user names what is in detail.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lazult::concert::detail {

// A thread that waits, or is ready, without a stack of its own. What it needs to go on follows the
// header: its slots, the values that it keeps, its code.
//
// A context belongs to one strand, and only the thread that is inside that strand touches it. So
// its fields are plain, and nothing here takes a locked instruction.
//
//   waiting   how many of its slots are empty. The resolution that makes it zero appends the
//             context to the strand's ready list.
//   generation  how often this memory has been given back. A continuation carries the generation
//             that it was made with, so that one which is used too late is found.
//   holds_object  while it waits, it keeps the object whose header is `next` for its method
struct alignas(16) context {
    void (*run)(context* self);  // goes on, and gives the context back at the end
    context* next;               // in the ready list, or among the free ones; see holds_object
    // The thread's continuation: where its result goes. Until the thread's caller sets it, it leads
    // nowhere, and the result would be thrown away.
    std::uint64_t to_target;
    std::uint64_t to_where;
    std::uint32_t waiting;
    std::uint32_t generation;
    std::uint16_t size_class;  // in steps of 64 bytes; 0: too large for the lists
    bool holds_object;

    // Makes a thread's context in the free one `blank`, with a continuation that leads nowhere.
    context(void (*code)(context*), std::uint32_t waits_for, const context& blank) noexcept;
    context() noexcept = default;
};

inline constexpr std::size_t size_step = 64;
inline constexpr std::size_t size_classes = 64;

// What has happened in one strand, and how often.
struct counters {
    std::uint64_t contexts = 0;      // made
    std::uint64_t heap_calls = 0;    // calls that began in a context
    std::uint64_t fallbacks = 0;     // callers that moved from the stack to a context
    std::uint64_t taken = 0;         // contexts that a callee made for its caller
    std::uint64_t restarts = 0;      // contexts that the ready list ran
    std::uint64_t foreign = 0;       // resolutions that came from another strand
    std::uint64_t sent_calls = 0;    // calls that went to another strand or rank
    std::uint64_t served = 0;        // calls that came, and ended in the message's handler
    std::uint64_t served_later = 0;  // calls that came, and blocked
    std::uint64_t cache_hits = 0;    // of call_cached()
    std::uint64_t cache_misses = 0;
};

// How long loops have run in a strand: see loop_gives_way().
struct loop_slice {
    std::int64_t began_ns = 0;     // when a loop first looked at the clock
    std::uint32_t calls_left = 1;  // until the next look
    std::uint16_t stride = 1;      // calls between two looks
    bool has_begun = false;        // a loop has looked
    bool is_over = false;          // all loops give way until the ready list runs a context
};

// Runs the threads of its contexts, one at a time. `home` is the rank in the low 16 bits and the
// strand's number above them.
struct strand_data {
    constexpr explicit strand_data(std::uint32_t number = 0) noexcept : home(number) {}

    context* first = nullptr;
    context** last = &first;
    context* running = nullptr;  // the one that the ready list runs now
    loop_slice of_loops;
    context* free[size_classes] = {};
    std::uint32_t home;
    std::uint32_t simulated = 0;  // of a simulated rank: its number and one
    counters count;

    void enqueue(context* c) noexcept {
        c->next = nullptr;
        *last = c;
        last = &c->next;
    }
    // Takes the first ready context. Precondition: there is one.
    context* dequeue() noexcept {
        context* const c = first;
        first = c->next;
        if (first == nullptr) {
            last = &first;
        }
        return c;
    }
};

// What an OS thread knows of the strand that it is inside. Outside of every strand, `inside` is a
// strand that is nobody's home, and the stack limit is so high that every call asks
// must_call_in_context(), which reports the error.
struct position {
    strand_data* inside;
    std::uintptr_t stack_limit;  // see leaves_stack()
    std::uintptr_t least_stack;  // where a call would be too near to the stack's end
};

extern LAZULT_API __attribute__((tls_model("initial-exec"))) thread_local constinit position here;

// What here.inside points to, for callers that may be outside of strands. ThreadSanitizer takes
// ULTs of one OS thread for threads of their own, and would report that they share `here`.
[[gnu::no_sanitize_thread]] inline strand_data& strand_of_thread() noexcept { return *here.inside; }

// Makes free contexts, and returns one. Called if none of this size is left. Throws std::bad_alloc.
LAZULT_API context* make_contexts(strand_data& in, std::size_t size_class);

// What can be kept, given to a method or given by one. Moving it must not throw, because a group of
// calls that has begun cannot be taken back.
template <class T>
inline constexpr bool is_movable_safely =
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>;

// Returns a free context of at least so many bytes, header included. Only its `size_class` and
// `generation` are set.
template <std::size_t Bytes>
context* take_context(strand_data& in) {
    constexpr std::size_t size_class = (Bytes + size_step - 1) / size_step;
    static_assert(size_class < size_classes, "a thread keeps at most 4 KiB: keep a pointer");
    ++in.count.contexts;
    context* const c = in.free[size_class];
    if (c == nullptr) [[unlikely]] {
        return make_contexts(in, size_class);
    }
    in.free[size_class] = c->next;
    return c;
}

inline void give_back(strand_data& in, context* c) noexcept {
    ++c->generation;
    c->next = in.free[c->size_class];
    in.free[c->size_class] = c;
}

// Where the caller's frame begins. The stack grows downwards: less is below. The compilers know
// this address without a frame pointer, and a call may still be the last thing that a frame does.
[[gnu::always_inline]] inline std::uintptr_t stack_position() noexcept {
    return reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
}

// A call that goes to a context moves its arguments there. The functions in between hold so many
// copies of them on the stack at most.
inline constexpr std::size_t copies_on_stack = 8;

// Returns true if the stack may be too short for the next call, which needs so many bytes more than
// others. must_call_in_context() and is_stack_short() say whether it is.
[[gnu::always_inline]] inline bool is_near_stack_limit(std::size_t bytes = 0) noexcept {
    return stack_position() - bytes < here.stack_limit;
}

// Returns true if the next call, which needs so many bytes more than others, has too little stack.
[[gnu::always_inline]] inline bool is_stack_short(std::size_t bytes) noexcept {
    return stack_position() - bytes < here.least_stack;
}

// To be called if is_near_stack_limit(). Returns true if the stack is too short, or if
// block_every() sends this call to a context. Ends the process with a report if the thread is
// inside no strand.
LAZULT_API bool must_call_in_context() noexcept;

// Returns true if the calling thread is inside a strand.
LAZULT_API bool is_inside() noexcept;

// For tests: from the next run() on, every n-th call begins in a context although the stack has
// room, so that tests reach the code for short stacks. 0 ends this.
LAZULT_API void block_every(std::uint32_t n) noexcept;

// As must_call_in_context(), and true also if the stack is too short for so many bytes more.
inline bool must_leave_stack(std::size_t bytes) noexcept {
    return must_call_in_context() || is_stack_short(bytes);
}

// Returns true if the next call, which needs so many bytes more than others, must begin in a
// context instead of on this stack.
[[gnu::always_inline]] inline bool leaves_stack(std::size_t bytes = 0) noexcept {
    return is_near_stack_limit(bytes) && must_leave_stack(bytes);
}

// Called where calls_left has become zero. Returns true if the loop must let others run now.
LAZULT_API bool must_give_way() noexcept;

// Called before each call of a loop. Returns true if the loop has run for so long that it must go
// on in a context, behind those that are ready. Else messages, and threads of this strand, would
// wait until it ends.
[[gnu::always_inline]] inline bool loop_gives_way() noexcept {
    return --here.inside->of_loops.calls_left == 0 && must_give_way();
}

}  // namespace lazult::concert::detail
