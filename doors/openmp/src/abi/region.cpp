// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: parallel regions, barriers, single, critical and atomic regions.
#include "abi/export.hpp"
#include "abi/lock_word.hpp"
#include "tasks/caller.hpp"
#include "teams/barrier.hpp"
#include "teams/parallel.hpp"

using namespace lazult::omp;

namespace {

constinit lock_word unnamed_critical;
constinit spin_lock unnamed_atomic;

// A critical region's name is a pointer object of the program, zero at first: it holds the lock.
lock_word& named(void** name) noexcept {
    static_assert(sizeof(lock_word) <= sizeof(void*));
    return *reinterpret_cast<lock_word*>(name);
}

// Returns true for one thread of the team: the first to come to its n-th single.
bool takes_single(thread& t) noexcept {
    std::uint64_t mine = t.singles_entered++;
    atomic<std::uint64_t>& taken = t.its_team->singles;
    return t.its_team->size == 1
               ? (taken.store(mine + 1, std::memory_order_relaxed), true)
               // relaxed: this only picks the thread. A barrier orders what the single does;
               // after a single with `nowait`, OpenMP promises no order.
               : taken.load(std::memory_order_relaxed) == mine &&
                     taken.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed,
                                                   std::memory_order_relaxed);
}

}  // namespace

extern "C" {

OMP_API void GOMP_parallel(region_function fn, void* data, unsigned threads, unsigned flags) {
    run_region({fn, data, threads, flags});
}

OMP_API void GOMP_parallel_start(region_function fn, void* data, unsigned threads) {
    begin_region({fn, data, threads, 0});
}

OMP_API void GOMP_parallel_end() { end_region(); }

OMP_API void GOMP_barrier() {
    thread& t = *me().here;
    wait_at_barrier(t, t.its_team->inside, cancellation::ignored);
}

OMP_API bool GOMP_barrier_cancel() {
    thread& t = *me().here;
    return wait_at_barrier(t, t.its_team->inside, cancellation::ends_wait);
}

OMP_API bool GOMP_single_start() { return takes_single(*me().here); }

OMP_API void* GOMP_single_copy_start() {
    thread& t = *me().here;
    if (takes_single(t)) {
        return nullptr;
    }
    wait_at_barrier(t, t.its_team->inside, cancellation::ignored);
    return t.its_team->copied;  // the next value is written behind another barrier
}

OMP_API void GOMP_single_copy_end(void* data) {
    thread& t = *me().here;
    t.its_team->copied = data;
    wait_at_barrier(t, t.its_team->inside, cancellation::ignored);
}

OMP_API void GOMP_critical_start() { unnamed_critical.lock(); }
OMP_API void GOMP_critical_end() { unnamed_critical.unlock(); }
OMP_API void GOMP_critical_name_start(void** name) { named(name).lock(); }
OMP_API void GOMP_critical_name_end(void** name) { named(name).unlock(); }

// A unit does not suspend while it holds this lock, nor while it waits for the lock.
OMP_API void GOMP_atomic_start() { unnamed_atomic.lock(); }
OMP_API void GOMP_atomic_end() { unnamed_atomic.unlock(); }
}
