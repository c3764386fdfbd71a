// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/arch/thread_slot.hpp"

thread_local void* lazult_thread_slot = nullptr;

namespace lazult::arch {

[[gnu::noinline]] void set_thread_slot(void* value) noexcept { lazult_thread_slot = value; }

#if defined(LAZULT_ARCH_GENERIC) || !(defined(__x86_64__) || defined(__aarch64__))
[[gnu::noinline]] void* thread_slot() noexcept {
    asm volatile("" ::: "memory");
    return lazult_thread_slot;
}
#endif

}  // namespace lazult::arch
