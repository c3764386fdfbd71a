// SPDX-License-Identifier: BSD-3-Clause
// Memory that higher floors keep for themselves, and give back as the runtime's own is given back.
#pragma once

#include <array>
#include <cstddef>

namespace lazult::core {

// put_away() puts what the calling thread keeps into the stores of all threads. give_back() empties
// the stores. Both are registered for the process's life.
struct keeper {
    void (*put_away)() noexcept;
    void (*give_back)() noexcept;
};
void add_keeper(keeper k) noexcept;

struct keeper_list {
    std::array<keeper, 4> all{};
    std::size_t count = 0;

    const keeper* begin() const noexcept { return all.data(); }
    const keeper* end() const noexcept { return all.data() + count; }
};
keeper_list keepers() noexcept;

}  // namespace lazult::core
