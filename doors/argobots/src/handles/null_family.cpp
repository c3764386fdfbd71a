// SPDX-License-Identifier: BSD-3-Clause
#include "handles/null_family.hpp"

#include <mutex>

namespace lazult::abt {

namespace {

constinit std::mutex learning;  // so that the two words agree

}  // namespace

constinit ds::default_atomics::atomic<null_family> the_nulls{null_family::unknown};
constinit ds::default_atomics::atomic<std::uintptr_t> bits_of_nulls{~std::uintptr_t{0}};

void learn_null(std::uintptr_t given) noexcept {
    const std::lock_guard hold(learning);
    const null_family known = the_nulls.load(std::memory_order_relaxed);
    if (given != 0) {
        the_nulls.store(null_family::numbered, std::memory_order_relaxed);
        bits_of_nulls.store(~std::uintptr_t{0}, std::memory_order_relaxed);
    } else if (known == null_family::unknown) {
        the_nulls.store(null_family::zero, std::memory_order_relaxed);
        bits_of_nulls.store(0, std::memory_order_relaxed);
    }
}

}  // namespace lazult::abt
