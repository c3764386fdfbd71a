// SPDX-License-Identifier: BSD-3-Clause
// A barrier for OS threads: while a unit waits, all units of its stream wait.
#include "handles/handles.hpp"

namespace lazult::abt {

// field       written by                     read by    order
// arrived     each waiter                    the last   acq_rel: the last waiter sees all writes
//                                                       that the others made before they came
// generation  the last waiter of each round  waiters    release / acquire
struct xstream_barrier_object {
    static constexpr kind arena_kind = kind::xstream_barrier;

    explicit xstream_barrier_object(std::uint32_t count) noexcept : waiters(count) {}

    void wait() noexcept;

    std::uint32_t waiters;
    ds::default_atomics::atomic<std::uint32_t> arrived{0};
    ds::default_atomics::atomic<std::uint32_t> generation{0};
};

void xstream_barrier_object::wait() noexcept {
    const std::uint32_t round =
        generation.load(std::memory_order_relaxed);  // does not change before this caller arrives
    // pairs with: itself in the other waiters
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == waiters) {
        arrived.store(0, std::memory_order_relaxed);             // the next line publishes it
        generation.store(round + 1, std::memory_order_release);  // pairs with: the load below
        ds::default_atomics::futex_wake(generation, static_cast<int>(waiters & 0x7fff'ffffU));
        return;
    }
    while (generation.load(std::memory_order_acquire) == round) {  // pairs with: the store above
        ds::default_atomics::futex_wait(generation, round, -1);
    }
}

}  // namespace lazult::abt

using namespace lazult::abt;

int ABT_xstream_barrier_create(uint32_t num_waiters, ABT_xstream_barrier* newbarrier) {
    *newbarrier = as_null(ABT_XSTREAM_BARRIER_NULL);
    ABT_GIVE_UP_UNLESS(num_waiters != 0, ABT_ERR_INV_ARG);
    return make_object<xstream_barrier_object>(newbarrier, __func__, num_waiters);
}

int ABT_xstream_barrier_free(ABT_xstream_barrier* barrier) {
    return free_object<xstream_barrier_object>(barrier, __func__);
}

int ABT_xstream_barrier_wait(ABT_xstream_barrier barrier) {
    auto* const b = checked<xstream_barrier_object>(barrier);
    ABT_GIVE_UP_UNLESS(b != nullptr, ABT_ERR_INV_XSTREAM_BARRIER);
    b->wait();
    return ABT_SUCCESS;
}
