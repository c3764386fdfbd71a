// SPDX-License-Identifier: BSD-3-Clause
// Semaphores: those of one process, shared ones, and named ones.
#include <semaphore.h>

#include "caller/caller.hpp"
#include "locks/take.hpp"
#include "real/outcome.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

using one_semaphore = int(sem_t*);
LAZULT_REAL real<one_semaphore> real_semwait{"sem_wait"};
LAZULT_REAL real<one_semaphore> real_trywait{"sem_trywait"};
LAZULT_REAL real<one_semaphore> real_post{"sem_post"};
LAZULT_REAL real<int(sem_t*, const timespec*)> real_semtimedwait{"sem_timedwait"};
LAZULT_REAL real<int(sem_t*, clockid_t, const timespec*)> real_semclockwait{"sem_clockwait"};

// Behind the value, glibc notes whether processes share it: 0 if not.
bool is_shared_semaphore(const sem_t* s) noexcept {
    constexpr std::size_t private_word = 2;
    return reinterpret_cast<const unsigned*>(s)[private_word] != 0;
}

int attempt_on(sem_t* s) noexcept {
    const base::errno_guard keeps_errno;
    if (real_trywait(s) == 0) {
        return 0;
    }
    const int error = base::errno_guard::current();
    return error == EAGAIN ? EBUSY : error;
}

int take_token(core::work_unit* self, sem_t* s, std::int64_t deadline_ns) {
    const wanted what{self, sync::wait_kind::semaphore, s, is_shared_semaphore(s)};
    return as_posix(-take(what, deadline_ns, [s]() noexcept { return attempt_on(s); }));
}

int take_token(core::work_unit* self, sem_t* s, clockid_t clock, const timespec& until) {
    const int at_once = attempt_on(s);
    if (at_once != EBUSY) {
        return as_posix(-at_once);
    }
    if (!is_valid(until) || !is_known_clock(clock)) {
        return as_posix(-EINVAL);
    }
    return take_token(self, s, deadline_at(clock, until));
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

int sem_wait(sem_t* s) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_semwait(s) : take_token(self, s, sync::no_deadline);
}

int sem_timedwait(sem_t* s, const timespec* until) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_semtimedwait(s, until)
                           : take_token(self, s, CLOCK_REALTIME, *until);
}

int sem_clockwait(sem_t* s, clockid_t clock, const timespec* until) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    return self == nullptr ? real_semclockwait(s, clock, until)
                           : take_token(self, s, clock, *until);
}

int sem_post(sem_t* s) noexcept {
    const int result = real_post(s);
    if (result == 0) {
        parked.wake_one(s);
    }
    return result;
}

}  // extern "C"
