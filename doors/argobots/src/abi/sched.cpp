// SPDX-License-Identifier: BSD-3-Clause
// Creating and freeing schedulers, and queries about them.
#include "pools/pool_content.hpp"
#include "schedulers/sched_create.hpp"

using namespace lazult::abt;

namespace {

int create(const sched_plan& plan, ABT_sched* newsched, const char* function) noexcept {
    if (newsched == nullptr) {
        return refuse(ABT_ERR_SCHED, function);
    }
    note_null(plan.config);
    *newsched = as_null(ABT_SCHED_NULL);
    sched_object* made = nullptr;
    const int outcome = create_sched(plan, &made);
    if (outcome != ABT_SUCCESS) {
        return refuse(outcome, function);
    }
    *newsched = made->handle();
    return ABT_SUCCESS;
}

}  // namespace

int ABT_sched_create(ABT_sched_def* def, int num_pools, ABT_pool* pools, ABT_sched_config config,
                     ABT_sched* newsched) {
    return create({def, ABT_SCHED_DEFAULT, num_pools, pools, config}, newsched, __func__);
}

int ABT_sched_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                           ABT_sched_config config, ABT_sched* newsched) {
    return create({nullptr, predef, num_pools, pools, config}, newsched, __func__);
}

int ABT_sched_free(ABT_sched* sched) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* const s = checked_sched(*sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    // relaxed: the thread that frees the scheduler has waited for its end
    ABT_GIVE_UP_UNLESS(s->used.load(std::memory_order_relaxed) == sched_use::none, ABT_ERR_SCHED);
    free_sched(*s);
    *sched = as_null(ABT_SCHED_NULL);
    return ABT_SUCCESS;
}

int ABT_sched_set_data(ABT_sched sched, void* data) {
    auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    s->data = data;
    return ABT_SUCCESS;
}

int ABT_sched_get_data(ABT_sched sched, void** data) {
    return ask_object<sched_object>(sched, __func__, data, [](const auto& s) { return s.data; });
}

int ABT_sched_get_num_pools(ABT_sched sched, int* num_pools) {
    return ask_object<sched_object>(sched, __func__, num_pools, [](const auto& s) {
        return static_cast<int>(s.pools().size());
    });
}

int ABT_sched_get_pools(ABT_sched sched, int max_pools, int idx, ABT_pool* pools) {
    const auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    ABT_GIVE_UP_UNLESS(max_pools >= 0 && idx >= 0, ABT_ERR_INV_ARG);
    const auto all = s->pools();
    const auto first = static_cast<std::size_t>(idx);
    const auto count = static_cast<std::size_t>(max_pools);
    ABT_GIVE_UP_UNLESS(first + count <= all.size(), ABT_ERR_SCHED);
    for (std::size_t i = 0; i < count; ++i) {
        pools[i] = to_handle(all[first + i]);
    }
    return ABT_SUCCESS;
}

namespace {

template <class SizeOf>
int sum_up(ABT_sched sched, std::size_t* size, SizeOf&& size_of, const char* function) {
    *size = 0;
    const auto* const s = checked_sched(sched);
    if (s == nullptr) {
        return refuse(ABT_ERR_INV_SCHED, function);
    }
    std::size_t sum = 0;
    for (const lazult::sched::ready_pool* p : s->pools()) {
        if (!can_count(*p)) {
            return refuse(ABT_ERR_POOL, function);
        }
        sum += size_of(*p);
    }
    *size = sum;
    return ABT_SUCCESS;
}

}  // namespace

int ABT_sched_get_size(ABT_sched sched, size_t* size) {
    return sum_up(
        sched, size, [](const lazult::sched::ready_pool& p) { return p.size(); }, __func__);
}

int ABT_sched_get_total_size(ABT_sched sched, size_t* size) {
    return sum_up(sched, size, total_size, __func__);
}

int ABT_sched_finish(ABT_sched sched) {
    auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    ask(*s, sched_finish);
    return ABT_SUCCESS;
}

int ABT_sched_exit(ABT_sched sched) {
    auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    ask(*s, sched_exit);
    return ABT_SUCCESS;
}

int ABT_sched_has_to_stop(ABT_sched sched, ABT_bool* stop) {
    *stop = ABT_FALSE;
    const auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    ABT_GIVE_UP_UNLESS(!this_caller().is_outside(), ABT_ERR_INV_XSTREAM);
    *stop = has_to_stop(*s) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}
