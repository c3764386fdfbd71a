// SPDX-License-Identifier: BSD-3-Clause
// Barriers for units and external threads.
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

struct barrier_object {
    static constexpr kind arena_kind = kind::barrier;
    explicit barrier_object(std::uint32_t waiters) noexcept : meeting(waiters) {}
    sync::barrier meeting;
};

}  // namespace

extern "C" {

int ABT_barrier_create(uint32_t num_waiters, ABT_barrier* newbarrier) {
    *newbarrier = as_null(ABT_BARRIER_NULL);
    ABT_GIVE_UP_UNLESS(num_waiters != 0, ABT_ERR_INV_ARG);
    return make_object<barrier_object>(newbarrier, __func__, num_waiters);
}

int ABT_barrier_reinit(ABT_barrier barrier, uint32_t num_waiters) {
    auto* b = checked<barrier_object>(barrier);
    ABT_GIVE_UP_UNLESS(b != nullptr, ABT_ERR_INV_BARRIER);
    ABT_GIVE_UP_UNLESS(num_waiters != 0, ABT_ERR_INV_ARG);
    b->meeting.resize(num_waiters);
    return ABT_SUCCESS;
}

int ABT_barrier_free(ABT_barrier* barrier) {
    return free_object<barrier_object>(barrier, __func__);
}

int ABT_barrier_wait(ABT_barrier barrier) {
    auto* b = checked<barrier_object>(barrier);
    ABT_GIVE_UP_UNLESS(b != nullptr, ABT_ERR_INV_BARRIER);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_BARRIER);
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_BARRIER, barrier);
    bool last = false;
    return to_code(b->meeting.try_wait(&last), ABT_ERR_BARRIER);
}

int ABT_barrier_get_num_waiters(ABT_barrier barrier, uint32_t* num_waiters) {
    return ask_object<barrier_object>(barrier, __func__, num_waiters, [](const auto& b) {
        return static_cast<uint32_t>(b.meeting.expected());
    });
}

}  // extern "C"
