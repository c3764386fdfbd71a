// SPDX-License-Identifier: BSD-3-Clause
// Atomic operations: with -fsanitize=thread the compilers call these in place of their own
// instructions. Every operation is sequentially consistent, which is at least what was asked for.
#include "check/check.hpp"

using lazult::checker::access;
using lazult::checker::check;

#define LAZULT_CHECKED(bytes, what)                                                           \
    check(const_cast<const void*>(static_cast<volatile const void*>(a)), bytes, access::what, \
          LAZULT_CALLER)

#define LAZULT_ATOMIC_FETCH(bits, type, operation)                                         \
    type __tsan_atomic##bits##_fetch_##operation(volatile type* a, type v, int) noexcept { \
        LAZULT_CHECKED(bits / 8, write);                                                   \
        return __atomic_fetch_##operation(a, v, __ATOMIC_SEQ_CST);                         \
    }

// A failed exchange leaves in `c` what was found.
#define LAZULT_ATOMIC_COMPARE(bits, type, kind, weak)                                          \
    int __tsan_atomic##bits##_compare_exchange_##kind(volatile type* a, type* c, type v, int,  \
                                                      int) noexcept {                          \
        LAZULT_CHECKED(bits / 8, write);                                                       \
        return __atomic_compare_exchange_n(a, c, v, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }

#define LAZULT_ATOMIC(bits, type)                                                          \
    type __tsan_atomic##bits##_load(const volatile type* a, int) noexcept {                \
        LAZULT_CHECKED(bits / 8, read);                                                    \
        return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                       \
    }                                                                                      \
    void __tsan_atomic##bits##_store(volatile type* a, type v, int) noexcept {             \
        LAZULT_CHECKED(bits / 8, write);                                                   \
        __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                          \
    }                                                                                      \
    type __tsan_atomic##bits##_exchange(volatile type* a, type v, int) noexcept {          \
        LAZULT_CHECKED(bits / 8, write);                                                   \
        return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                \
    }                                                                                      \
    LAZULT_ATOMIC_FETCH(bits, type, add)                                                   \
    LAZULT_ATOMIC_FETCH(bits, type, sub)                                                   \
    LAZULT_ATOMIC_FETCH(bits, type, and)                                                   \
    LAZULT_ATOMIC_FETCH(bits, type, or)                                                    \
    LAZULT_ATOMIC_FETCH(bits, type, xor)                                                   \
    LAZULT_ATOMIC_FETCH(bits, type, nand)                                                  \
    LAZULT_ATOMIC_COMPARE(bits, type, strong, false)                                       \
    LAZULT_ATOMIC_COMPARE(bits, type, weak, true)                                          \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type* a, type c, type v, int, \
                                                    int) noexcept {                        \
        LAZULT_CHECKED(bits / 8, write);                                                   \
        __atomic_compare_exchange_n(a, &c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
        return c;                                                                          \
    }

extern "C" {

LAZULT_ATOMIC(8, unsigned char)
LAZULT_ATOMIC(16, unsigned short)
LAZULT_ATOMIC(32, unsigned int)
LAZULT_ATOMIC(64, unsigned long)
__extension__ using lazult_wide = unsigned __int128;
LAZULT_ATOMIC(128, lazult_wide)

void __tsan_atomic_thread_fence(int) noexcept {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);  // not atomic: the program's own fence
}
void __tsan_atomic_signal_fence(int) noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
