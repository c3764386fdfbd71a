// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/sched_create.hpp"

#include "pools/pool_life.hpp"
#include "schedulers/sched_predefined.hpp"
#include "schedulers/sched_user.hpp"
#include "settings/config.hpp"

#include <abtx.h>

namespace lazult::abt {
namespace {

// --- reading a plan

constexpr int priorities = 3;  // the number of pools of a PRIO scheduler that makes its own pools

bool is_predef(ABT_sched_predef p) noexcept {
    return p == ABT_SCHED_DEFAULT || p == ABT_SCHED_BASIC || p == ABT_SCHED_PRIO ||
           p == ABT_SCHED_RANDWS || p == ABT_SCHED_BASIC_WAIT;
}

// Returns SUCCESS, or the error of a plan that cannot be carried out.
int check_plan(const sched_plan& plan) noexcept {
    if (plan.pool_count < 0) {
        return ABT_ERR_INV_ARG;
    }
    if (plan.def == nullptr && !is_predef(plan.predef)) {
        return ABT_ERR_INV_SCHED_PREDEF;
    }
    for (int i = 0; plan.pools != nullptr && i < plan.pool_count; ++i) {
        note_null(plan.pools[i]);
        if (!is_null(plan.pools[i]) && checked_pool(plan.pools[i]) == nullptr) {
            return ABT_ERR_INV_POOL;
        }
    }
    return ABT_SUCCESS;
}

int count_of_pools(const sched_plan& plan) noexcept {
    if (plan.pools != nullptr || plan.def != nullptr) {
        return plan.pool_count;
    }
    return plan.predef == ABT_SCHED_PRIO ? priorities : 1;
}

int make_missing_pool(const sched_plan& plan, sched::ready_pool** made) noexcept {
    const bool waits =
        plan.def == nullptr && plan.pools == nullptr && plan.predef == ABT_SCHED_BASIC_WAIT;
    return create_pool({.kind = waits ? ABT_POOL_FIFO_WAIT : ABT_POOL_FIFO,
                        .access = plan.def == nullptr ? ABT_POOL_ACCESS_MPMC : ABT_POOL_ACCESS_MPSC,
                        .is_automatic = true,
                        .is_default = true},
                       made);
}

// --- pools of a scheduler

int add_pool(sched_object& s, sched::ready_pool& p) noexcept {
    if (s.scheduler->add_pool(p) != base::status::ok) {
        return ABT_ERR_MEM;
    }
    retain_pool(p);
    return ABT_SUCCESS;
}

int add_pool_of_plan(sched_object& s, const sched_plan& plan, std::size_t i) noexcept {
    if (is_given(plan.pools, i)) {
        return add_pool(s, *checked_pool(plan.pools[i]));
    }
    sched::ready_pool* made = nullptr;
    if (const int outcome = make_missing_pool(plan, &made); outcome != ABT_SUCCESS) {
        return outcome;
    }
    const int outcome = add_pool(s, *made);
    if (outcome != ABT_SUCCESS) {
        free_pool(*made);
    }
    return outcome;
}

int add_pools(sched_object& s, const sched_plan& plan) noexcept {
    const auto count = static_cast<std::size_t>(count_of_pools(plan));
    for (std::size_t i = 0; i < count; ++i) {
        if (const int outcome = add_pool_of_plan(s, plan, i); outcome != ABT_SUCCESS) {
            return outcome;
        }
    }
    return ABT_SUCCESS;
}

// --- the core's schedulers

void read_config(sched_object& s, const sched_config_object* config, bool automatic, int* frequency,
                 bool* is_stateless) noexcept {
    s.is_automatic = automatic;
    if (config != nullptr) {
        s.is_automatic = config->integer_or(ABT_sched_config_automatic.idx, automatic ? 1 : 0) != 0;
        *frequency = config->integer_or(ABT_sched_basic_freq.idx, 0);
        *is_stateless = config->integer_or(ABTX_sched_config_stateless.idx, 0) != 0;
    }
}

bool make_scheduler(sched_object& s, const sched_plan& plan) noexcept {
    int frequency = 0;
    bool is_stateless = false;
    read_config(s, checked<sched_config_object>(plan.config), plan.def == nullptr, &frequency,
                &is_stateless);
    s.is_users = plan.def != nullptr;
    s.predef = plan.predef;
    if (s.is_users) {
        s.def = *plan.def;
        s.scheduler = make_users_scheduler(s, is_stateless);
    } else {
        s.scheduler = make_predefined_scheduler(s, frequency);
    }
    return s.scheduler != nullptr;
}

// Makes the core's scheduler, adds its pools and calls the user's init.
int fill(sched_object& s, const sched_plan& plan) noexcept {
    if (!make_scheduler(s, plan)) {
        return ABT_ERR_MEM;
    }
    if (const int outcome = add_pools(s, plan); outcome != ABT_SUCCESS) {
        return outcome;
    }
    return s.def.init == nullptr ? ABT_SUCCESS : s.def.init(s.handle(), plan.config);
}

}  // namespace

int create_sched(const sched_plan& plan, sched_object** made) noexcept {
    if (const int bad = check_plan(plan); bad != ABT_SUCCESS) {
        return bad;
    }
    auto* const s = make<sched_object>();
    if (s == nullptr) {
        return ABT_ERR_MEM;
    }
    if (const int outcome = fill(*s, plan); outcome != ABT_SUCCESS) {
        dismantle_sched(*s, plan.pools, true, false);
        return outcome;
    }
    *made = s;
    return ABT_SUCCESS;
}

}  // namespace lazult::abt
