// SPDX-License-Identifier: BSD-3-Clause
// Queries of the calling unit about itself.
#include "pools/unit.hpp"
#include "threads/thread_state.hpp"

using namespace lazult::abt;

namespace {

// Implements the functions of the interface that ask one thing of their caller.
template <class Answer, class Question>
int ask_caller(const char* function, Answer* answer, Question question) {
    const caller me = this_caller();
    if (me.is_outside()) {
        return refuse(ABT_ERR_INV_XSTREAM, function);
    }
    *answer = question(me);
    return ABT_SUCCESS;
}

}  // namespace

extern "C" {

int ABT_self_get_xstream(ABT_xstream* xstream) {
    return ask_caller(__func__, xstream,
                      [](const caller& me) { return to_handle(xstream_of(*me.w)); });
}

int ABT_self_get_xstream_rank(int* rank) {
    return ask_caller(__func__, rank, [](const caller& me) { return rank_of(*xstream_of(*me.w)); });
}

int ABT_self_get_thread(ABT_thread* thread) {
    return ask_caller(__func__, thread, [](const caller& me) { return to_handle(me.unit); });
}

int ABT_self_get_thread_id(ABT_unit_id* id) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(get_id(*me.unit, id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_thread_self(ABT_thread* thread) {
    *thread = as_null(ABT_THREAD_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    *thread = to_handle(me.unit);
    return ABT_SUCCESS;
}

int ABT_thread_self_id(ABT_unit_id* id) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(get_id(*me.unit, id), ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_self_get_type(ABT_unit_type* type) {
    *type = ABT_UNIT_TYPE_EXT;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return ask_caller(__func__, type, [](const caller& me) {
        return me.is_tasklet() ? ABT_UNIT_TYPE_TASK : ABT_UNIT_TYPE_THREAD;
    });
}

int ABT_self_is_primary(ABT_bool* is_primary) {
    *is_primary = ABT_FALSE;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_INV_THREAD);
    *is_primary = has_bit(*me.unit, abt_primary) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_self_on_primary_xstream(ABT_bool* on_primary) {
    *on_primary = ABT_FALSE;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return ask_caller(__func__, on_primary, [](const caller& me) {
        return xstream_of(*me.w)->is_primary ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_self_is_unnamed(ABT_bool* is_unnamed) {
    return ask_caller(__func__, is_unnamed, [](const caller& me) {
        return is_told_unnamed(*me.unit) ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_self_get_last_pool(ABT_pool* pool) {
    return ask_caller(__func__, pool,
                      [](const caller& me) { return to_handle(home_of(*me.unit)); });
}

int ABT_self_get_last_pool_id(int* id) {
    *id = -1;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return ask_caller(__func__, id, [](const caller& me) { return last_pool_id_of(*me.unit); });
}

int ABT_self_set_associated_pool(ABT_pool pool) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    auto* target = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(target != nullptr, ABT_ERR_INV_POOL);
    return result(associate(*me.unit, *target), __func__);
}

int ABT_self_get_unit(ABT_unit* unit) {
    return ask_caller(__func__, unit, [](const caller& me) { return unit_of(*me.unit); });
}

int ABT_self_set_arg(void* arg) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    set_argument(*me.unit, arg);
    return ABT_SUCCESS;
}

int ABT_self_get_arg(void** arg) {
    *arg = nullptr;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return ask_caller(__func__, arg, [](const caller& me) { return argument_of(*me.unit); });
}

int ABT_self_get_thread_func(void (**thread_func)(void*)) {
    return ask_caller(__func__, thread_func, [](const caller& me) { return entry_of(*me.unit); });
}
}
