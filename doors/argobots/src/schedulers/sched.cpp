// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/sched.hpp"

#include "pools/pool_content.hpp"
#include "pools/pool_life.hpp"

#include <algorithm>

namespace lazult::abt {
namespace {

// Returns true if the scheduler must not end because of this pool. The count of blocked units is
// read before the pool: a unit is counted from before it leaves its stream until it runs again, so
// it is seen in one of the two places. Blocked units matter only if no other scheduler has the
// pool.
bool has_units(const sched::ready_pool& p) noexcept {
    const pool_part& part = part_of(p);
    const bool is_alone = part.access == ABT_POOL_ACCESS_PRIV ||
                          part.schedulers.load(std::memory_order_relaxed) == 1;  // relaxed: a hint
    const bool is_awaited = part.blocked.get() > 0 || p.waiting() > 0;
    return (is_alone && is_awaited) || p.lent() > 0 || !is_empty(p);
}

}  // namespace

void dismantle_sched(sched_object& s, const ABT_pool* given, bool keeps_given,
                     bool by_force) noexcept {
    const std::unique_ptr<sched::scheduler> scheduler = std::move(s.scheduler);
    unmake(&s);
    if (scheduler == nullptr) {
        return;
    }
    const auto pools = scheduler->pools();
    for (std::size_t i = 0; i < pools.size(); ++i) {
        // The user may have freed the pool by hand. Its slot in the arena is not used again soon.
        if (!arena::is_live<kind::pool>(pools[i])) {
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

void free_sched(sched_object& s, bool by_force) noexcept {
    if (s.def.free != nullptr) {
        s.def.free(s.handle());
    }
    dismantle_sched(s, nullptr, false, by_force);
}

void abandon_sched(sched_object& s, const ABT_pool* given) noexcept {
    if (s.def.free != nullptr) {
        s.def.free(s.handle());
    }
    dismantle_sched(s, given, true, false);
}

// A user's scheduler gets at least the stack size that is the default of Argobots, because its loop
// may rely on that. Pages that are not touched cost only address space.
std::size_t stack_size_of(const sched_object& s) noexcept {
    constexpr std::size_t least_of_users = std::size_t{4} << 20;
    const std::size_t asked = base::current_settings().scheduler_stack_bytes();
    return s.is_users ? std::max(least_of_users, asked) : asked;
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
    s.scheduler->request_stop(sched::scheduler::stop_when_empty);
}

void forget_requests(sched_object& s) noexcept {
    s.requests.store(0, std::memory_order_relaxed);  // its stream starts after this
    s.scheduler->request_stop(sched::scheduler::keep_running);
}

bool has_units(const sched_object& s) noexcept {
    const auto pools = s.pools();
    return std::any_of(pools.begin(), pools.end(),
                       [](const sched::ready_pool* p) { return has_units(*p); });
}

// Users' pools are not lent, and their code must not run with the lock held.
bool has_nothing_lent(const sched_object& s) noexcept {
    const auto held_off = sched::lending().hold_off();
    const auto pools = s.pools();
    return !held_off.owns_lock() ||
           std::none_of(pools.begin(), pools.end(), [](const sched::ready_pool* p) {
               return !part_of(*p).is_users && has_units(*p);
           });
}

bool has_to_stop(const sched_object& s) noexcept {
    // acquire pairs with: ask(), fetch_or of requests: what the asker did before, such as its
    // pushes
    const std::uint32_t asked = s.requests.load(std::memory_order_acquire);
    if ((asked & sched_exit) != 0) {
        return true;
    }
    // relaxed: only this scheduler's own stream changes it while the scheduler runs
    const bool ends_when_empty = (asked & (sched_finish | sched_replace)) != 0 ||
                                 s.used.load(std::memory_order_relaxed) == sched_use::in_pool;
    // It looks twice, because during the first look a unit may move from a pool not yet looked at
    // to a pool already looked at.
    return ends_when_empty && !has_units(s) && !has_units(s) && has_nothing_lent(s);
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

void stacked_sched_ended(sched_object& s) noexcept {
    const bool is_automatic = s.is_automatic;
    give_sched_back(s);
    if (is_automatic) {
        free_sched(s);
    }
}

}  // namespace lazult::abt
