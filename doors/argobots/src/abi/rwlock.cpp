// SPDX-License-Identifier: BSD-3-Clause
// Locks for many readers or one writer. As in Argobots, a reader waits only while a writer has the
// lock, not while a writer waits for it, because programs lock recursively for reading.
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

struct rwlock_object {
    static constexpr kind arena_kind = kind::rwlock;
    sync::readers_first_rwlock lock;
};

void lock_shared(const caller& me, rwlock_object& l) {
    if (!l.lock.try_lock_shared()) {
        const waiting scope(me, ABT_SYNC_EVENT_TYPE_RWLOCK, &l);
        l.lock.lock_shared();
    }
}

void lock_alone(const caller& me, rwlock_object& l) {
    if (!l.lock.try_lock()) {
        const waiting scope(me, ABT_SYNC_EVENT_TYPE_RWLOCK, &l);
        l.lock.lock();
    }
}

}  // namespace

extern "C" {

int ABT_rwlock_create(ABT_rwlock* newrwlock) {
    *newrwlock = as_null(ABT_RWLOCK_NULL);
    return make_object<rwlock_object>(newrwlock, __func__);
}

int ABT_rwlock_free(ABT_rwlock* rwlock) { return free_object<rwlock_object>(rwlock, __func__); }

int ABT_rwlock_rdlock(ABT_rwlock rwlock) {
    auto* l = checked<rwlock_object>(rwlock);
    ABT_GIVE_UP_UNLESS(l != nullptr, ABT_ERR_INV_RWLOCK);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_RWLOCK);
    lock_shared(me, *l);
    return ABT_SUCCESS;
}

int ABT_rwlock_wrlock(ABT_rwlock rwlock) {
    auto* l = checked<rwlock_object>(rwlock);
    ABT_GIVE_UP_UNLESS(l != nullptr, ABT_ERR_INV_RWLOCK);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_RWLOCK);
    lock_alone(me, *l);
    return ABT_SUCCESS;
}

int ABT_rwlock_unlock(ABT_rwlock rwlock) {
    auto* l = checked<rwlock_object>(rwlock);
    ABT_GIVE_UP_UNLESS(l != nullptr, ABT_ERR_INV_RWLOCK);
    if (l->lock.is_locked()) {
        l->lock.unlock();
    } else if (l->lock.readers() != 0) {
        l->lock.unlock_shared();
    }
    return ABT_SUCCESS;
}

}  // extern "C"
