// SPDX-License-Identifier: BSD-3-Clause
// What Lazult offers beyond Argobots: sleeping and timed waits. attributes.cpp has the techniques.
#include <abtx.h>

#include <cmath>

#include "sync/deadline.hpp"
#include "sync/mutex.hpp"
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

int sleep_until(std::int64_t deadline, const char* function) {
    const caller me = this_caller();
    if (me.is_tasklet()) {
        return refuse(ABT_ERR_INV_THREAD, function);
    }
    const std::int64_t end = deadline == sync::no_deadline ? INT64_MAX : deadline;
    if (me.is_ult() && !can_wait_until(end)) {
        return refuse(ABT_ERR_MEM, function);
    }
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_OTHER, nullptr);
    return to_code(sync::sleep_until(end), ABT_ERR_INV_THREAD);
}

int lock_until(sync_memory& m, std::int64_t deadline) {
    const waiting scope(this_caller(), ABT_SYNC_EVENT_TYPE_MUTEX, &m);
    const base::status outcome = is_recursive(m) ? recursive_of(m).lock_until(deadline)  //
                                                 : plain_of(m).lock_until(deadline);
    return to_code(outcome, ABT_ERR_MUTEX);
}

}  // namespace

extern "C" {

int ABTX_thread_sleep_for(double seconds) {
    constexpr double longest = 9e9;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(!std::isnan(seconds), ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(!this_caller().is_tasklet(), ABT_ERR_INV_THREAD);
    if (seconds <= 0) {
        return ABT_SUCCESS;
    }
    const double nanoseconds = std::fmin(seconds, longest) * 1e9;
    return sleep_until(sync::deadline_after(static_cast<std::int64_t>(nanoseconds)), __func__);
}

int ABTX_thread_sleep_until(const struct timespec* abstime) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(is_valid(*abstime), ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(!this_caller().is_tasklet(), ABT_ERR_INV_THREAD);
    const std::int64_t deadline = deadline_of(*abstime);
    return deadline == 0 ? ABT_SUCCESS : sleep_until(deadline, __func__);
}

int ABTX_mutex_timedlock(ABT_mutex mutex, const struct timespec* abstime) {
    sync_memory* m = checked_mutex(mutex);
    ABT_GIVE_UP_UNLESS(m != nullptr, ABT_ERR_INV_MUTEX);
    ABT_GIVE_UP_UNLESS(is_valid(*abstime), ABT_ERR_INV_ARG);
    const std::int64_t deadline = deadline_of(*abstime);
    ABT_GIVE_UP_UNLESS(!this_caller().is_ult() || can_wait_until(deadline), ABT_ERR_MEM);
    return lock_until(*m, deadline);
}

}  // extern "C"
