// SPDX-License-Identifier: BSD-3-Clause
#include "null_family.hpp"

namespace lazult::abt {

constinit ds::default_atomics::atomic<null_family> the_nulls{null_family::unknown};

void learn_null(std::uintptr_t given) noexcept {
    the_nulls.store(given == 0 ? null_family::zero : null_family::numbered, std::memory_order_relaxed);
}

}  // namespace lazult::abt
