// SPDX-License-Identifier: BSD-3-Clause
// Waits for a condition on memory, which wakers name by an address. A ULT that waits suspends; an
// OS thread outside the streams sleeps.
//
// A waiter first increments `waiting` in the address's bucket, and then evaluates the condition
// under the bucket's lock. A waker first makes the condition false, by a sequentially consistent
// read-modify-write (or orders its change otherwise before its call), and then reads `waiting`. So
// the waiter finds the condition false, or the waker sees the waiter. A waker uses the address
// only, because the object there may be gone already.
#pragma once

#include "waiting/own_waits.hpp"

namespace lazult::omp {

// Its record is a ring of its own while it is listed, by which reports of deadlocks know it: see
// sync/wait_description.hpp.
struct parked_waiter {
    parked_waiter(work_unit* unit, wait_kind what, const void* where) noexcept
        : record(unit, what, where) {}
    const void* key() const noexcept { return record.object; }

    sync::waiter<> record;
    parked_waiter* next = nullptr;
};

// field    written by          read by    order
// waiting  waiters             wakers     seq_cst, against the conditions
// first    under lock          the same   the lock's
struct alignas(base::cache_line) parking_bucket {
    atomic<std::uint32_t> waiting{0};
    spin_lock lock;
    parked_waiter* first = nullptr;
    parked_waiter** last = &first;

    void list(parked_waiter& unit) noexcept {
        sync::push_back<ds::default_atomics>(nullptr, &unit.record);
        unit.next = nullptr;
        *last = &unit;
        last = &unit.next;
    }
    // Takes the oldest waiter for `key`, or returns nullptr.
    parked_waiter* take(const void* key) noexcept;
};

// Called in a forked child process: unlocks all buckets. Their holders do not exist there.
void forget_lockers() noexcept;
// Called in a forked child process, if the calling thread was in no region: forgets all waiters,
// because they belonged to other threads.
void forget_parked() noexcept;

inline constexpr std::size_t parking_bucket_count = 256;

struct parking_table {
    parking_bucket buckets[parking_bucket_count];
};

extern constinit parking_table all_parked;

LAZULT_ALWAYS_INLINE parking_bucket& bucket_of(const void* key) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(key);
    return all_parked.buckets[(address >> 2 ^ address >> 12) % parking_bucket_count];
}

// Returns whether a caller may be waiting in the bucket of this address.
inline bool may_have_waiters(const void* key) noexcept {
    // pairs with: park_while(), fetch_add of waiting
    return bucket_of(key).waiting.load(std::memory_order_seq_cst) != 0;
}

void wake_all_slowly(const void* key) noexcept;
void wake_one_slowly(const void* key) noexcept;

inline void wake_all(const void* key) noexcept {
    if (may_have_waiters(key)) LAZULT_UNLIKELY {
        wake_all_slowly(key);
    }
}
inline void wake_one(const void* key) noexcept {
    if (may_have_waiters(key)) LAZULT_UNLIKELY {
        wake_one_slowly(key);
    }
}

// Waits unless `must_wait()` is false by then. `what`, a wait_kind or an own_wait, is for reports.
// Returns after any wake-up: the caller looks again. The condition is evaluated under a spin lock,
// maybe on another unit's stack.
template <class What, class MustWait>
void park_while(What what, const void* key, MustWait must_wait) {
    parking_bucket& bucket = bucket_of(key);
    parked_waiter me(sync::this_caller().unit, kind_of(what), key);
    // pairs with: may_have_waiters(), load
    bucket.waiting.fetch_add(1, std::memory_order_seq_cst);
    parked_waiter* const record = &me;
    sync::block(me.record, [record, &bucket, must_wait](sync::waiter<>&) noexcept {
        bucket.lock.lock();
        const bool waits = must_wait();
        if (waits) {
            bucket.list(*record);
        }
        bucket.lock.unlock();
        return waits;
    });
    bucket.waiting.fetch_sub(1, std::memory_order_relaxed);  // a hint that is never too low
}

}  // namespace lazult::omp
