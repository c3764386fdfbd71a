// SPDX-License-Identifier: BSD-3-Clause
#include "pools/old_definition.hpp"

#include "pools/pool_user.hpp"
#include "pools/unit.hpp"

namespace lazult::abt {

namespace {

namespace old_style {

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

}  // namespace old_style

}  // namespace

// Makes new functions from an old definition. pop_wait stays null: p_pop_timedwait takes a point in
// time, not a duration.
pool_functions adapt(const ABT_pool_def& definition) noexcept {
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
