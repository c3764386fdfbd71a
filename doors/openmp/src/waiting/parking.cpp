// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/parking.hpp"

#include <new>
#include <type_traits>

namespace lazult::omp {

constinit parking_table all_parked;
static_assert(std::is_trivially_destructible_v<parking_table>);

void forget_lockers() noexcept {
    for (parking_bucket& each : all_parked.buckets) {
        each.lock.unlock();
    }
}

void forget_parked() noexcept { new (&all_parked) parking_table; }

parked_waiter* parking_bucket::take(const void* key) noexcept {
    for (parked_waiter** link = &first; *link != nullptr; link = &(*link)->next) {
        parked_waiter* const found = *link;
        if (found->key() == key) {
            sync::unlink(&found->record, &found->record);
            *link = found->next;
            if (last == &found->next) {
                last = link;
            }
            return found;
        }
    }
    return nullptr;
}

void wake_one_slowly(const void* key) noexcept {
    parking_bucket& bucket = bucket_of(key);
    bucket.lock.lock();
    parked_waiter* const found = bucket.take(key);
    bucket.lock.unlock();
    if (found != nullptr) {
        sync::wake(&found->record);
    }
}

// Wakes all units that wait now, and none that begins to wait meanwhile.
void wake_all_slowly(const void* key) noexcept {
    parking_bucket& bucket = bucket_of(key);
    parked_waiter* taken = nullptr;
    parked_waiter** end = &taken;
    bucket.lock.lock();
    while (parked_waiter* const found = bucket.take(key)) {
        found->next = nullptr;
        *end = found;
        end = &found->next;
    }
    bucket.lock.unlock();
    while (taken != nullptr) {
        parked_waiter* const following = taken->next;
        sync::wake(&taken->record);
        taken = following;
    }
}

}  // namespace lazult::omp
