// SPDX-License-Identifier: BSD-3-Clause
// Which pages may hold thread-local storage. Most accesses are to other pages, and are done with
// after one look.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lazult/core/core.hpp"

namespace lazult::checker {

// field    written by              read by    order
// words_   add(), under a lock     anybody    relaxed: the list of blocks decides, under its lock
class page_map {
public:
    bool has(std::uintptr_t address) const noexcept {
        return (words_[place(address)].load(std::memory_order_relaxed) & bit(address)) != 0;
    }
    void add(std::uintptr_t begin, std::uintptr_t end) noexcept {
        for (std::uintptr_t at = begin; at < end; at = (at | (page - 1)) + 1) {
            words_[place(at)].fetch_or(bit(at), std::memory_order_relaxed);
        }
    }

private:
    static constexpr std::uintptr_t page = 4096;
    static constexpr std::size_t words =
        1024;  // pages of the same number modulo 65,536 share a bit

    static std::size_t place(std::uintptr_t address) noexcept {
        return address / page / 64 % words;
    }
    static std::uint64_t bit(std::uintptr_t address) noexcept {
        return std::uint64_t{1} << address / page % 64;
    }

    std::array<ds::default_atomics::atomic<std::uint64_t>, words> words_{};
};

}  // namespace lazult::checker
