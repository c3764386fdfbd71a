// SPDX-License-Identifier: BSD-3-Clause
// The life of pools, and what can be asked of them.
#include "pools/pool.hpp"

#include "pools/pool_builtin.hpp"
#include "pools/pool_user.hpp"

#include <new>

namespace lazult::abt {
namespace {

constinit ds::default_atomics::atomic<int> next_id{0};

// Pools are of several types in slots of one size, and their queues take memory when they are made.
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
sched::ready_pool* make_builtin(ABT_pool_access access, bool automatic) noexcept {
    Pool* made = make_pool<Pool>();
    if (made != nullptr) {
        made->access = access;
        made->is_automatic = automatic;
    }
    return made;
}

sched::ready_pool* make_of_kind(ABT_pool_kind k, ABT_pool_access access, bool automatic) noexcept {
    if (k == ABT_POOL_RANDWS) {
        return make_builtin<stealing_pool>(access, automatic);
    }
    if (access == ABT_POOL_ACCESS_SPMC || access == ABT_POOL_ACCESS_MPMC) {
        return make_builtin<shared_pool>(access, automatic);
    }
    return make_builtin<private_pool>(access, automatic);
}

// Of a definition, new or old. False when it is neither.
bool read_definition(ABT_pool_user_def def, pool_functions* result) noexcept {
    if (const auto* definition = checked<pool_definition>(def); definition != nullptr) {
        *result = pool_functions::of(*definition);
        return true;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(def);
    const bool may_be_memory = at >= 4096 && at % alignof(ABT_pool_def) == 0;
    if (!may_be_memory || arena::is_within(at) ||
        core::is_descriptor(reinterpret_cast<const work_unit*>(def)) ||
        def->u_create_from_thread == nullptr) {
        return false;
    }
    *result = pool_functions::of(*def);
    return true;
}

}  // namespace

void reset_pool_ids() noexcept { next_id.store(0, std::memory_order_relaxed); }

int take_pool_id() noexcept { return next_id.fetch_add(1, std::memory_order_relaxed); }

int create_pool(ABT_pool_kind k, ABT_pool_access access, bool automatic,
                sched::ready_pool** made) noexcept {
    if (!is_access(access)) {
        return ABT_ERR_INV_POOL_ACCESS;
    }
    if (!is_kind(k)) {
        return ABT_ERR_INV_POOL_KIND;
    }
    *made = make_of_kind(k, access, automatic);
    return *made == nullptr ? ABT_ERR_MEM : ABT_SUCCESS;
}

// Live until the user's free has run, which asks the handle for its data.
void free_pool(sched::ready_pool& p) noexcept {
    auto& live = arena::trailer_of<kind::pool>(&p).live;
    p.~ready_pool();
    live.store(0, std::memory_order_relaxed);
    arena::give_back(kind::pool, &p);
}

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

bool is_empty(const sched::ready_pool& p) noexcept {
    return part_of(p).is_users ? !as_user_pool(p).has_units() : p.size() == 0;
}

bool can_count(const sched::ready_pool& p) noexcept {
    return !part_of(p).is_users || as_user_pool(p).functions().get_size != nullptr;
}

std::size_t total_size(const sched::ready_pool& p) noexcept {
    // relaxed: the number may be old when it is returned
    const int blocked = part_of(p).blocked.get() + p.waiting();
    return p.size() + static_cast<std::size_t>(blocked > 0 ? blocked : 0);
}

int pool_id(const core::pool& p) noexcept { return part_of(p).id; }

bool is_users_pool(const core::pool& p) noexcept { return part_of(p).is_users; }

bool can_remove(const core::pool& p) noexcept {
    if (!part_of(p).is_users) {
        return true;
    }
    const ABT_pool_def& old = static_cast<const user_pool&>(p).functions().old;
    return old.u_is_in_pool != nullptr && old.p_remove != nullptr;
}

bool stealing_pool::remove(work_unit* wanted) noexcept {
    worker& w = core::this_worker();
    core::unit_fifo others;
    bool found = false;
    for (std::size_t left = size(); left != 0 && !found; --left) {
        work_unit* const u = pop(w);
        found = u == wanted;
        if (u != nullptr && !found) {
            others.push_back(u);
        } else if (u == nullptr && maybe_has_work(w)) {
            os::yield_thread();  // a thief is there, for some instructions
        }
    }
    while (!others.empty()) {
        push_yielded(&w, others.pop_front());
    }
    return found;
}

}  // namespace lazult::abt

using namespace lazult::abt;

int ABT_pool_create(ABT_pool_user_def def, ABT_pool_config config, ABT_pool* newpool) {
    note_null(config);
    *newpool = as_null(ABT_POOL_NULL);
    pool_functions functions;
    ABT_GIVE_UP_UNLESS(read_definition(def, &functions), ABT_ERR_INV_POOL_USER_DEF);
    auto* const made = make_pool<user_pool>(functions);
    ABT_GIVE_UP_UNLESS(made != nullptr, ABT_ERR_MEM);
    if (const auto* settings = checked<pool_config_object>(config); settings != nullptr) {
        made->is_automatic = settings->integer_or(ABT_pool_config_automatic.key, 0) != 0;
    }
    if (const int outcome = made->initialize(config); outcome != ABT_SUCCESS) {
        free_pool(*made);
        return refuse(outcome, __func__);
    }
    *newpool = made->handle();
    return ABT_SUCCESS;
}

int ABT_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABT_bool automatic,
                          ABT_pool* newpool) {
    *newpool = as_null(ABT_POOL_NULL);
    lazult::sched::ready_pool* made = nullptr;
    const int outcome = create_pool(kind, access, automatic != ABT_FALSE, &made);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *newpool = to_handle(made);
    return ABT_SUCCESS;
}

int ABT_pool_free(ABT_pool* pool) {
    auto* const p = checked_pool(*pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    free_pool(*p);
    *pool = as_null(ABT_POOL_NULL);
    return ABT_SUCCESS;
}

int ABT_pool_get_access(ABT_pool pool, ABT_pool_access* access) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *access = part_of(*p).access;
    return ABT_SUCCESS;
}

int ABT_pool_is_empty(ABT_pool pool, ABT_bool* is_empty) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *is_empty = lazult::abt::is_empty(*p) ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_pool_get_size(ABT_pool pool, size_t* size) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    ABT_GIVE_UP_UNLESS(can_count(*p), ABT_ERR_POOL);
    *size = p->size();
    return ABT_SUCCESS;
}

int ABT_pool_get_total_size(ABT_pool pool, size_t* size) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    ABT_GIVE_UP_UNLESS(can_count(*p), ABT_ERR_POOL);
    *size = total_size(*p);
    return ABT_SUCCESS;
}

int ABT_pool_set_data(ABT_pool pool, void* data) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    part_of(*p).data = data;
    return ABT_SUCCESS;
}

int ABT_pool_get_data(ABT_pool pool, void** data) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *data = part_of(*p).data;
    return ABT_SUCCESS;
}

int ABT_pool_get_id(ABT_pool pool, int* id) {
    const auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    *id = part_of(*p).id;
    return ABT_SUCCESS;
}
