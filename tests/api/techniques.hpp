// SPDX-License-Identifier: BSD-3-Clause
// The techniques that a program of the C++ door may ask for.
#pragma once

#include <lazult/attributes.hpp>

namespace lazult::api_test {

inline constexpr technique suspending_techniques[] = {
    technique::adaptive,         technique::full,
    technique::lazy_stack,       technique::return_on_completion,
    technique::stack_separation, technique::scheduler_creation,
};
inline constexpr technique all_techniques[] = {
    technique::adaptive,          technique::full,
    technique::lazy_stack,        technique::return_on_completion,
    technique::stack_separation,  technique::scheduler_creation,
    technique::run_to_completion,
};

}  // namespace lazult::api_test
