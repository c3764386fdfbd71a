// SPDX-License-Identifier: BSD-3-Clause
#include "pools/pool_life.hpp"

#include "pools/old_definition.hpp"
#include "pools/pool_builtin.hpp"
#include "pools/pool_user.hpp"
#include "settings/config.hpp"

#include <new>

namespace lazult::abt {
namespace {

constinit ds::default_atomics::atomic<int> next_id{0};

// Makes a pool in a slot of the arena. make() is not used, because the classes of pools differ in
// size and their constructors may throw bad_alloc.
template <class Pool, class... Arguments>
Pool* make_pool(Arguments&&... arguments) noexcept {
    static_assert(sizeof(Pool) + sizeof(arena::trailer) <= arena::slot_bytes(kind::pool));
    void* slot = arena::take(kind::pool);
    if (slot == nullptr) {
        return nullptr;
    }
    try {
        auto* made = new (slot) Pool(std::forward<Arguments>(arguments)...);
        made->id = take_pool_id();
        arena::trailer_of<kind::pool>(slot).live.store(1, std::memory_order_relaxed);
        return made;
    } catch (const std::bad_alloc&) {
        arena::give_back(kind::pool, slot);
        return nullptr;
    }
}

bool is_kind(ABT_pool_kind k) noexcept {
    return k == ABT_POOL_FIFO || k == ABT_POOL_FIFO_WAIT || k == ABT_POOL_RANDWS;
}

bool is_access(ABT_pool_access a) noexcept {
    return a == ABT_POOL_ACCESS_PRIV || a == ABT_POOL_ACCESS_SPSC || a == ABT_POOL_ACCESS_MPSC ||
           a == ABT_POOL_ACCESS_SPMC || a == ABT_POOL_ACCESS_MPMC;
}

template <class Pool>
sched::ready_pool* make_builtin(const pool_plan& plan) noexcept {
    Pool* made = make_pool<Pool>();
    if (made != nullptr) {
        made->access = plan.access;
        made->is_automatic = plan.is_automatic;
    }
    return made;
}

bool keeps(const pool_plan& plan) noexcept {
    return plan.started.value_or(base::current_settings().started) == base::started_kind::stay;
}

// A unit that began on a spare stream would be on no execution stream of the program, so a pool
// that keeps its units lends none.
sched::ready_pool* make_of_one_stream(const pool_plan& plan) noexcept {
    return sched::streams_may_lend() && !keeps(plan) ? make_builtin<lendable_pool>(plan)
                                                     : make_builtin<private_pool>(plan);
}

// Mostly one scheduler alone has a default pool. Another stream that comes to a pool with a lane
// may wait for its owner (biased_fifo.hpp), so the pools that the program makes to share have none.
sched::ready_pool* make_staying(const pool_plan& plan) noexcept {
    return plan.is_default ? make_builtin<staying_default_pool>(plan)
                           : make_builtin<staying_shared_pool>(plan);
}

sched::ready_pool* make_shared(const pool_plan& plan) noexcept {
    if (keeps(plan)) {
        return make_staying(plan);
    }
    return sched::streams_may_lend() ? make_builtin<lendable_shared_pool>(plan)
                                     : make_builtin<shared_pool>(plan);
}

sched::ready_pool* make_of_kind(const pool_plan& plan) noexcept {
    if (plan.kind == ABT_POOL_RANDWS) {
        return make_builtin<stealing_pool>(plan);
    }
    const bool is_shared =
        plan.access == ABT_POOL_ACCESS_SPMC || plan.access == ABT_POOL_ACCESS_MPMC;
    return is_shared ? make_shared(plan) : make_of_one_stream(plan);
}

// Reads a new or an old definition. Returns false if `def` is neither.
bool read_definition(ABT_pool_user_def def, pool_functions* result) noexcept {
    if (const auto* definition = checked<pool_definition>(def); definition != nullptr) {
        static_cast<pool_definition&>(*result) = *definition;
        return true;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(def);
    const bool may_be_memory = at >= 4096 && at % alignof(ABT_pool_def) == 0;
    if (!may_be_memory || arena::is_within(at) ||
        core::is_descriptor(reinterpret_cast<const work_unit*>(def)) ||
        def->u_create_from_thread == nullptr) {
        return false;
    }
    *result = adapt(*def);
    return true;
}

}  // namespace

void reset_pool_ids() noexcept { next_id.store(0, std::memory_order_relaxed); }

int take_pool_id() noexcept { return next_id.fetch_add(1, std::memory_order_relaxed); }

int create_pool(const pool_plan& plan, sched::ready_pool** made) noexcept {
    if (!is_access(plan.access)) {
        return ABT_ERR_INV_POOL_ACCESS;
    }
    const bool steals_what_stays =
        plan.kind == ABT_POOL_RANDWS && plan.started == std::optional(base::started_kind::stay);
    if (!is_kind(plan.kind) || steals_what_stays) {
        return ABT_ERR_INV_POOL_KIND;
    }
    *made = make_of_kind(plan);
    return *made == nullptr ? ABT_ERR_MEM : ABT_SUCCESS;
}

int create_users_pool(ABT_pool_user_def def, ABT_pool_config config,
                      sched::ready_pool** made) noexcept {
    pool_functions functions;
    if (!read_definition(def, &functions)) {
        return ABT_ERR_INV_POOL_USER_DEF;
    }
    auto* const p = make_pool<user_pool>(functions);
    if (p == nullptr) {
        return ABT_ERR_MEM;
    }
    if (const auto* settings = checked<pool_config_object>(config); settings != nullptr) {
        p->is_automatic = settings->integer_or(ABT_pool_config_automatic.key, 0) != 0;
    }
    const int outcome = p->initialize(config);
    if (outcome != ABT_SUCCESS) {
        free_pool(*p);
        return outcome;
    }
    *made = p;
    return ABT_SUCCESS;
}

// The pool counts as live until its destructor has run, because the user's free function may use
// the handle, to get its data.
void free_pool(sched::ready_pool& p) noexcept {
    auto& live = arena::trailer_of<kind::pool>(&p).live;
    p.~ready_pool();
    live.store(0, std::memory_order_relaxed);
    arena::give_back(kind::pool, &p);
}

// Notes one more scheduler. With the second one the pool must expect that several streams pop from
// it.
void retain_pool(sched::ready_pool& p) noexcept {
    // relaxed: the caller has the pool
    const int others = part_of(p).schedulers.fetch_add(1, std::memory_order_relaxed);
    if (others != 0) {
        p.expect_others();
    }
}

void release_pool(sched::ready_pool& p, bool by_force) noexcept {
    pool_part& part = part_of(p);
    // acq_rel pairs with itself: what all schedulers did comes before the last one's freeing
    const int left = part.schedulers.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if ((part.is_automatic && left == 0) || by_force) {
        free_pool(p);
    }
}

}  // namespace lazult::abt
