// SPDX-License-Identifier: BSD-3-Clause
// Creation of schedulers.
#pragma once

#include "schedulers/sched.hpp"

namespace lazult::abt {

struct sched_plan {
    ABT_sched_def* def = nullptr;  // a user's scheduler; nullptr: the scheduler is `predef`
    ABT_sched_predef predef = ABT_SCHED_DEFAULT;
    int pool_count = 0;
    const ABT_pool* pools = nullptr;  // with nullptr, `predef` makes its preferred pools
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
};
// Creates a scheduler. Returns SUCCESS, INV_ARG, INV_SCHED_PREDEF, INV_POOL, MEM, or the code that
// the user's init returned. In case of an error the given pools are as before.
int create_sched(const sched_plan& plan, sched_object** made) noexcept;

}  // namespace lazult::abt
