// SPDX-License-Identifier: BSD-3-Clause
// What Lazult offers beyond Argobots: techniques, sleep and timed waits.
#include <abtx.h>

#include <array>
#include <cmath>

#include "attributes.hpp"
#include "deadline.hpp"
#include "mutex.hpp"
#include "waiting.hpp"

namespace {

using namespace lazult::abt;
namespace base = lazult::base;
namespace core = lazult::core;
namespace os = lazult::os;
namespace sync = lazult::sync;

// By number.
constexpr std::array techniques = {
    core::technique::adaptive,          core::technique::full,
    core::technique::lazy_stack,        core::technique::return_on_completion,
    core::technique::stack_separation,  core::technique::scheduler_creation,
    core::technique::run_to_completion,
};

ABTX_technique number_of(core::technique how) noexcept {
    std::size_t i = 0;
    while (techniques[i] != how) {
        ++i;
    }
    return static_cast<ABTX_technique>(i);
}

int sleep_until(std::int64_t deadline, const char* function) {
    const caller me = who();
    if (me.is_tasklet()) {
        return refuse(ABT_ERR_INV_THREAD, function);
    }
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_OTHER, nullptr);
    const std::int64_t end = deadline == sync::no_deadline ? INT64_MAX : deadline;
    return to_code(sync::sleep_until(end), ABT_ERR_INV_THREAD);
}

int lock_until(sync_memory& m, std::int64_t deadline) {
    const waiting scope(who(), ABT_SYNC_EVENT_TYPE_MUTEX, &m);
    const base::status outcome = is_recursive(m) ? recursive_of(m).lock_until(deadline)  //
                                                 : plain_of(m).lock_until(deadline);
    return to_code(outcome, ABT_ERR_MUTEX);
}

}  // namespace

extern "C" {

int ABTX_thread_attr_set_technique(ABT_thread_attr attr, ABTX_technique technique) {
    auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    const auto number = static_cast<std::size_t>(technique);
    ABT_GIVE_UP_UNLESS(number < techniques.size(), ABT_ERR_INV_ARG);
    a->how = techniques[number];
    a->compose();
    return ABT_SUCCESS;
}

int ABTX_thread_attr_get_technique(ABT_thread_attr attr, ABTX_technique* technique) {
    const auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    *technique = number_of(a->how);
    return ABT_SUCCESS;
}

int ABTX_thread_sleep_for(double seconds) {
    constexpr double longest = 9e9;
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(!std::isnan(seconds), ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(!who().is_tasklet(), ABT_ERR_INV_THREAD);
    if (seconds <= 0) {
        return ABT_SUCCESS;
    }
    const double nanoseconds = std::fmin(seconds, longest) * 1e9;
    return sleep_until(sync::deadline_after(static_cast<std::int64_t>(nanoseconds)), __func__);
}

int ABTX_thread_sleep_until(const struct timespec* abstime) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(is_valid(*abstime), ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(!who().is_tasklet(), ABT_ERR_INV_THREAD);
    const std::int64_t deadline = deadline_of(*abstime);
    return deadline == 0 ? ABT_SUCCESS : sleep_until(deadline, __func__);
}

int ABTX_mutex_timedlock(ABT_mutex mutex, const struct timespec* abstime) {
    sync_memory* m = checked_mutex(mutex);
    ABT_GIVE_UP_UNLESS(m != nullptr, ABT_ERR_INV_MUTEX);
    ABT_GIVE_UP_UNLESS(is_valid(*abstime), ABT_ERR_INV_ARG);
    return lock_until(*m, deadline_of(*abstime));
}

}  // extern "C"
