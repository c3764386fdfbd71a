// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/condition_variable.hpp>
#include <lazult/mutex.hpp>

#include "lazult/api/opaque.hpp"

namespace lazult {

struct detail::mutex_access {
    static sync::mutex& of(mutex& m) noexcept { return api::opaque<sync::mutex>(m.state_); }
};

namespace {

constexpr std::string_view condition_object = "condition variable";

sync::mutex& inner(mutex& m) noexcept { return detail::mutex_access::of(m); }

LAZULT_NOINLINE void lock_contended(mutex& m) {
    if (api::may_wait()) LAZULT_LIKELY {
        inner(m).lock();
    } else {
        api::require(inner(m).lock_until(sync::no_deadline), "mutex");
    }
}

}  // namespace

void mutex::lock() {
    if (!inner(*this).try_lock()) LAZULT_UNLIKELY {
        lock_contended(*this);
    }
}

bool mutex::try_lock() noexcept { return inner(*this).try_lock(); }

void mutex::unlock() noexcept { inner(*this).unlock(); }

bool mutex::lock_until(std::int64_t deadline) {
    return api::in_time(inner(*this).lock_until(deadline), "mutex");
}

void condition_variable::notify_one() noexcept { api::opaque<sync::condition>(state_).signal(); }

void condition_variable::notify_all() noexcept { api::opaque<sync::condition>(state_).broadcast(); }

namespace {

// Returns false if the deadline passed; the lock is held again. A wait that was ended by mistake
// counts as a spurious wake-up, because a notification may have been missed meanwhile.
LAZULT_ALWAYS_INLINE bool is_woken(base::status s) {
    return s == base::status::ok || api::was_ended_by_mistake(s) ||
           api::in_time(s, condition_object);
}

}  // namespace

bool condition_variable::wait_with_mutex(mutex& m, std::int64_t deadline) {
    auto& inside = api::opaque<sync::condition>(state_);
    if (deadline < 0) LAZULT_LIKELY {
        return is_woken(inside.wait_until(inner(m), {sync::no_deadline, core::cancelable::yes}));
    }
    return is_woken(inside.wait_until(inner(m), {deadline, core::cancelable::yes}));
}

bool condition_variable::wait_with_any(detail::any_lock& lock, std::int64_t deadline) {
    return is_woken(
        api::opaque<sync::condition>(state_).wait_until(lock, {deadline, core::cancelable::yes}));
}

}  // namespace lazult
