// SPDX-License-Identifier: BSD-3-Clause
#include "handles/null_family.hpp"

#include <cstdlib>
#include <mutex>

namespace lazult::abt {

namespace {

// The lock makes the_nulls and bits_of_nulls change together. `is_over` is true while the setting
// abt_null fixes the family, so that learn_null() changes nothing.
struct lesson {
    std::mutex lock;
    bool is_over = false;
};
constinit lesson learning;

// Called under the lock.
void adopt(null_family family) noexcept {
    the_nulls.store(family, std::memory_order_relaxed);
    bits_of_nulls.store(family == null_family::zero ? 0 : ~std::uintptr_t{0},
                        std::memory_order_relaxed);
}

}  // namespace

constinit ds::default_atomics::atomic<null_family> the_nulls{null_family::unknown};
constinit ds::default_atomics::atomic<std::uintptr_t> bits_of_nulls{~std::uintptr_t{0}};

void learn_null(std::uintptr_t given) noexcept {
    const std::scoped_lock hold(learning.lock);
    const null_family known = the_nulls.load(std::memory_order_relaxed);
    if (learning.is_over) {
        return;
    }
    if (given != 0) {
        adopt(null_family::numbered);
    } else if (known == null_family::unknown) {
        adopt(null_family::zero);
    }
}

void obey_setting(null_kind told) noexcept {
    const std::scoped_lock hold(learning.lock);
    learning.is_over = told != null_kind::automatic;
    if (learning.is_over) {
        adopt(told == null_kind::zero ? null_family::zero : null_family::numbered);
    }
}

namespace {

// Reads the setting abt_null when the library is loaded, because functions may return nulls before
// ABT_init. All other settings are read when they are first needed, so that a program may set them.
[[gnu::constructor]] void look_at_the_environment() noexcept {
    const base::door_setting& row = row_of(setting::null);
    const char* const text = ::secure_getenv(row.variable);
    const std::uint64_t told =
        text == nullptr ? row.usual : base::parse_setting(row, text).value_or(row.usual);
    obey_setting(static_cast<null_kind>(told));
}

}  // namespace

}  // namespace lazult::abt
