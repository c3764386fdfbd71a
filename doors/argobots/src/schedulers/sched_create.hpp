// SPDX-License-Identifier: BSD-3-Clause
// Making schedulers, by a plan.
#pragma once

#include "schedulers/sched.hpp"

namespace lazult::abt {

struct sched_plan {
    ABT_sched_def* def = nullptr;  // nullptr: `predef`
    ABT_sched_predef predef = ABT_SCHED_DEFAULT;
    int pool_count = 0;
    const ABT_pool* pools = nullptr;  // nullptr for a predef: those that it likes best
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
};
// SUCCESS; INV_ARG, INV_SCHED_PREDEF, INV_POOL, MEM, what the user's init returned. The pools given
// stay as they were then.
int create_sched(const sched_plan& plan, sched_object** made) noexcept;

}  // namespace lazult::abt
