// SPDX-License-Identifier: BSD-3-Clause
// The attributes by which a ULT is created.
#pragma once

#include "units/thread_part.hpp"

namespace lazult::abt {

// The fields, and core::unit_attributes computed from them. Each setter calls compose(), so that
// creating a unit only copies the result and costs the same with and without attributes.
struct thread_attr_object {
    static constexpr kind arena_kind = kind::thread_attr;

    void* stack_base = nullptr;
    std::size_t stack_size = 0;
    void (*migrated)(ABT_thread, void*) = nullptr;
    void* migrated_argument = nullptr;
    core::technique how = core::technique::adaptive;
    bool is_migratable = true;

    core::unit_attributes of_named;
    core::unit_attributes of_unnamed;

    void compose() noexcept {
        of_named = core::unit_attributes(how, stack_size)
                       .user_bits(initial_bits(how, true, is_migratable));
        of_unnamed = core::unit_attributes(how, stack_size)
                         .user_bits(initial_bits(how, false, is_migratable));
    }
    const core::unit_attributes& composed(bool named) const noexcept {
        return named ? of_named : of_unnamed;
    }
};

}  // namespace lazult::abt
