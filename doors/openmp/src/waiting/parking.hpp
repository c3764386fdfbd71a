// SPDX-License-Identifier: BSD-3-Clause
// Waiting for a condition on memory, known by an address: a ULT suspends, an OS thread outside the
// streams sleeps.
//
// A waiter counts itself, and then looks at the condition, under the lock of the address's bucket.
// A waker makes the condition false by a sequentially consistent read-modify-write (or orders that
// otherwise before its call), and then looks at the count. Of the two, one sees the other. Only the
// address is used: the object there may be gone when a waker calls.
#pragma once

#include "door.hpp"

namespace lazult::omp {

using sync::wait_kind;

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
    // The oldest of a key, or nullptr.
    parked_waiter* take(const void* key) noexcept;
};

// In a child process: unlocks all buckets, because the threads that held the locks are not there.
void forget_lockers() noexcept;
// In a child process, if the caller was in no region: forgets all waiters. They are not there,
// because the caller's thread has no other units.
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

// Whether somebody may be waiting for something in this bucket.
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

// Waits unless `must_wait()` is false by then: `what` is for reports. Returns after any wake-up:
// the caller looks again. The condition is evaluated under a spin lock, maybe on another unit's
// stack.
template <class MustWait>
void park_while(wait_kind what, const void* key, MustWait must_wait) {
    parking_bucket& bucket = bucket_of(key);
    parked_waiter me(sync::this_caller().unit, what, key);
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
