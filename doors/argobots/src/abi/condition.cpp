// SPDX-License-Identifier: BSD-3-Clause
// Condition variables.
#include "sync/deadline.hpp"
#include "sync/mutex.hpp"
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

using condition_object = created<kind::cond>;

// field        written by        read by       order
// waiters      sync/             sync/         see sync::condition
// their_mutex  the waiters       the waiters   relaxed: it only serves to find misuse
struct condition_parts {
    sync::condition waiters;
    lazult::ds::default_atomics::atomic<const void*> their_mutex;
};

condition_parts* checked_condition(ABT_cond handle) noexcept {
    sync_memory* memory = checked_memory<kind::cond>(handle, 0);
    return memory == nullptr ? nullptr : &part_in<condition_parts>(memory);
}

// Notes the mutex of a new waiter. Returns false if other callers wait with another mutex.
bool agree(condition_parts& c, const sync_memory& m) noexcept {
    if (c.waiters.is_waited_for() && c.their_mutex.load(std::memory_order_relaxed) != &m) {
        return false;
    }
    c.their_mutex.store(&m, std::memory_order_relaxed);
    return true;
}

bool may_be_let_go(sync_memory& m) noexcept {
    return !is_recursive(m) || recursive_of(m).is_mine();
}

base::status wait_in(condition_parts& c, sync_memory& m, std::int64_t deadline) {
    return is_recursive(m) ? c.waiters.wait_until(recursive_of(m), deadline)
                           : c.waiters.wait_until(plain_of(m), deadline);
}

int wait(const caller& me, ABT_cond cond, ABT_mutex mutex, std::int64_t deadline,
         const char* function) {
    condition_parts* c = checked_condition(cond);
    if (c == nullptr) {
        return refuse(ABT_ERR_INV_COND, function);
    }
    sync_memory* m = checked_mutex(mutex);
    if (m == nullptr || !may_be_let_go(*m) || !agree(*c, *m)) {
        return refuse(ABT_ERR_INV_MUTEX, function);
    }
    if (me.is_ult() && !can_wait_until(deadline)) {
        return refuse(ABT_ERR_MEM, function);
    }
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_COND, cond);
    const base::status outcome = wait_in(*c, *m, deadline);
    return to_code(outcome, ABT_ERR_COND);
}

LAZULT_NOINLINE int wait_long(ABT_cond cond, ABT_mutex mutex, const char* function) {
    const caller me = this_caller();
    return me.is_tasklet() ? refuse(ABT_ERR_COND, function)
                           : wait(me, cond, mutex, sync::no_deadline, function);
}

// Does the whole wait for the usual case: a ULT waits without a deadline, with a mutex that is not
// recursive. Returns false, and has done nothing, in any other case.
LAZULT_ALWAYS_INLINE bool wait_simply(ABT_cond cond, ABT_mutex mutex) {
    const caller me = this_caller();
    if (!me.is_ult() || !me.unit->may_suspend() || !arena::is_live<kind::cond>(cond) ||
        !arena::is_live<kind::mutex>(mutex)) LAZULT_UNLIKELY {
        return false;
    }
    auto& c = part_in<condition_parts>(cond);
    auto& m = *reinterpret_cast<sync_memory*>(mutex);
    if (is_recursive(m) || !agree(c, m)) LAZULT_UNLIKELY {
        return false;
    }
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_COND, cond);
    c.waiters.wait_as_unit(*me.unit, plain_of(m));
    return true;
}

}  // namespace

extern "C" {

int ABT_cond_create(ABT_cond* newcond) {
    *newcond = as_null(ABT_COND_NULL);
    return make_object<condition_object>(newcond, __func__);
}

int ABT_cond_free(ABT_cond* cond) {
    auto* c = checked<condition_object>(*cond);
    ABT_GIVE_UP_UNLESS(c != nullptr, ABT_ERR_INV_COND);
    ABT_GIVE_UP_UNLESS(!part_in<condition_parts>(c).waiters.is_waited_for(), ABT_ERR_COND);
    unmake(c);
    *cond = as_null(ABT_COND_NULL);
    return ABT_SUCCESS;
}

int ABT_cond_wait(ABT_cond cond, ABT_mutex mutex) {
    return wait_simply(cond, mutex) ? ABT_SUCCESS : wait_long(cond, mutex, __func__);
}

int ABT_cond_timedwait(ABT_cond cond, ABT_mutex mutex, const struct timespec* abstime) {
    return wait(this_caller(), cond, mutex, deadline_of(*abstime), __func__);
}

int ABT_cond_signal(ABT_cond cond) {
    condition_parts* c = checked_condition(cond);
    ABT_GIVE_UP_UNLESS(c != nullptr, ABT_ERR_INV_COND);
    c->waiters.signal();
    return ABT_SUCCESS;
}

int ABT_cond_broadcast(ABT_cond cond) {
    condition_parts* c = checked_condition(cond);
    ABT_GIVE_UP_UNLESS(c != nullptr, ABT_ERR_INV_COND);
    c->waiters.broadcast();
    return ABT_SUCCESS;
}

}  // extern "C"
