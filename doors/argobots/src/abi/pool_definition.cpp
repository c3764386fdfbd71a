// SPDX-License-Identifier: BSD-3-Clause
// Definitions of users' pools.
#include "pools/pool_definition.hpp"

using namespace lazult::abt;

namespace {

template <class Function>
int set_function(ABT_pool_user_def def, Function pool_definition::* member, Function function,
                 const char* caller) {
    auto* const definition = checked<pool_definition>(def);
    if (definition == nullptr) {
        return refuse(ABT_ERR_INV_POOL_USER_DEF, caller);
    }
    definition->*member = function;
    return ABT_SUCCESS;
}

}  // namespace

int ABT_pool_user_def_create(ABT_pool_user_create_unit_fn p_create_unit,
                             ABT_pool_user_free_unit_fn p_free_unit,
                             ABT_pool_user_is_empty_fn p_is_empty, ABT_pool_user_pop_fn p_pop,
                             ABT_pool_user_push_fn p_push, ABT_pool_user_def* newdef) {
    auto* const made = make<pool_definition>();
    ABT_GIVE_UP_UNLESS(made != nullptr, ABT_ERR_MEM);
    made->create_unit = p_create_unit;
    made->free_unit = p_free_unit;
    made->is_empty = p_is_empty;
    made->pop = p_pop;
    made->push = p_push;
    *newdef = to_handle(made);
    return ABT_SUCCESS;
}

int ABT_pool_user_def_free(ABT_pool_user_def* def) {
    return free_object<pool_definition>(def, __func__);
}

int ABT_pool_user_def_set_init(ABT_pool_user_def def, ABT_pool_user_init_fn p_init) {
    return set_function(def, &pool_definition::init, p_init, __func__);
}

int ABT_pool_user_def_set_free(ABT_pool_user_def def, ABT_pool_user_free_fn p_free) {
    return set_function(def, &pool_definition::free, p_free, __func__);
}

int ABT_pool_user_def_set_get_size(ABT_pool_user_def def, ABT_pool_user_get_size_fn p_get_size) {
    return set_function(def, &pool_definition::get_size, p_get_size, __func__);
}

int ABT_pool_user_def_set_pop_wait(ABT_pool_user_def def, ABT_pool_user_pop_wait_fn p_pop_wait) {
    return set_function(def, &pool_definition::pop_wait, p_pop_wait, __func__);
}

int ABT_pool_user_def_set_pop_many(ABT_pool_user_def def, ABT_pool_user_pop_many_fn p_pop_many) {
    return set_function(def, &pool_definition::pop_many, p_pop_many, __func__);
}

int ABT_pool_user_def_set_push_many(ABT_pool_user_def def, ABT_pool_user_push_many_fn p_push_many) {
    return set_function(def, &pool_definition::push_many, p_push_many, __func__);
}

int ABT_pool_user_def_set_print_all(ABT_pool_user_def def, ABT_pool_user_print_all_fn p_print_all) {
    return set_function(def, &pool_definition::print_all, p_print_all, __func__);
}
