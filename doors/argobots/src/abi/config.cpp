// SPDX-License-Identifier: BSD-3-Clause
// Configurations of schedulers and pools.
#include "settings/config.hpp"

#include <cstdarg>

using namespace lazult::abt;

namespace {

template <class Config>
int set_or_erase(handle_of<Config::arena_kind> config, int key, int type, const void* value,
                 const char* function) noexcept {
    auto* const map = checked<Config>(config);
    if (map == nullptr) {
        return refuse(handle_traits<Config::arena_kind>::refusal, function);
    }
    if (value == nullptr) {
        map->erase(key);
        return ABT_SUCCESS;
    }
    if (!is_config_type(type)) {
        return refuse(ABT_ERR_INV_ARG, function);
    }
    const bool is_set = map->set(key, config_value::from(config_type{type}, value));
    return is_set ? ABT_SUCCESS : refuse(ABT_ERR_MEM, function);
}

template <class Config, class Type>
int get_into(handle_of<Config::arena_kind> config, int key, Type* type, void* value,
             const char* function) noexcept {
    const auto* const map = checked<Config>(config);
    if (map == nullptr) {
        return refuse(handle_traits<Config::arena_kind>::refusal, function);
    }
    const config_value* const found = map->find(key);
    if (found == nullptr) {
        return refuse(ABT_ERR_INV_ARG, function);
    }
    if (value != nullptr) {
        found->write_to(value);
    }
    if (type != nullptr) {
        *type = static_cast<Type>(found->type);
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
            return ABT_ERR_INV_ARG;  // a value of unknown size cannot be skipped in the list
        }
        if (!config.set(variable.idx, next_value(config_type{type}, list))) {
            return ABT_ERR_MEM;
        }
    }
}

}  // namespace

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
    return free_object<sched_config_object>(config, __func__);
}

int ABT_sched_config_set(ABT_sched_config config, int idx, ABT_sched_config_type type,
                         const void* val) {
    return set_or_erase<sched_config_object>(config, idx, type, val, __func__);
}

int ABT_sched_config_get(ABT_sched_config config, int idx, ABT_sched_config_type* p_type,
                         void* val) {
    return get_into<sched_config_object>(config, idx, p_type, val, __func__);
}

int ABT_pool_config_create(ABT_pool_config* config) {
    return make_object<pool_config_object>(config, __func__);
}

int ABT_pool_config_free(ABT_pool_config* config) {
    return free_object<pool_config_object>(config, __func__);
}

int ABT_pool_config_set(ABT_pool_config config, int key, ABT_pool_config_type type,
                        const void* val) {
    return set_or_erase<pool_config_object>(config, key, type, val, __func__);
}

int ABT_pool_config_get(ABT_pool_config config, int key, ABT_pool_config_type* p_type, void* val) {
    return get_into<pool_config_object>(config, key, p_type, val, __func__);
}
