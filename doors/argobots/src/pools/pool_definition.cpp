// SPDX-License-Identifier: BSD-3-Clause
// Definitions of users' pools: the new ones, and the adapters that make an old one look new.
#include "pools/pool_user.hpp"

namespace lazult::abt {

// Adapters with the new signatures.
namespace old_style {
namespace {

const ABT_pool_def& old_of(ABT_pool pool) noexcept {
    return as_user_pool(*checked_pool(pool)).functions().old;
}

ABT_thread thread_behind(ABT_unit unit) noexcept {
    note_nothing(unit);
    return is_null(unit) ? as_null(ABT_THREAD_NULL) : to_handle(thread_of(unit));
}

ABT_unit create_unit(ABT_pool pool, ABT_thread thread) {
    return old_of(pool).u_create_from_thread(thread);
}
void free_unit(ABT_pool pool, ABT_unit unit) { old_of(pool).u_free(&unit); }
ABT_bool is_empty(ABT_pool pool) {
    return old_of(pool).p_get_size(pool) == 0 ? ABT_TRUE : ABT_FALSE;
}
ABT_thread pop(ABT_pool pool, ABT_pool_context) { return thread_behind(old_of(pool).p_pop(pool)); }
void push(ABT_pool pool, ABT_unit unit, ABT_pool_context) { old_of(pool).p_push(pool, unit); }
void free_it(ABT_pool pool) { old_of(pool).p_free(pool); }

void pop_many(ABT_pool pool, ABT_thread* threads, std::size_t most, std::size_t* count,
              ABT_pool_context) {
    const ABT_pool_def& old = old_of(pool);
    *count = 0;
    while (*count < most) {
        const ABT_thread thread = thread_behind(old.p_pop(pool));
        if (is_null(thread)) {
            return;
        }
        threads[(*count)++] = thread;
    }
}

void push_many(ABT_pool pool, const ABT_unit* units, std::size_t count, ABT_pool_context) {
    for (std::size_t i = 0; i < count; ++i) {
        old_of(pool).p_push(pool, units[i]);
    }
}

void print_all(ABT_pool pool, void* argument, void (*print)(void*, ABT_thread)) {
    struct printing {
        void* argument;
        void (*print)(void*, ABT_thread);

        static void one(void* self, ABT_unit unit) {
            const auto& me = *static_cast<printing*>(self);
            me.print(me.argument, thread_behind(unit));
        }
    } printed{argument, print};
    old_of(pool).p_print_all(pool, &printed, printing::one);
}

}  // namespace
}  // namespace old_style

pool_functions pool_functions::of(const pool_definition& definition) noexcept {
    pool_functions result;
    static_cast<pool_definition&>(result) = definition;
    return result;
}

// p_pop_timedwait takes a moment and not a duration, so it is not the new pop_wait.
pool_functions pool_functions::of(const ABT_pool_def& definition) noexcept {
    pool_functions result;
    result.old = definition;
    result.create_unit = old_style::create_unit;
    result.free_unit = old_style::free_unit;
    result.is_empty = old_style::is_empty;
    result.pop = old_style::pop;
    result.push = old_style::push;
    result.init = definition.p_init;
    result.free = definition.p_free == nullptr ? nullptr : old_style::free_it;
    result.get_size = definition.p_get_size;
    result.pop_many = old_style::pop_many;
    result.push_many = old_style::push_many;
    result.print_all = definition.p_print_all == nullptr ? nullptr : old_style::print_all;
    return result;
}

}  // namespace lazult::abt

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
    auto* const definition = checked<pool_definition>(*def);
    ABT_GIVE_UP_UNLESS(definition != nullptr, ABT_ERR_INV_POOL_USER_DEF);
    unmake(definition);
    *def = as_null(ABT_POOL_USER_DEF_NULL);
    return ABT_SUCCESS;
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
