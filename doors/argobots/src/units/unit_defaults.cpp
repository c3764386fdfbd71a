// SPDX-License-Identifier: BSD-3-Clause
#include "units/unit_defaults.hpp"

#include <bit>

namespace lazult::abt {

unit_defaults the_defaults;
constinit ds::default_atomics::atomic<std::uint64_t> header_of_quick_tasklets{0};

core::technique default_technique() noexcept {
    const base::settings& s = base::current_settings();
    const bool lends_stacks = s.technique == core::technique::adaptive;
    return lends_stacks && s.guard == base::guard_kind::mprotect ? core::technique::lazy_stack
                                                                 : s.technique;
}

void compose_thread_defaults() noexcept {
    const core::technique how = default_technique();
    const core::technique none = core::technique::run_to_completion;
    for (const bool named : {false, true}) {
        the_defaults.ult[named] =
            core::unit_attributes(how).user_bits(initial_bits(how, named, true));
        the_defaults.tasklet[named] =
            core::unit_attributes(none).user_bits(initial_bits(none, named, true));
    }
    choose_quick_tasklets(false);
}

void choose_quick_tasklets(bool tools_listen) noexcept {
    const core::unit_attributes& how = the_defaults.tasklet[true];
    const auto header = std::bit_cast<std::uint64_t>(how.header());
    const bool is_plain = how.what() == core::unit_attributes::kind::plain;
    header_of_quick_tasklets.store(tools_listen || !is_plain ? 0 : header,
                                   std::memory_order_relaxed);
}

}  // namespace lazult::abt
