// SPDX-License-Identifier: BSD-3-Clause
// Mutexes and their attributes. ABT_mutex_lock_low, _high, _unlock_se and _unlock_de are hints,
// which this library ignores: an unlock wakes one waiter, and no waiter starves.
#include "sync/mutex.hpp"

#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

int create(bool recursive, ABT_mutex* newmutex) noexcept {
    auto* m = make<mutex_object>();
    *newmutex = to_handle(m);
    if (m == nullptr) {
        return ABT_ERR_MEM;
    }
    m->word = recursive ? 1 : 0;
    return ABT_SUCCESS;
}

LAZULT_NOINLINE void lock_slow(sync_memory& m) {
    const waiting scope(this_caller(), ABT_SYNC_EVENT_TYPE_MUTEX, &m);
    if (is_recursive(m)) {
        recursive_of(m).lock();
    } else {
        plain_of(m).lock();
    }
}

LAZULT_ALWAYS_INLINE bool try_lock(sync_memory& m) noexcept {
    return is_recursive(m) ? recursive_of(m).try_lock() : plain_of(m).try_lock();
}

LAZULT_ALWAYS_INLINE int lock(ABT_mutex mutex, const char* function) {
    sync_memory* m = checked_mutex(mutex);
    if (m == nullptr) LAZULT_UNLIKELY {
        return refuse(ABT_ERR_INV_MUTEX, function);
    }
    if (!try_lock(*m)) LAZULT_UNLIKELY {
        lock_slow(*m);
    }
    return ABT_SUCCESS;
}

int unlock_recursive(sync::recursive_mutex& m, const char* function) noexcept {
    if (!m.is_mine()) {
        return refuse(ABT_ERR_MUTEX, function);
    }
    m.unlock();
    return ABT_SUCCESS;
}

LAZULT_ALWAYS_INLINE int unlock(ABT_mutex mutex, const char* function) noexcept {
    sync_memory* m = checked_mutex(mutex);
    if (m == nullptr) LAZULT_UNLIKELY {
        return refuse(ABT_ERR_INV_MUTEX, function);
    }
    if (is_recursive(*m)) LAZULT_UNLIKELY {
        return unlock_recursive(recursive_of(*m), function);
    }
    plain_of(*m).unlock_if_locked();
    return ABT_SUCCESS;
}

// A caller that tries in a loop yields after this many failures in a row, because an unlock may
// hand the mutex over to a ULT that waits for the caller's stream. In Argobots such a loop needs no
// yield, because Argobots hands no mutex over.
constexpr unsigned most_failures = 256;

// Counts a failure, and yields if it is one too many. The count is reset before the yield, because
// the caller may be on another OS thread after it.
void note_failure(unsigned& in_a_row) {
    if (++in_a_row >= most_failures) {
        in_a_row = 0;
        lazult::core::yield();
    }
}

}  // namespace

extern "C" {

int ABT_mutex_create(ABT_mutex* newmutex) { return create(false, newmutex); }

int ABT_mutex_create_with_attr(ABT_mutex_attr attr, ABT_mutex* newmutex) {
    note_null(attr);
    *newmutex = as_null(ABT_MUTEX_NULL);
    if (is_null(attr)) {
        return create(false, newmutex);
    }
    const auto* attributes = checked<mutex_attributes>(attr);
    ABT_GIVE_UP_UNLESS(attributes != nullptr, ABT_ERR_INV_MUTEX_ATTR);
    return create(attributes->recursive != 0, newmutex);
}

int ABT_mutex_free(ABT_mutex* mutex) { return free_object<mutex_object>(mutex, __func__); }

int ABT_mutex_lock(ABT_mutex mutex) { return lock(mutex, __func__); }
int ABT_mutex_lock_high(ABT_mutex mutex) { return lock(mutex, __func__); }
int ABT_mutex_lock_low(ABT_mutex mutex) { return lock(mutex, __func__); }

int ABT_mutex_trylock(ABT_mutex mutex) {
    sync_memory* m = checked_mutex(mutex);
    ABT_GIVE_UP_UNLESS(m != nullptr, ABT_ERR_INV_MUTEX);
    thread_local unsigned failures = 0;  // note_failure() does not touch it after its yield
    if (try_lock(*m)) {
        failures = 0;
        return ABT_SUCCESS;
    }
    note_failure(failures);
    return ABT_ERR_MUTEX_LOCKED;
}

int ABT_mutex_spinlock(ABT_mutex mutex) {
    sync_memory* m = checked_mutex(mutex);
    ABT_GIVE_UP_UNLESS(m != nullptr, ABT_ERR_INV_MUTEX);
    sync::brief_spin<lazult::ds::default_atomics> spin;
    unsigned failures = 0;
    while (!try_lock(*m)) {
        spin.pause();
        note_failure(failures);
    }
    return ABT_SUCCESS;
}

int ABT_mutex_unlock(ABT_mutex mutex) { return unlock(mutex, __func__); }
int ABT_mutex_unlock_se(ABT_mutex mutex) { return unlock(mutex, __func__); }
int ABT_mutex_unlock_de(ABT_mutex mutex) { return unlock(mutex, __func__); }

int ABT_mutex_equal(ABT_mutex mutex1, ABT_mutex mutex2, ABT_bool* result) {
    *result = are_same(mutex1, mutex2);
    return ABT_SUCCESS;
}

int ABT_mutex_get_attr(ABT_mutex mutex, ABT_mutex_attr* attr) {
    const sync_memory* m = checked_mutex(mutex);
    ABT_GIVE_UP_UNLESS(m != nullptr, ABT_ERR_INV_MUTEX);
    auto* attributes = make<mutex_attributes>();
    ABT_GIVE_UP_UNLESS(attributes != nullptr, ABT_ERR_MEM);
    attributes->recursive = is_recursive(*m) ? 1 : 0;
    *attr = to_handle(attributes);
    return ABT_SUCCESS;
}

int ABT_mutex_attr_create(ABT_mutex_attr* newattr) {
    return make_object<mutex_attributes>(newattr, __func__);
}

int ABT_mutex_attr_free(ABT_mutex_attr* attr) {
    return free_object<mutex_attributes>(attr, __func__);
}

int ABT_mutex_attr_set_recursive(ABT_mutex_attr attr, ABT_bool recursive) {
    auto* attributes = checked<mutex_attributes>(attr);
    ABT_GIVE_UP_UNLESS(attributes != nullptr, ABT_ERR_INV_MUTEX_ATTR);
    attributes->recursive = recursive != ABT_FALSE ? 1 : 0;
    return ABT_SUCCESS;
}

int ABT_mutex_attr_get_recursive(ABT_mutex_attr attr, ABT_bool* recursive) {
    return ask_object<mutex_attributes>(attr, __func__, recursive, [](const auto& a) {
        return a.recursive != 0 ? ABT_TRUE : ABT_FALSE;
    });
}

}  // extern "C"
