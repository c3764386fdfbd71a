// SPDX-License-Identifier: BSD-3-Clause
// Popping units from pools, and looking at the units in them.
#include "pools/pool_pop.hpp"
#include "pools/unit.hpp"

#include <array>
#include <span>

using namespace lazult::abt;

namespace {

// Pops a unit. While the pool is empty, blocks the OS thread until the deadline.
work_unit* pop_builtin_until(sched::ready_pool& p, worker& w, std::int64_t deadline_ns) noexcept {
    const unsigned slot = sched::sleepers().take_slot();
    work_unit* u = pop_builtin(p, w);
    while (u == nullptr && slot != sched::lot::no_slot && os::now_ns() < deadline_ns) {
        std::array<sched::gate*, 2> gates{&p.idle_gate(), p.gate_of_kept(w)};
        const std::size_t used = gates[1] == nullptr ? 1 : 2;
        ds::idle_wait<> sleep(sched::sleepers(), slot, std::span(gates).first(used));
        sleep.prepare();
        if (p.maybe_has_work(w)) {
            sleep.cancel();
        } else {
            sleep.commit(deadline_ns);
        }
        u = pop_builtin(p, w);
    }
    if (slot != sched::lot::no_slot) {
        sched::sleepers().give_slot(slot);
    }
    return u;
}

constexpr double ns_per_second = 1e9;

// Returns a deadline on the clock of os::now_ns(), which is also that of ABT_get_wtime.
std::int64_t deadline_at(double seconds) noexcept {
    constexpr double longest = 4e9;  // in seconds; more nanoseconds do not fit an int64_t
    if (!(seconds > 0)) {
        return 0;
    }
    return static_cast<std::int64_t>((seconds < longest ? seconds : longest) * ns_per_second);
}

// Returns SUCCESS, POOL or MEM.
int pop_waiting(sched::ready_pool& p, double seconds, ABT_pool_context context,
                work_unit** popped) noexcept {
    if (!part_of(p).is_users) {
        worker* const w = core::try_this_worker();
        *popped =
            w == nullptr ? nullptr : pop_builtin_until(p, *w, os::now_ns() + deadline_at(seconds));
        return w == nullptr ? ABT_ERR_MEM : ABT_SUCCESS;
    }
    const user_pool& mine = as_user_pool(p);
    if (mine.functions().pop_wait == nullptr) {
        return ABT_ERR_POOL;
    }
    *popped = popped_unit(mine.functions().pop_wait(mine.handle(), seconds, context));
    return ABT_SUCCESS;
}

ABT_unit unit_or_null(work_unit* u) noexcept {
    return u == nullptr ? as_null(ABT_UNIT_NULL) : unit_of(*u);
}

std::size_t pop_several(sched::ready_pool& p, ABT_thread* threads, std::size_t most) noexcept {
    worker* const w = core::try_this_worker();
    std::size_t count = 0;
    for (; w != nullptr && count < most; ++count) {
        work_unit* const u = pop_builtin(p, *w);
        if (u == nullptr) {
            break;
        }
        threads[count] = to_handle(u);
    }
    return count;
}

}  // namespace

