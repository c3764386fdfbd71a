// SPDX-License-Identifier: BSD-3-Clause
// The attributes by which ULTs are created.
#include <abtx.h>

#include <algorithm>
#include <iterator>

#include "threads/thread_state.hpp"
#include "units/attributes.hpp"
#include "units/unit_defaults.hpp"

using namespace lazult::abt;

namespace {

constexpr std::uintptr_t stack_alignment = 8;

// The index is the value of ABTX_technique.
constexpr core::technique techniques[] = {
    core::technique::adaptive,          core::technique::full,
    core::technique::lazy_stack,        core::technique::return_on_completion,
    core::technique::stack_separation,  core::technique::scheduler_creation,
    core::technique::run_to_completion,
};

thread_attr_object* make_default() noexcept {
    auto* attr = make<thread_attr_object>();
    if (attr != nullptr) {
        attr->stack_size = base::current_settings().stack_size;
        attr->how = default_technique();
        attr->compose();
    }
    return attr;
}

void copy_stack(const work_unit& u, thread_attr_object& attr) noexcept {
    attr.stack_size = stack_size_of(u);
    attr.stack_base = stack_base_of(u);
}

}  // namespace

extern "C" {

int ABT_thread_attr_create(ABT_thread_attr* newattr) {
    *newattr = as_null(ABT_THREAD_ATTR_NULL);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* attr = make_default();
    ABT_GIVE_UP_UNLESS(attr != nullptr, ABT_ERR_MEM);
    *newattr = to_handle(attr);
    return ABT_SUCCESS;
}

int ABT_thread_attr_free(ABT_thread_attr* attr) {
    return free_object<thread_attr_object>(attr, __func__);
}

int ABT_thread_attr_set_stack(ABT_thread_attr attr, void* stackaddr, size_t stacksize) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    ABT_GIVE_UP_UNLESS(reinterpret_cast<std::uintptr_t>(stackaddr) % stack_alignment == 0,
                       ABT_ERR_INV_ARG);
    a->stack_base = stackaddr;
    a->stack_size = stacksize;
    a->compose();
    return ABT_SUCCESS;
}

int ABT_thread_attr_get_stack(ABT_thread_attr attr, void** stackaddr, size_t* stacksize) {
    const auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    *stackaddr = a->stack_base;
    *stacksize = a->stack_size;
    return ABT_SUCCESS;
}

int ABT_thread_attr_set_stacksize(ABT_thread_attr attr, size_t stacksize) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    a->stack_size = stacksize;
    a->compose();
    return ABT_SUCCESS;
}

int ABT_thread_attr_get_stacksize(ABT_thread_attr attr, size_t* stacksize) {
    return ask_object<thread_attr_object>(attr, __func__, stacksize,
                                          [](const auto& a) { return a.stack_size; });
}

int ABT_thread_attr_set_callback(ABT_thread_attr attr, void (*cb_func)(ABT_thread, void*),
                                 void* cb_arg) {
    auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    a->migrated = cb_func;
    a->migrated_argument = cb_arg;
    a->compose();
    return ABT_SUCCESS;
}

int ABT_thread_attr_set_migratable(ABT_thread_attr attr, ABT_bool is_migratable) {
    auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    a->is_migratable = is_migratable != ABT_FALSE;
    a->compose();
    return ABT_SUCCESS;
}

int ABT_thread_get_attr(ABT_thread thread, ABT_thread_attr* attr) {
    const work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr && !is_tasklet(*u), ABT_ERR_INV_THREAD);
    auto* a = make_default();
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_MEM);
    copy_stack(*u, *a);
    a->is_migratable = has_bit(*u, abt_migratable);
    a->how = u->header.how;
    if (const thread_record* record = present_record(*u); record != nullptr) {
        a->migrated = record->migrated;
        a->migrated_argument = record->migrated_argument;
    }
    a->compose();
    *attr = to_handle(a);
    return ABT_SUCCESS;
}

int ABTX_thread_attr_set_technique(ABT_thread_attr attr, ABTX_technique technique) {
    auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    const auto index = static_cast<std::size_t>(number_of(technique));
    ABT_GIVE_UP_UNLESS(index < std::size(techniques), ABT_ERR_INV_ARG);
    a->how = techniques[index];
    a->compose();
    return ABT_SUCCESS;
}

int ABTX_thread_attr_get_technique(ABT_thread_attr attr, ABTX_technique* technique) {
    const auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    const auto* found = std::find(std::begin(techniques), std::end(techniques), a->how);
    *technique = static_cast<ABTX_technique>(found - std::begin(techniques));
    return ABT_SUCCESS;
}
}
