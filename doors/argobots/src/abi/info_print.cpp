// SPDX-License-Identifier: BSD-3-Clause
// Prints objects and settings, for debugging.
#include "printing/objects.hpp"
#include "printing/stack.hpp"
#include "printing/stack_dump.hpp"
#include "units/attributes.hpp"

using namespace lazult::abt;

extern "C" {

int ABT_info_print_config(FILE* fp) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    print_config(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_all_xstreams(FILE* fp) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    std::fprintf(fp, "%d execution streams\n", count_xstreams());
    for_each_xstream([](xstream_object& x, void* to) { print_xstream(static_cast<FILE*>(to), x); },
                     fp);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_xstream(FILE* fp, ABT_xstream xstream) {
    const xstream_object* x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    print_xstream(fp, *x);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_sched(FILE* fp, ABT_sched sched) {
    const sched_object* s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    print_sched(fp, *s, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_pool(FILE* fp, ABT_pool pool) {
    const lazult::sched::ready_pool* p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    print_pool(fp, *p, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread(FILE* fp, ABT_thread thread) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    print_unit(fp, *u, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_task(FILE* fp, ABT_task task) {
    work_unit* u = checked_thread(task);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_TASK);
    print_unit(fp, *u, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread_attr(FILE* fp, ABT_thread_attr attr) {
    const auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    std::fprintf(
        fp,
        "attributes %p: stack %p of %zu bytes, migratable: %s, called when it has moved: %p(%p)\n",
        static_cast<const void*>(a), a->stack_base, a->stack_size, a->is_migratable ? "yes" : "no",
        reinterpret_cast<void*>(a->migrated), a->migrated_argument);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread_stack(FILE* fp, ABT_thread thread) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    print_stack(fp, *u);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread_stacks_in_pool(FILE* fp, ABT_pool pool) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    const bool can_be_shown = print_stacks_in(fp, *p);
    std::fflush(fp);
    ABT_GIVE_UP_UNLESS(can_be_shown, ABT_ERR_POOL);
    return ABT_SUCCESS;
}

int ABT_info_trigger_print_all_thread_stacks(FILE* fp, double timeout,
                                             void (*cb_func)(ABT_bool, void*), void* arg) {
    request_stack_dump(fp, timeout, cb_func, arg);
    return ABT_SUCCESS;
}

}  // extern "C"
