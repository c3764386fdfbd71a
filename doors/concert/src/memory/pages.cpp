// SPDX-License-Identifier: BSD-3-Clause
#include "memory/pages.hpp"

#include "lazult/os/os.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace lazult::concert {

void give_back_pages(std::byte* from, std::size_t bytes) noexcept {
    const std::uintptr_t page = os::page_size();
    const auto begin = (reinterpret_cast<std::uintptr_t>(from) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(from) + bytes) / page * page;
    if (begin < end) {
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE);
    }
}

}  // namespace lazult::concert
