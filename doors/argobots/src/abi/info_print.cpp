// SPDX-License-Identifier: BSD-3-Clause
// Prints objects and settings, for debugging.
#include "printing/objects.hpp"
#include "printing/stack.hpp"
#include "printing/stack_dump.hpp"
#include "units/attributes.hpp"

using namespace lazult::abt;

namespace {

// Implements the functions that print one object. `refusal` is the code if there is none.
template <class Object, class Print>
int print_one(FILE* fp, Object* object, int refusal, const char* function, Print print) {
    if (object == nullptr) {
        return refuse(refusal, function);
    }
    print(*object);
    std::fflush(fp);
    return ABT_SUCCESS;
}

}  // namespace

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
    return print_one(fp, checked_xstream(xstream), ABT_ERR_INV_XSTREAM, __func__,
                     [fp](auto& x) { print_xstream(fp, x); });
}

int ABT_info_print_sched(FILE* fp, ABT_sched sched) {
    return print_one(fp, checked_sched(sched), ABT_ERR_INV_SCHED, __func__,
                     [fp](auto& s) { print_sched(fp, s, 0); });
}

int ABT_info_print_pool(FILE* fp, ABT_pool pool) {
    return print_one(fp, checked_pool(pool), ABT_ERR_INV_POOL, __func__,
                     [fp](auto& p) { print_pool(fp, p, 0); });
}

int ABT_info_print_thread(FILE* fp, ABT_thread thread) {
    return print_one(fp, checked_thread(thread), ABT_ERR_INV_THREAD, __func__,
                     [fp](auto& u) { print_unit(fp, u, 0); });
}

int ABT_info_print_task(FILE* fp, ABT_task task) {
    return print_one(fp, checked_thread(task), ABT_ERR_INV_TASK, __func__,
                     [fp](auto& u) { print_unit(fp, u, 0); });
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
    return print_one(fp, checked_thread(thread), ABT_ERR_INV_THREAD, __func__,
                     [fp](auto& u) { print_stack(fp, u); });
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
