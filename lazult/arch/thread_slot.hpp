// SPDX-License-Identifier: BSD-3-Clause
// One thread-local pointer, which no compiler may cache over a suspension.
//
// A ULT may continue on another OS thread, where every thread_local has another address. A compiler
// may keep such an address in a register over a call. So core/ reads its per-thread state through
// thread_slot() only: volatile assembly if the architecture has it, else an opaque call.
#pragma once

extern "C" {
extern thread_local void* lazult_thread_slot
    [[gnu::tls_model("initial-exec"), gnu::visibility("default")]];
}

namespace lazult::arch {

#if defined(__x86_64__) && !defined(LAZULT_ARCH_GENERIC)
[[gnu::always_inline]] inline void* thread_slot() noexcept {
    void* value;
    asm volatile(
        "movq lazult_thread_slot@gottpoff(%%rip), %0\n\t"
        "movq %%fs:(%0), %0"
        : "=r"(value)
        :
        : "memory");
    return value;
}
#elif defined(__aarch64__) && !defined(LAZULT_ARCH_GENERIC)
[[gnu::always_inline]] inline void* thread_slot() noexcept {
    void* value;
    void* offset;
    asm volatile(
        "mrs %0, tpidr_el0\n\t"
        "adrp %1, :gottprel:lazult_thread_slot\n\t"
        "ldr %1, [%1, :gottprel_lo12:lazult_thread_slot]\n\t"
        "ldr %0, [%0, %1]"
        : "=&r"(value), "=&r"(offset)
        :
        : "memory");
    return value;
}
#else
void* thread_slot() noexcept;
#endif

void set_thread_slot(void* value) noexcept;

}  // namespace lazult::arch
