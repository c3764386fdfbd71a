// SPDX-License-Identifier: BSD-3-Clause
#include "null_family.hpp"

namespace lazult::abt {

constinit ds::default_atomics::atomic<null_family> the_nulls{null_family::unknown};
constinit ds::default_atomics::atomic<std::uintptr_t> bits_of_nulls{~std::uintptr_t{0}};

void learn_null(std::uintptr_t given) noexcept {
    bits_of_nulls.store(given == 0 ? 0 : ~std::uintptr_t{0}, std::memory_order_relaxed);
    the_nulls.store(given == 0 ? null_family::zero : null_family::numbered, std::memory_order_relaxed);
}

}  // namespace lazult::abt
