// SPDX-License-Identifier: BSD-3-Clause
// The life of schedulers, and what can be asked of them.
#include "schedulers/sched.hpp"

#include "schedulers/sched_hosts.hpp"

#include <abtx.h>

#include <algorithm>
#include <new>

namespace lazult::abt {
namespace {

// --- what a plan says

constexpr int priorities = 3;  // of a PRIO scheduler that makes its own pools

bool is_predef(ABT_sched_predef p) noexcept {
    return p == ABT_SCHED_DEFAULT || p == ABT_SCHED_BASIC || p == ABT_SCHED_PRIO ||
           p == ABT_SCHED_RANDWS || p == ABT_SCHED_BASIC_WAIT;
}

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
    return create_pool(waits ? ABT_POOL_FIFO_WAIT : ABT_POOL_FIFO,
                       plan.def == nullptr ? ABT_POOL_ACCESS_MPMC : ABT_POOL_ACCESS_MPSC, true,
                       made);
}

bool is_given(const ABT_pool* pools, std::size_t i) noexcept {
    return pools != nullptr && !is_null(pools[i]);
}

// --- pools of a scheduler

int add_pool(sched_object& s, sched::ready_pool& p) noexcept {
    if (s.host->add_pool(p) != base::status::ok) {
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

// A pool that its user has freed by hand is none any more. Its slot is not used again soon.
bool still_lives(const sched::ready_pool* p) noexcept { return arena::is_live<kind::pool>(p); }

// --- hosts

void read_config(sched_object& s, const sched_config_object* config, bool automatic, int* frequency,
                 bool* is_stateless) noexcept {
    s.is_automatic = automatic;
    if (config != nullptr) {
        s.is_automatic = config->integer_or(ABT_sched_config_automatic.idx, automatic ? 1 : 0) != 0;
        *frequency = config->integer_or(ABT_sched_basic_freq.idx, 0);
        *is_stateless = config->integer_or(ABTX_sched_config_stateless.idx, 0) != 0;
    }
}

bool make_host(sched_object& s, const sched_plan& plan) noexcept {
    int frequency = 0;
    bool is_stateless = false;
    read_config(s, checked<sched_config_object>(plan.config), plan.def == nullptr, &frequency,
                &is_stateless);
    s.is_users = plan.def != nullptr;
    s.predef = plan.predef;
    if (s.is_users) {
        s.def = *plan.def;
        s.host = make_users_host(s, is_stateless);
    } else {
        s.host = make_predefined_host(s, frequency);
    }
    return s.host != nullptr;
}

int fill(sched_object& s, const sched_plan& plan) noexcept {
    if (!make_host(s, plan)) {
        return ABT_ERR_MEM;
    }
    if (const int outcome = add_pools(s, plan); outcome != ABT_SUCCESS) {
        return outcome;
    }
    return s.def.init == nullptr ? ABT_SUCCESS : s.def.init(s.handle(), plan.config);
}

// What remains when the user's free was called, or must not be.
void dismantle(sched_object& s, const ABT_pool* given, bool keeps_given, bool by_force) noexcept {
    const std::unique_ptr<sched::scheduler> host = std::move(s.host);
    unmake(&s);
    if (host == nullptr) {
        return;
    }
    const auto pools = host->pools();
    for (std::size_t i = 0; i < pools.size(); ++i) {
        if (!still_lives(pools[i])) {
            continue;
        }
        if (keeps_given && is_given(given, i)) {
            // pairs with: release_pool()
            part_of(*pools[i]).schedulers.fetch_sub(1, std::memory_order_acq_rel);
        } else {
            release_pool(*pools[i], by_force);
        }
    }
}

// --- ending

// A unit that waits is counted before it leaves its stream and until it runs again: so the count is
// looked at first.
bool has_units(const sched::ready_pool& p) noexcept {
    const pool_part& part = part_of(p);
    const bool is_alone = part.access == ABT_POOL_ACCESS_PRIV ||
                          part.schedulers.load(std::memory_order_relaxed) == 1;  // a hint
    const bool is_awaited = part.blocked.get() > 0 || p.waiting() > 0;
    return (is_alone && is_awaited) || !is_empty(p);
}

}  // namespace

sched_object* checked_sched(ABT_sched handle) noexcept { return checked<sched_object>(handle); }

int create_sched(const sched_plan& plan, sched_object** made) noexcept {
    if (const int bad = check_plan(plan); bad != ABT_SUCCESS) {
        return bad;
    }
    auto* const s = make<sched_object>();
    if (s == nullptr) {
        return ABT_ERR_MEM;
    }
    if (const int outcome = fill(*s, plan); outcome != ABT_SUCCESS) {
        dismantle(*s, plan.pools, true, false);
        return outcome;
    }
    *made = s;
    return ABT_SUCCESS;
}

void free_sched(sched_object& s, bool by_force) noexcept {
    if (s.def.free != nullptr) {
        s.def.free(s.handle());
    }
    dismantle(s, nullptr, false, by_force);
}

void abandon_sched(sched_object& s, const ABT_pool* given) noexcept {
    if (s.def.free != nullptr) {
        s.def.free(s.handle());
    }
    dismantle(s, given, true, false);
}

bool take_sched(sched_object& s, sched_use how) noexcept {
    sched_use expected = sched_use::none;
    // pairs with: give_sched_back()
    return s.used.compare_exchange_strong(expected, how, std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
}

void give_sched_back(sched_object& s) noexcept {
    s.used.store(sched_use::none, std::memory_order_release);  // pairs with: take_sched()
}

void ask(sched_object& s, sched_request what) noexcept {
    // pairs with: has_to_stop(), load of requests
    s.requests.fetch_or(what, std::memory_order_release);
    s.host->request_stop(sched::scheduler::stop_when_empty);
}

void forget_requests(sched_object& s) noexcept {
    s.requests.store(0, std::memory_order_relaxed);  // its stream's start comes after this
    s.host->request_stop(sched::scheduler::keep_running);
}

bool has_units(const sched_object& s) noexcept {
    const auto pools = s.pools();
    return std::any_of(pools.begin(), pools.end(),
                       [](const sched::ready_pool* p) { return has_units(*p); });
}

bool has_to_stop(const sched_object& s) noexcept {
    // acquire pairs with: ask(), fetch_or of requests: what the asker did before, such as its
    // pushes
    const std::uint32_t asked = s.requests.load(std::memory_order_acquire);
    if ((asked & sched_exit) != 0) {
        return true;
    }
    // its own
    const bool ends_when_empty = (asked & (sched_finish | sched_replace)) != 0 ||
                                 s.used.load(std::memory_order_relaxed) == sched_use::in_pool;
    // It looks twice: during the first look, a unit may go from a pool not yet seen to one seen
    // already.
    return ends_when_empty && !has_units(s) && !has_units(s);
}

bool has_pool(const sched_object& s, const core::pool& p) noexcept {
    const auto pools = s.pools();
    return std::any_of(pools.begin(), pools.end(),
                       [&](const sched::ready_pool* each) { return each == &p; });
}

sched::ready_pool* migration_pool_of(sched_object& s) noexcept {
    if (s.def.get_migr_pool != nullptr) {
        return checked_pool(s.def.get_migr_pool(s.handle()));
    }
    return s.pools().empty() ? nullptr : s.pools().front();
}

}  // namespace lazult::abt

using namespace lazult::abt;

int ABT_sched_create(ABT_sched_def* def, int num_pools, ABT_pool* pools, ABT_sched_config config,
                     ABT_sched* newsched) {
    ABT_GIVE_UP_UNLESS(newsched != nullptr, ABT_ERR_SCHED);
    note_null(config);
    *newsched = as_null(ABT_SCHED_NULL);
    sched_plan plan;
    plan.def = def;
    plan.pool_count = num_pools;
    plan.pools = pools;
    plan.config = config;
    sched_object* made = nullptr;
    const int outcome = create_sched(plan, &made);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *newsched = made->handle();
    return ABT_SUCCESS;
}

int ABT_sched_create_basic(ABT_sched_predef predef, int num_pools, ABT_pool* pools,
                           ABT_sched_config config, ABT_sched* newsched) {
    ABT_GIVE_UP_UNLESS(newsched != nullptr, ABT_ERR_SCHED);
    note_null(config);
    *newsched = as_null(ABT_SCHED_NULL);
    sched_plan plan;
    plan.predef = predef;
    plan.pool_count = num_pools;
    plan.pools = pools;
    plan.config = config;
    sched_object* made = nullptr;
    const int outcome = create_sched(plan, &made);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *newsched = made->handle();
    return ABT_SUCCESS;
}

int ABT_sched_free(ABT_sched* sched) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    auto* const s = checked_sched(*sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    // relaxed: the thread that frees it has waited for its end
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
    const auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    *data = s->data;
    return ABT_SUCCESS;
}

int ABT_sched_get_num_pools(ABT_sched sched, int* num_pools) {
    const auto* const s = checked_sched(sched);
    ABT_GIVE_UP_UNLESS(s != nullptr, ABT_ERR_INV_SCHED);
    *num_pools = static_cast<int>(s->pools().size());
    return ABT_SUCCESS;
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
    ABT_GIVE_UP_UNLESS(!who().is_outside(), ABT_ERR_INV_XSTREAM);
    *stop = has_to_stop(*s) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}
