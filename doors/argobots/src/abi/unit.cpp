// SPDX-License-Identifier: BSD-3-Clause
// ABT_unit, the name of a work unit in its pool.
#include "pools/unit.hpp"

using namespace lazult::abt;

int ABT_unit_get_thread(ABT_unit unit, ABT_thread* thread) {
    work_unit* const u = thread_of(unit);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_UNIT);
    *thread = to_handle(u);
    return ABT_SUCCESS;
}

int ABT_unit_set_associated_pool(ABT_unit unit, ABT_pool pool) {
    ABT_GIVE_UP_UNLESS(checked_pool(pool) != nullptr, ABT_ERR_INV_POOL);
    ABT_GIVE_UP_UNLESS(thread_of(unit) != nullptr, ABT_ERR_INV_UNIT);
    return ABT_SUCCESS;
}
