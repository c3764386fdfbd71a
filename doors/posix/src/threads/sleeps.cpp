// SPDX-License-Identifier: BSD-3-Clause
// Sleeps. No signal ends the sleep of a ULT, so none is cut short.
#include <threads.h>
#include <unistd.h>

#include <ctime>

#include "caller/caller.hpp"
#include "locks/times.hpp"
#include "real/outcome.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

LAZULT_REAL real<unsigned(unsigned)> real_sleep{"sleep"};
LAZULT_REAL real<int(useconds_t)> real_usleep{"usleep"};
LAZULT_REAL real<int(const timespec*, timespec*)> real_nanosleep{"nanosleep"};
LAZULT_REAL real<int(clockid_t, int, const timespec*, timespec*)> real_clock_nanosleep{
    "clock_nanosleep"};
LAZULT_REAL real<int(const timespec*, timespec*)> real_thrd_sleep{"thrd_sleep"};

// A point at which the ULT may be cancelled, as POSIX has it.
void sleep_as_unit(core::work_unit* self, std::int64_t deadline_ns) {
    while (sync::sleep_until(sync::wait_limit(deadline_ns, core::cancelable::yes)) !=
           base::status::ok) {
        sync::cancellation_point(self);
    }
}

std::int64_t deadline_of(std::int64_t ns) noexcept {
    return ns <= 0 ? 0 : sync::deadline_after(ns);
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

unsigned sleep(unsigned seconds) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr) {
        return real_sleep(seconds);
    }
    sleep_as_unit(self, deadline_of(seconds * second_ns));
    return 0;
}

int usleep(useconds_t us) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr) {
        return real_usleep(us);
    }
    sleep_as_unit(self, deadline_of(std::int64_t{us} * 1000));
    return 0;
}

int nanosleep(const timespec* time, timespec* left) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr || !is_valid(*time) || time->tv_sec < 0) {
        return real_nanosleep(time, left);
    }
    sleep_as_unit(self, deadline_of(nanoseconds_of(*time)));
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr || !is_known_clock(clock) || !is_valid(*time) || time->tv_sec < 0) {
        return real_clock_nanosleep(clock, flags, time, left);
    }
    sleep_as_unit(self, (flags & TIMER_ABSTIME) != 0 ? deadline_at(clock, *time)
                                                     : deadline_of(nanoseconds_of(*time)));
    return 0;
}

int thrd_sleep(const timespec* time, timespec* left) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr || !is_valid(*time) || time->tv_sec < 0) {
        return real_thrd_sleep(time, left);
    }
    sleep_as_unit(self, deadline_of(nanoseconds_of(*time)));
    return 0;
}

}  // extern "C"
