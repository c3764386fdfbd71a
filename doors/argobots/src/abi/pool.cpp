// SPDX-License-Identifier: BSD-3-Clause
// Creating and freeing pools, and queries about them.
#include <abtx.h>

#include "pools/pool_content.hpp"
#include "pools/pool_life.hpp"

using namespace lazult::abt;

int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config, ABT_pool* newpool) {
    note_null(config);
    *newpool = as_null(ABT_POOL_NULL);
    lazult::sched::ready_pool* made = nullptr;
    const int outcome = create_users_pool(def, config, &made);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *newpool = to_handle(made);
    return ABT_SUCCESS;
}

namespace {

int create_from(const pool_plan& plan, ABT_pool* newpool, const char* function) {
    *newpool = as_null(ABT_POOL_NULL);
    lazult::sched::ready_pool* made = nullptr;
    if (const int outcome = create_pool(plan, &made); outcome != ABT_SUCCESS) {
        return refuse(outcome, function);
    }
    *newpool = to_handle(made);
    return ABT_SUCCESS;
}

}  // namespace

int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic,
                          ABT_pool* newpool) {
    return create_from({kind, access, automatic != ABT_FALSE}, newpool, __func__);
}

int ABTX_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABTX_started started,
                           ABT_bool automatic, ABT_pool* newpool) {
    std::optional<lazult::base::started_kind> rule;
    switch (started) {
        case ABTX_STARTED_DEFAULT: break;
        case ABTX_STARTED_MOVE: rule = lazult::base::started_kind::move; break;
        case ABTX_STARTED_STAY: rule = lazult::base::started_kind::stay; break;
        default: *newpool = as_null(ABT_POOL_NULL); return refuse(ABT_ERR_INV_ARG, __func__);
    }
    return create_from({kind, access, automatic != ABT_FALSE, rule}, newpool, __func__);
}

int ABT_pool_free(ABT_pool* pool) {
    auto* const p = checked_pool(*pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    free_pool(*p);
    *pool = as_null(ABT_POOL_NULL);
    return ABT_SUCCESS;
}

int ABT_pool_get_access(ABT_pool pool, ABT_pool_access* access) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *access = part_of(*p).access;
    return ABT_SUCCESS;
}

int ABT_pool_is_empty(ABT_pool pool, ABT_bool* is_empty) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *is_empty = lazult::abt::is_empty(*p) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_pool_get_size(ABT_pool pool, size_t* size) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    ABT_GIVE_UP_UNLESS(can_count(*p), ABT_ERR_POOL);
    *size = p->size();
    return ABT_SUCCESS;
}

int ABT_pool_get_total_size(ABT_pool pool, size_t* size) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    ABT_GIVE_UP_UNLESS(can_count(*p), ABT_ERR_POOL);
    *size = total_size(*p);
    return ABT_SUCCESS;
}

int ABT_pool_set_data(ABT_pool pool, void* data) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    part_of(*p).data = data;
    return ABT_SUCCESS;
}

int ABT_pool_get_data(ABT_pool pool, void** data) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *data = part_of(*p).data;
    return ABT_SUCCESS;
}

int ABT_pool_get_id(ABT_pool pool, int* id) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *id = part_of(*p).id;
    return ABT_SUCCESS;
}