int ABT_pool_pop_thread(ABT_pool pool, ABT_thread* thread) {
    return ABT_pool_pop_thread_ex(pool, thread, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_pop_thread_ex(ABT_pool pool, ABT_thread* thread, ABT_pool_context pool_ctx) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    worker* const w = core::try_this_worker();
    ABT_GIVE_UP_UNLESS(w != nullptr, ABT_ERR_MEM);
    *thread = to_handle(pop_from(*p, *w, pool_ctx));
    return ABT_SUCCESS;
}

int ABT_pool_pop_threads(ABT_pool pool, ABT_thread* threads, size_t len, size_t* num) {
    return ABT_pool_pop_threads_ex(pool, threads, len, num, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_pop_threads_ex(ABT_pool pool, ABT_thread* threads, size_t len, size_t* num,
                            ABT_pool_context pool_ctx) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    if (!part_of(*p).is_users) {
        if (len != 0) {
            *num = pop_several(*p, threads, len);
        }
        return ABT_SUCCESS;
    }
    const auto pop_many = as_user_pool(*p).functions().pop_many;
    ABT_GIVE_UP_UNLESS(pop_many != nullptr, ABT_ERR_POOL);
    if (len != 0) {
        pop_many(pool, threads, len, num, pool_ctx);
    }
    return ABT_SUCCESS;
}

int ABT_pool_pop_wait_thread(ABT_pool pool, ABT_thread* thread, double time_secs) {
    return ABT_pool_pop_wait_thread_ex(pool, thread, time_secs, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_pop_wait_thread_ex(ABT_pool pool, ABT_thread* thread, double time_secs,
                                ABT_pool_context pool_ctx) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    work_unit* popped = nullptr;
    const int outcome = pop_waiting(*p, time_secs, pool_ctx, &popped);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *thread = to_handle(popped);
    return ABT_SUCCESS;
}

int ABT_pool_pop(ABT_pool pool, ABT_unit* unit) {
    *unit = as_null(ABT_UNIT_NULL);
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    worker* const w = core::try_this_worker();
    ABT_GIVE_UP_UNLESS(w != nullptr, ABT_ERR_MEM);
    *unit = unit_or_null(pop_from(*p, *w, ABT_POOL_CONTEXT_OP_POOL_OTHER));
    return ABT_SUCCESS;
}

int ABT_pool_pop_wait(ABT_pool pool, ABT_unit* unit, double time_secs) {
    *unit = as_null(ABT_UNIT_NULL);
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    work_unit* popped = nullptr;
    const int outcome = pop_waiting(*p, time_secs, ABT_POOL_CONTEXT_OP_POOL_OTHER, &popped);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    *unit = unit_or_null(popped);
    return ABT_SUCCESS;
}

int ABT_pool_pop_timedwait(ABT_pool pool, ABT_unit* unit, double abstime_secs) {
    *unit = as_null(ABT_UNIT_NULL);
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    if (!part_of(*p).is_users) {
        worker* const w = core::try_this_worker();
        ABT_GIVE_UP_UNLESS(w != nullptr, ABT_ERR_MEM);
        *unit = unit_or_null(pop_builtin_until(*p, *w, deadline_at(abstime_secs)));
        return ABT_SUCCESS;
    }
    const auto pop_timedwait = as_user_pool(*p).functions().old.p_pop_timedwait;
    ABT_GIVE_UP_UNLESS(pop_timedwait != nullptr, ABT_ERR_POOL);
    const ABT_unit popped = pop_timedwait(pool, abstime_secs);
    note_nothing(popped);
    *unit = thread_of(popped) == nullptr ? as_null(ABT_UNIT_NULL) : popped;
    return ABT_SUCCESS;
}

int ABT_pool_remove(ABT_pool pool, ABT_unit unit) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    work_unit* const u = thread_of(unit);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_UNIT);
    ABT_GIVE_UP_UNLESS(u->home == p && p->remove(u), ABT_ERR_POOL);
    core::open_here(*u);  // for the reason that pop_builtin() names
    return ABT_SUCCESS;
}

namespace {

template <class Shown>
struct printing {
    void* argument;
    void (*print)(void*, Shown);

    static void one(work_unit* u, void* self) {
        if (!has_bit(*u, abt_unit)) {
            return;
        }
        const auto& me = *static_cast<printing*>(self);
        if constexpr (std::is_same_v<Shown, ABT_unit>) {
            me.print(me.argument, unit_of(*u));
        } else {
            me.print(me.argument, to_handle(u));
        }
    }
};

}  // namespace

int ABT_pool_print_all_threads(ABT_pool pool, void* arg, void (*print_fn)(void* arg, ABT_thread)) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    if (!part_of(*p).is_users) {
        printing<ABT_thread> shown{arg, print_fn};
        p->for_each(printing<ABT_thread>::one, &shown);
        return ABT_SUCCESS;
    }
    const auto print_all = as_user_pool(*p).functions().print_all;
    ABT_GIVE_UP_UNLESS(print_all != nullptr, ABT_ERR_POOL);
    print_all(pool, arg, print_fn);
    return ABT_SUCCESS;
}

int ABT_pool_print_all(ABT_pool pool, void* arg, void (*print_fn)(void* arg, ABT_unit)) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    const bool is_users = part_of(*p).is_users;
    ABT_GIVE_UP_UNLESS(!is_users || as_user_pool(*p).functions().print_all != nullptr,
                       ABT_ERR_POOL);
    printing<ABT_unit> shown{arg, print_fn};
    p->for_each(printing<ABT_unit>::one, &shown);
    return ABT_SUCCESS;
}
