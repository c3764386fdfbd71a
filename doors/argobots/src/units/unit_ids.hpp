// SPDX-License-Identifier: BSD-3-Clause
// The ids of units. As in Argobots, a unit gets its id when its id is first asked for, and the
// first id is 0. An id has 64 bits, but a unit has room for 32. A larger id goes into the unit's
// record.
#pragma once

#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {

// field      written by                  read by          order
// next       take(); ABT_init            take()           relaxed: only the number matters
// narrow_id  the first to ask, by a CAS  anybody          relaxed: no other data depends on it
// wide_id    the first to ask, by a CAS  anybody          relaxed: no other data depends on it
//
// A narrow id changes once, from unasked to the id plus one, or to kept_wide if the id is wide.
class unit_ids {
public:
    using narrow_id = ds::default_atomics::atomic<std::uint32_t>;
    using wide_id = ds::default_atomics::atomic<std::uint64_t>;
    static constexpr std::uint32_t unasked = 0;
    static constexpr std::uint64_t wide_unasked = ~std::uint64_t{0};
    static constexpr std::uint64_t first_wide = 0xffff'fffe;

    void begin_at(std::uint64_t first) noexcept { next_.store(first, std::memory_order_relaxed); }

    // Gets the unit's id. `wide_id_of` returns the place of the unit's wide id, or nullptr when
    // memory is exhausted; then get() returns false and does not write to `id`.
    template <class WideIdOf>
    bool get(narrow_id& narrow, WideIdOf wide_id_of, std::uint64_t* id) noexcept {
        std::uint32_t present = narrow.load(std::memory_order_relaxed);
        if (present == unasked) {
            const std::uint64_t fresh = take();
            present = settle(
                narrow, fresh < first_wide ? static_cast<std::uint32_t>(fresh + 1) : kept_wide);
            if (present == kept_wide) {
                return get_wide(wide_id_of(), fresh, id);
            }
        }
        if (present == kept_wide) {
            return get_wide(wide_id_of(), wide_unasked, id);
        }
        *id = present - 1;
        return true;
    }

private:
    static constexpr std::uint32_t kept_wide = 0xffff'ffff;

    std::uint64_t take() noexcept { return next_.fetch_add(1, std::memory_order_relaxed); }

    // Sets the word to `mine` unless another caller set it first. Returns the word's value.
    static std::uint32_t settle(narrow_id& narrow, std::uint32_t mine) noexcept {
        std::uint32_t present = unasked;
        const bool is_first = narrow.compare_exchange_strong(
            present, mine, std::memory_order_relaxed, std::memory_order_relaxed);
        return is_first ? mine : present;
    }

    // Gets a wide id. `fresh` is an id that the caller has taken and not used, or wide_unasked if
    // none.
    bool get_wide(wide_id* wide, std::uint64_t fresh, std::uint64_t* id) noexcept {
        if (wide == nullptr) {
            return false;
        }
        std::uint64_t present = wide->load(std::memory_order_relaxed);
        if (present == wide_unasked) {
            const std::uint64_t mine = fresh != wide_unasked ? fresh : take();
            present = wide->compare_exchange_strong(present, mine, std::memory_order_relaxed,
                                                    std::memory_order_relaxed)
                          ? mine
                          : present;
        }
        *id = present;
        return true;
    }

    ds::default_atomics::atomic<std::uint64_t> next_{0};
};

}  // namespace lazult::abt
