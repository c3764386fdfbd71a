// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/unit/unit_kinds.hpp"

#include <cstdio>

#include "lazult/ds/ds.hpp"

namespace lazult::core {
namespace {

// field        written by    read by            order
// registered   unit_kinds    free_unit_kinds    relaxed: a door is loaded before its units are made
constinit ds::default_atomics::atomic<std::uint16_t> registered{0};

[[noreturn]] LAZULT_COLD void refuse(const char* door, unsigned kinds, unsigned free) noexcept {
    char cause[96];
    std::snprintf(cause, sizeof cause, "it has units of the kinds %#x, and free are %#x", kinds,
                  free);
    base::fatal_misuse(door, cause, "give its units kinds that no other door has");
}

}  // namespace

unit_kinds::unit_kinds(std::uint16_t kinds, const char* door) noexcept : kinds_(kinds) {
    const std::uint16_t before = registered.fetch_or(kinds, std::memory_order_relaxed);
    const auto free = static_cast<std::uint16_t>(all_unit_kinds & ~before);
    if ((kinds & ~free) != 0) {
        refuse(door, kinds, free);
    }
}

unit_kinds::~unit_kinds() {
    registered.fetch_and(static_cast<std::uint16_t>(~kinds_), std::memory_order_relaxed);
}

std::uint16_t free_unit_kinds() noexcept {
    return static_cast<std::uint16_t>(all_unit_kinds & ~registered.load(std::memory_order_relaxed));
}

}  // namespace lazult::core
