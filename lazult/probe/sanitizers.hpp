// SPDX-License-Identifier: BSD-3-Clause
// Tells ThreadSanitizer, AddressSanitizer and valgrind about stacks that they did not make.
// Everything here vanishes if the tool is off.
#pragma once

#include "lazult/base/base.hpp"

#include <cstddef>

#if defined(LAZULT_TSAN)
#elif defined(__SANITIZE_THREAD__)
#define LAZULT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LAZULT_TSAN 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#define LAZULT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LAZULT_ASAN 1
#endif
#endif

// The build may define LAZULT_TSAN itself. arch/, core/, watch/ and sched/ are annotated by hand
// and not instrumented, because the fibers of one OS thread share that thread's data in an order
// that ThreadSanitizer cannot see.
#ifndef LAZULT_TSAN
#define LAZULT_TSAN 0
#endif
#ifndef LAZULT_ASAN
#define LAZULT_ASAN 0
#endif

#if LAZULT_TSAN
#include <sanitizer/tsan_interface.h>
// Dynamic annotations: functions of the tool's runtime library that no header declares.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif
#if LAZULT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace lazult::probe {

inline constexpr bool tsan = LAZULT_TSAN != 0;
inline constexpr bool asan = LAZULT_ASAN != 0;

// The wrappers around switches are inlined by force. A call would be entered on one stack's shadow
// and left on another's, which confuses the tool.

LAZULT_INLINE_BY_FORCE void* fiber_current() noexcept {
#if LAZULT_TSAN
    return __tsan_get_current_fiber();
#else
    return nullptr;
#endif
}

// Returns a fiber. What the caller did before the last 64 or so calls of this function is ordered
// before what the fiber does; nothing later is.
#if LAZULT_TSAN
void* fiber_create() noexcept;
#else
inline void* fiber_create() noexcept { return nullptr; }
#endif

LAZULT_INLINE_BY_FORCE void fiber_destroy([[maybe_unused]] void* fiber) noexcept {
#if LAZULT_TSAN
    __tsan_destroy_fiber(fiber);
#endif
}

// Switches to the fiber, right before the stacks are switched. By default without synchronisation,
// because two ULTs of one stream that share data without a lock do race; at a real hand-over the
// runtime calls release() and acquire(). With `in_order` both fibers count as one thread.
LAZULT_INLINE_BY_FORCE void fiber_switch([[maybe_unused]] void* fiber,
                                         [[maybe_unused]] bool in_order = false) noexcept {
#if LAZULT_TSAN
    __tsan_switch_to_fiber(fiber, in_order ? 0 : __tsan_switch_to_fiber_no_sync);
#endif
}

LAZULT_INLINE_BY_FORCE void release([[maybe_unused]] const void* address) noexcept {
#if LAZULT_TSAN
    __tsan_release(const_cast<void*>(address));
#endif
}

LAZULT_INLINE_BY_FORCE void acquire([[maybe_unused]] const void* address) noexcept {
#if LAZULT_TSAN
    __tsan_acquire(const_cast<void*>(address));
#endif
}

// Hides memory accesses from ThreadSanitizer while such an object exists. It is for allocations in
// code that is not instrumented, because ThreadSanitizer takes every allocation for a write.
class unwatched {
public:
    unwatched() noexcept {
#if LAZULT_TSAN
        AnnotateIgnoreReadsBegin(nullptr, 0);
        AnnotateIgnoreWritesBegin(nullptr, 0);
#endif
    }
    unwatched(const unwatched&) = delete;
    unwatched& operator=(const unwatched&) = delete;
    ~unwatched() {
#if LAZULT_TSAN
        AnnotateIgnoreWritesEnd(nullptr, 0);
        AnnotateIgnoreReadsEnd(nullptr, 0);
#endif
    }
};

// What AddressSanitizer keeps for a stack while another stack runs.
struct stack_switch {
    void* fake_stack = nullptr;
};

// Call this right before a switch to the stack [low, low + size). A null first argument says that
// the old stack will not run again, so its fake stack is freed.
LAZULT_INLINE_BY_FORCE void asan_start_switch([[maybe_unused]] void** fake_stack_save,
                                              [[maybe_unused]] const void* low,
                                              [[maybe_unused]] std::size_t size) noexcept {
#if LAZULT_ASAN
    __sanitizer_start_switch_fiber(fake_stack_save, low, size);
#endif
}

// Call this first after a switch, on the new stack. Writes the old stack's bounds if the tool is on
// and the pointers are not null.
LAZULT_INLINE_BY_FORCE void asan_finish_switch([[maybe_unused]] void* fake_stack,
                                               [[maybe_unused]] const void** old_low,
                                               [[maybe_unused]] std::size_t* old_size) noexcept {
#if LAZULT_ASAN
    __sanitizer_finish_switch_fiber(fake_stack, old_low, old_size);
#endif
}

// For a stack that is used again: removes the red zones of frames that never returned.
LAZULT_INLINE_BY_FORCE void asan_unpoison([[maybe_unused]] const void* address,
                                          [[maybe_unused]] std::size_t size) noexcept {
#if LAZULT_ASAN
    __asan_unpoison_memory_region(address, size);
#endif
}

// Registers mapped memory with the leak checker for ever. Else objects that are reachable only from
// there would count as lost if a program ends without shutting down.
LAZULT_INLINE_BY_FORCE void leak_root([[maybe_unused]] const void* address,
                                      [[maybe_unused]] std::size_t size) noexcept {
#if LAZULT_ASAN
    __lsan_register_root_region(address, size);
#endif
}

// Tell valgrind about a stack. Else it takes a switch for a huge push or pop and marks good memory
// as bad. Registering returns an id for deregistering. Without valgrind's header they do nothing.
bool under_valgrind() noexcept;
unsigned valgrind_register_stack(const void* low, const void* high) noexcept;
void valgrind_deregister_stack(unsigned id) noexcept;

// Allows accesses to memory of a stack below its frames, which valgrind takes for out of bounds.
void valgrind_allow(const void* address, std::size_t size) noexcept;

}  // namespace lazult::probe
