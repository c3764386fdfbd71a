// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/config.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>

namespace lazult::abt {

config_value config_value::from(config_type type, const void* variable) noexcept {
    config_value result;
    result.type = type;
    switch (type) {
        case config_type::integer: result.integer = *static_cast<const int*>(variable); break;
        case config_type::real: result.real = *static_cast<const double*>(variable); break;
        case config_type::pointer: result.pointer = *static_cast<void* const*>(variable); break;
    }
    return result;
}

void config_value::write_to(void* variable) const noexcept {
    switch (type) {
        case config_type::integer: *static_cast<int*>(variable) = integer; break;
        case config_type::real: *static_cast<double*>(variable) = real; break;
        case config_type::pointer: *static_cast<void**>(variable) = pointer; break;
    }
}

config_map::~config_map() {
    if (all_ != few_.data()) {
        std::free(all_);
    }
}

const config_value* config_map::find(int key) const noexcept {
    const entry* const found =
        std::find_if(all_, all_ + count_, [=](const entry& e) { return e.key == key; });
    return found == all_ + count_ ? nullptr : &found->value;
}

bool config_map::grow() noexcept {
    auto* more = static_cast<entry*>(std::malloc(2 * capacity_ * sizeof(entry)));
    if (more == nullptr) {
        return false;
    }
    std::copy_n(all_, count_, more);
    if (all_ != few_.data()) {
        std::free(all_);
    }
    all_ = more;
    capacity_ *= 2;
    return true;
}

bool config_map::set(int key, const config_value& value) noexcept {
    if (const config_value* old = find(key); old != nullptr) {
        *const_cast<config_value*>(old) = value;
        return true;
    }
    if (count_ == capacity_ && !grow()) {
        return false;
    }
    all_[count_++] = {key, value};
    return true;
}

void config_map::erase(int key) noexcept {
    entry* const last = all_ + count_;
    entry* const found = std::find_if(all_, last, [=](const entry& e) { return e.key == key; });
    if (found != last) {
        *found = *(last - 1);
        --count_;
    }
}

int config_map::integer_or(int key, int otherwise) const noexcept {
    const config_value* const found = find(key);
    return found != nullptr && found->type == config_type::integer ? found->integer : otherwise;
}

namespace {

int set_or_erase(config_map& map, int key, int type, const void* value) noexcept {
    if (value == nullptr) {
        map.erase(key);
        return ABT_SUCCESS;
    }
    if (!is_config_type(type)) {
        return ABT_ERR_INV_ARG;
    }
    return map.set(key, config_value::from(config_type{type}, value)) ? ABT_SUCCESS : ABT_ERR_MEM;
}

int get_into(const config_map& map, int key, int* type, void* value) noexcept {
    const config_value* const found = map.find(key);
    if (found == nullptr) {
        return ABT_ERR_INV_ARG;
    }
    if (value != nullptr) {
        found->write_to(value);
    }
    if (type != nullptr) {
        *type = static_cast<int>(found->type);
    }
    return ABT_SUCCESS;
}

config_value next_value(config_type type, va_list& list) noexcept {
    config_value result;
    result.type = type;
    switch (type) {
        case config_type::integer: result.integer = va_arg(list, int); break;
        case config_type::real: result.real = va_arg(list, double); break;
        case config_type::pointer: result.pointer = va_arg(list, void*); break;
    }
    return result;
}

int set_all(sched_config_object& config, va_list& list) noexcept {
    for (;;) {
        const auto variable = va_arg(list, ABT_sched_config_var);
        if (variable.idx == ABT_sched_config_var_end.idx) {
            return ABT_SUCCESS;
        }
        const int type = variable.type;
        if (!is_config_type(type)) {
            return ABT_ERR_INV_ARG;  // how to go on in the list nobody knows
        }
        if (!config.set(variable.idx, next_value(config_type{type}, list))) {
            return ABT_ERR_MEM;
        }
    }
}

}  // namespace
}  // namespace lazult::abt

using namespace lazult::abt;

int ABT_sched_config_create(ABT_sched_config* config, ...) {
    auto* const made = make<sched_config_object>();
    ABT_GIVE_UP_UNLESS(made != nullptr, ABT_ERR_MEM);
    va_list list;
    va_start(list, config);
    const int outcome = set_all(*made, list);
    va_end(list);
    if (outcome != ABT_SUCCESS) {
        unmake(made);
        return refuse(outcome, __func__);
    }
    *config = to_handle(made);
    return ABT_SUCCESS;
}

int ABT_sched_config_read(ABT_sched_config config, int num_vars, ...) {
    const auto* const map = checked<sched_config_object>(config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_SCHED_CONFIG);
    va_list list;
    va_start(list, num_vars);
    for (int i = 0; i < num_vars; ++i) {
        void* const variable = va_arg(list, void*);
        if (const config_value* value = map->find(i); value != nullptr && variable != nullptr) {
            value->write_to(variable);
        }
    }
    va_end(list);
    return ABT_SUCCESS;
}

int ABT_sched_config_free(ABT_sched_config* config) {
    auto* const map = checked<sched_config_object>(*config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_SCHED_CONFIG);
    unmake(map);
    *config = as_null(ABT_SCHED_CONFIG_NULL);
    return ABT_SUCCESS;
}

int ABT_sched_config_set(ABT_sched_config config, int idx, ABT_sched_config_type type,
                         const void* val) {
    auto* const map = checked<sched_config_object>(config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_SCHED_CONFIG);
    const int outcome = set_or_erase(*map, idx, type, val);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    return ABT_SUCCESS;
}

int ABT_sched_config_get(ABT_sched_config config, int idx, ABT_sched_config_type* p_type,
                         void* val) {
    const auto* const map = checked<sched_config_object>(config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_SCHED_CONFIG);
    int type = 0;
    const int outcome = get_into(*map, idx, &type, val);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    if (p_type != nullptr) {
        *p_type = static_cast<ABT_sched_config_type>(type);
    }
    return ABT_SUCCESS;
}

int ABT_pool_config_create(ABT_pool_config* config) {
    auto* const made = make<pool_config_object>();
    ABT_GIVE_UP_UNLESS(made != nullptr, ABT_ERR_MEM);
    *config = to_handle(made);
    return ABT_SUCCESS;
}

int ABT_pool_config_free(ABT_pool_config* config) {
    auto* const map = checked<pool_config_object>(*config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_POOL_CONFIG);
    unmake(map);
    *config = as_null(ABT_POOL_CONFIG_NULL);
    return ABT_SUCCESS;
}

int ABT_pool_config_set(ABT_pool_config config, int key, ABT_pool_config_type type,
                        const void* val) {
    auto* const map = checked<pool_config_object>(config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_POOL_CONFIG);
    const int outcome = set_or_erase(*map, key, type, val);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    return ABT_SUCCESS;
}

int ABT_pool_config_get(ABT_pool_config config, int key, ABT_pool_config_type* p_type, void* val) {
    const auto* const map = checked<pool_config_object>(config);
    ABT_GIVE_UP_UNLESS(map != nullptr, ABT_ERR_INV_POOL_CONFIG);
    int type = 0;
    const int outcome = get_into(*map, key, &type, val);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    if (p_type != nullptr) {
        *p_type = static_cast<ABT_pool_config_type>(type);
    }
    return ABT_SUCCESS;
}
