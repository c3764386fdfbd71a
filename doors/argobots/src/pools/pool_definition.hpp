// SPDX-License-Identifier: BSD-3-Clause
// The functions of users' pools.
#pragma once

#include "handles/handles.hpp"

#include <cstddef>

namespace lazult::abt {

// A new definition, behind a client's handle. Its member `is_old`, always null, stands at the
// offset of ABT_pool_def::u_create_from_thread, which is never null. So a pointer to either type of
// definition tells which type it is.
struct pool_definition {
    static constexpr kind arena_kind = kind::pool_user_def;

    ABT_pool_user_create_unit_fn create_unit = nullptr;
    ABT_pool_user_free_unit_fn free_unit = nullptr;
    ABT_pool_user_is_empty_fn is_empty = nullptr;
    ABT_pool_user_pop_fn pop = nullptr;
    ABT_pool_user_push_fn push = nullptr;
    void* is_old = nullptr;
    ABT_pool_user_init_fn init = nullptr;
    ABT_pool_user_free_fn free = nullptr;
    ABT_pool_user_get_size_fn get_size = nullptr;
    ABT_pool_user_pop_wait_fn pop_wait = nullptr;
    ABT_pool_user_pop_many_fn pop_many = nullptr;
    ABT_pool_user_push_many_fn push_many = nullptr;
    ABT_pool_user_print_all_fn print_all = nullptr;
};
static_assert(offsetof(pool_definition, is_old) == offsetof(ABT_pool_def, u_create_from_thread));

// The functions that the door calls. For an old definition they are adapters, which call `old`.
struct pool_functions : pool_definition {
    ABT_pool_def old{};  // all zero if the definition is new
};

}  // namespace lazult::abt
