// SPDX-License-Identifier: BSD-3-Clause
// What happens at each access that the compiler announces.
#pragma once

#include "report/report.hpp"

// The place in the program's code that has called the function with this in it.
#define LAZULT_CALLER __builtin_extract_return_addr(__builtin_return_address(0))

namespace lazult::checker {

// Each of these checks an access to a page that may hold thread-local storage.
LAZULT_COLD void look_closer(std::uintptr_t address, std::size_t size, access what,
                             const void* code) noexcept;
LAZULT_COLD void look_at_range(std::uintptr_t address, std::size_t size, access what,
                               const void* code) noexcept;
// Notes that the running ULT, if there is one, runs on this OS thread.
void note_run() noexcept;
// Notes an address that the dynamic linker gave the calling thread for a variable.
void note_own_address(const void* variable) noexcept;

LAZULT_ALWAYS_INLINE void check(const void* address, std::size_t size, access what,
                                const void* code) noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    if (storage_pages.has(number)) LAZULT_UNLIKELY {
        look_closer(number, size, what, code);
    }
}
LAZULT_ALWAYS_INLINE void check_range(const void* address, std::size_t size, access what,
                                      const void* code) noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    if (size != 0 && (storage_pages.has(number) || storage_pages.has(number + size - 1)))
        LAZULT_UNLIKELY {
        look_at_range(number, size, what, code);
    }
}

}  // namespace lazult::checker
