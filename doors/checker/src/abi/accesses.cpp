// SPDX-License-Identifier: BSD-3-Clause
// What code calls that g++ or clang++ has compiled with -fsanitize=thread: before each access to
// memory, and where each function begins and ends. The compilers' names and types.
#include "check/check.hpp"

using lazult::checker::access;
using lazult::checker::check;
using lazult::checker::check_range;
using lazult::checker::note_run;

#define LAZULT_ACCESS(bytes)                                    \
    void __tsan_read##bytes(void* address) noexcept {           \
        check(address, bytes, access::read, LAZULT_CALLER);     \
    }                                                           \
    void __tsan_write##bytes(void* address) noexcept {          \
        check(address, bytes, access::write, LAZULT_CALLER);    \
    }                                                           \
    void __tsan_read_write##bytes(void* address) noexcept {     \
        check(address, bytes, access::write, LAZULT_CALLER);    \
    }                                                           \
    void __tsan_volatile_read##bytes(void* address) noexcept {  \
        check(address, bytes, access::read, LAZULT_CALLER);     \
    }                                                           \
    void __tsan_volatile_write##bytes(void* address) noexcept { \
        check(address, bytes, access::write, LAZULT_CALLER);    \
    }

#define LAZULT_UNALIGNED_ACCESS(bytes)                                    \
    void __tsan_unaligned_read##bytes(void* address) noexcept {           \
        check_range(address, bytes, access::read, LAZULT_CALLER);         \
    }                                                                     \
    void __tsan_unaligned_write##bytes(void* address) noexcept {          \
        check_range(address, bytes, access::write, LAZULT_CALLER);        \
    }                                                                     \
    void __tsan_unaligned_read_write##bytes(void* address) noexcept {     \
        check_range(address, bytes, access::write, LAZULT_CALLER);        \
    }                                                                     \
    void __tsan_unaligned_volatile_read##bytes(void* address) noexcept {  \
        check_range(address, bytes, access::read, LAZULT_CALLER);         \
    }                                                                     \
    void __tsan_unaligned_volatile_write##bytes(void* address) noexcept { \
        check_range(address, bytes, access::write, LAZULT_CALLER);        \
    }

extern "C" {

LAZULT_ACCESS(1)
LAZULT_ACCESS(2)
LAZULT_ACCESS(4)
LAZULT_ACCESS(8)
LAZULT_ACCESS(16)
LAZULT_UNALIGNED_ACCESS(2)
LAZULT_UNALIGNED_ACCESS(4)
LAZULT_UNALIGNED_ACCESS(8)
LAZULT_UNALIGNED_ACCESS(16)

void __tsan_read_range(void* address, unsigned long size) noexcept {
    check_range(address, size, access::read, LAZULT_CALLER);
}
void __tsan_write_range(void* address, unsigned long size) noexcept {
    check_range(address, size, access::write, LAZULT_CALLER);
}
void __tsan_vptr_read(void** address) noexcept {
    check(address, sizeof(void*), access::read, LAZULT_CALLER);
}
void __tsan_vptr_update(void** address, void*) noexcept {
    check(address, sizeof(void*), access::write, LAZULT_CALLER);
}

// A function that suspends calls others, so it is entered and left on the OS threads where its ULT
// runs.
void __tsan_func_entry(void*) noexcept { note_run(); }
void __tsan_func_exit() noexcept { note_run(); }

void __tsan_init() noexcept {}
void __tsan_ignore_thread_begin() noexcept {}
void __tsan_ignore_thread_end() noexcept {}

}  // extern "C"
