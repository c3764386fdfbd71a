// SPDX-License-Identifier: BSD-3-Clause
// Pushing units to pools.
#include "pools/pool_user.hpp"
#include "pools/unit.hpp"

#include <array>
#include <memory>
#include <new>

using namespace lazult::abt;

namespace {

// In a pool with two ends, new and revived units go to the front, and all others to the back.
bool goes_in_front(ABT_pool_context context) noexcept {
    constexpr ABT_pool_context fresh =
        ABT_POOL_CONTEXT_OP_THREAD_CREATE | ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO |
        ABT_POOL_CONTEXT_OP_THREAD_REVIVE | ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO;
    return (context & fresh) != 0;
}

// Pushes the unit to `p`. The caller has made `p` the unit's home.
void push_ready(sched::ready_pool& p, work_unit& u, ABT_pool_context context) noexcept {
    probe::release(&u);
    if (part_of(p).is_users) {
        as_user_pool(p).push_with(part_of(u).unit, context);
    } else if (goes_in_front(context)) {
        p.push(core::this_worker_or_null(), &u);
    } else {
        p.push_yielded(core::this_worker_or_null(), &u);
    }
}

// Makes the pool the unit's home and pushes the unit. Returns SUCCESS, UNIT or MEM.
int push_to(sched::ready_pool& p, work_unit& u, ABT_pool_context context) noexcept {
    const int outcome = associate(u, p);
    if (outcome == ABT_SUCCESS) {
        push_ready(p, u, context);
    }
    return outcome;
}

int associate_all(sched::ready_pool& p, const ABT_thread* threads, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        if (work_unit* const u = checked_thread(threads[i]); u != nullptr) {
            if (const int outcome = associate(*u, p); outcome != ABT_SUCCESS) {
                return outcome;
            }
        }
    }
    return ABT_SUCCESS;
}

// Passes all units to the user's push_many in one call. Returns SUCCESS or MEM.
int push_all_to_user(user_pool& p, const ABT_thread* threads, std::size_t count,
                     ABT_pool_context context) noexcept {
    std::array<ABT_unit, 64> few;
    std::unique_ptr<ABT_unit[]> many(count > few.size() ? new (std::nothrow) ABT_unit[count]
                                                        : nullptr);
    ABT_unit* const units = count > few.size() ? many.get() : few.data();
    if (units == nullptr) {
        return ABT_ERR_MEM;
    }
    std::size_t pushed = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (work_unit* const u = checked_thread(threads[i]); u != nullptr) {
            probe::release(u);
            units[pushed++] = part_of(*u).unit;
        }
    }
    if (pushed != 0) {
        p.push_all_with(units, pushed, context);
    }
    return ABT_SUCCESS;
}

void push_all(sched::ready_pool& p, const ABT_thread* threads, std::size_t count,
              ABT_pool_context context) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        if (work_unit* const u = checked_thread(threads[i]); u != nullptr) {
            push_ready(p, *u, context);
        }
    }
}

}  // namespace

int ABT_pool_push_thread(ABT_pool pool, ABT_thread thread) {
    return ABT_pool_push_thread_ex(pool, thread, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_push_thread_ex(ABT_pool pool, ABT_thread thread, ABT_pool_context pool_ctx) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    if (work_unit* const u = checked_thread(thread); u != nullptr) {
        const int outcome = push_to(*p, *u, pool_ctx);
        ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    }
    return ABT_SUCCESS;
}

int ABT_pool_push_threads(ABT_pool pool, const ABT_thread* threads, size_t num) {
    return ABT_pool_push_threads_ex(pool, threads, num, ABT_POOL_CONTEXT_OP_POOL_OTHER);
}

int ABT_pool_push_threads_ex(ABT_pool pool, const ABT_thread* threads, size_t num,
                             ABT_pool_context pool_ctx) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    const bool is_users = part_of(*p).is_users;
    ABT_GIVE_UP_UNLESS(!is_users || as_user_pool(*p).functions().push_many != nullptr,
                       ABT_ERR_POOL);
    int outcome = associate_all(*p, threads, num);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    if (is_users) {
        outcome = push_all_to_user(as_user_pool(*p), threads, num, pool_ctx);
        ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    } else {
        push_all(*p, threads, num, pool_ctx);
    }
    return ABT_SUCCESS;
}

int ABT_pool_push(ABT_pool pool, ABT_unit unit) {
    auto* const p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    work_unit* const u = thread_of(unit);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_UNIT);
    return result(push_to(*p, *u, ABT_POOL_CONTEXT_OP_POOL_OTHER), __func__);
}
