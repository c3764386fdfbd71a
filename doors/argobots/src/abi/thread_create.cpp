// SPDX-License-Identifier: BSD-3-Clause
// Creating and reviving ULTs.
#include "threads/thread_create.hpp"
#include "streams/xstream.hpp"
#include "threads/thread_join.hpp"
#include "threads/thread_revive.hpp"
#include "units/attributes.hpp"

using namespace lazult::abt;

namespace {

// Makes a prepared ULT available and runs it in place of the caller, which becomes ready.
void launch_at_once(const caller& me, work_unit* u) {
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_CREATE, *u);
    }
    if (!is_named(*u)) {
        u->join.reset_detached();
    }
    give_way_to_child(me, u, push_context::create_to);
}

bool holds_stack(ABT_thread_attr attr) noexcept {
    const auto* a = checked<thread_attr_object>(attr);
    return a != nullptr && a->stack_base != nullptr;
}

}  // namespace

extern "C" {

LAZULT_HOT int ABT_thread_create(ABT_pool pool, void (*thread_func)(void*), void* arg,
                                 ABT_thread_attr attr, ABT_thread* newthread) {
    return create_ult(pool, thread_func, arg, attr, newthread);
}

int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                         ABT_thread* newthread) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    sched::ready_pool* home = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(home != nullptr, ABT_ERR_INV_POOL);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(me.is_ult(), ABT_ERR_INV_THREAD);
    work_unit* u = nullptr;
    const int code = prepare_ult({*home, thread_func, arg, newthread != nullptr}, attr, u);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    if (newthread != nullptr) {
        *newthread = to_handle(u);
    }
    launch_at_once(me, u);
    return ABT_SUCCESS;
}

int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void*), void* arg,
                                 ABT_thread_attr attr, ABT_thread* newthread) {
    if (newthread != nullptr) {
        *newthread = as_null(ABT_THREAD_NULL);
    }
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const xstream_object* x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    sched::ready_pool* const home = main_pool_of(*x);
    ABT_GIVE_UP_UNLESS(home != nullptr, ABT_ERR_INV_POOL);
    return result(create_ult_in(*home, thread_func, arg, attr, newthread), __func__);
}

int ABT_thread_create_many(int num_threads, ABT_pool* pool_list, void (**thread_func_list)(void*),
                           void** arg_list, ABT_thread_attr attr, ABT_thread* newthread_list) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(!holds_stack(attr), ABT_ERR_INV_THREAD_ATTR);
    const int code =
        create_many(num_threads, pool_list, thread_func_list, arg_list, attr, newthread_list);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    return ABT_SUCCESS;
}

int ABT_thread_revive(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread* thread) {
    return result(revive_thread(pool, thread_func, arg, *thread, ABT_ERR_INV_THREAD), __func__);
}

int ABT_thread_revive_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread* thread) {
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(me.is_ult(), ABT_ERR_INV_THREAD);
    sched::ready_pool* home = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(home != nullptr, ABT_ERR_INV_POOL);
    work_unit* u = checked_thread(*thread);
    ABT_GIVE_UP_UNLESS(u != nullptr && !is_tasklet(*u) && has_ended(*u), ABT_ERR_INV_THREAD);
    const int code = renew(*u, *home, thread_func, arg);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    u->set_state(core::life_state::ready);
    give_way_to_child(me, u, push_context::revive_to);
    return ABT_SUCCESS;
}
}
