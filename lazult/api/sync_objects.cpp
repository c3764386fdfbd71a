// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/barrier.hpp>
#include <lazult/latch.hpp>
#include <lazult/mutex.hpp>
#include <lazult/shared_mutex.hpp>

#include <limits>
#include <string>
#include <type_traits>

#include "lazult/api/event_access.hpp"

namespace lazult {
namespace {

using api::in_time;
using api::opaque;
using api::require;
using api::wait_cancelable;
using sync::wait_limit;

// The public objects have no destructor.
static_assert(std::is_trivially_destructible_v<sync::barrier> &&
              std::is_trivially_destructible_v<sync::latch> &&
              std::is_trivially_destructible_v<sync::semaphore>);

std::uint64_t checked_count(std::ptrdiff_t count, std::ptrdiff_t least, const char* object) {
    if (count < least || count > std::numeric_limits<std::ptrdiff_t>::max() / 8) {
        api::refuse(base::status::invalid_argument, object, "its count is " + std::to_string(count),
                    "give " + std::to_string(least) + " or more");
    }
    return static_cast<std::uint64_t>(count);
}

base::status wait_for(sync::latch& l, const wait_limit& limit) { return l.wait_until(limit); }
base::status wait_for(sync::semaphore& s, const wait_limit& limit) {
    return s.acquire_until(limit);
}
base::status wait_for(sync::eventual& e, const wait_limit& limit) { return e.wait_until(limit); }

// Not inlined, so that callers that need not wait need no stack frame.
template <class Object>
LAZULT_NOINLINE bool wait_long(Object& object, std::int64_t deadline, const std::stop_token* stop,
                               const char* name) {
    return in_time(
        wait_cancelable(deadline, stop,
                        [&](const wait_limit& limit) { return wait_for(object, limit); }),
        name);
}

}  // namespace

void recursive_mutex::lock() {
    require(opaque<sync::recursive_mutex>(state_).lock_until(sync::no_deadline), "recursive mutex");
}
bool recursive_mutex::try_lock() noexcept {
    return opaque<sync::recursive_mutex>(state_).try_lock();
}
void recursive_mutex::unlock() noexcept { opaque<sync::recursive_mutex>(state_).unlock(); }
bool recursive_mutex::lock_until(std::int64_t deadline) {
    return in_time(opaque<sync::recursive_mutex>(state_).lock_until(deadline), "recursive mutex");
}

void shared_mutex::lock() {
    require(opaque<sync::rwlock>(state_).lock_until(sync::no_deadline), "shared mutex");
}
bool shared_mutex::try_lock() noexcept { return opaque<sync::rwlock>(state_).try_lock(); }
void shared_mutex::unlock() noexcept { opaque<sync::rwlock>(state_).unlock(); }
void shared_mutex::lock_shared() {
    require(opaque<sync::rwlock>(state_).lock_shared_until(sync::no_deadline), "shared mutex");
}
bool shared_mutex::try_lock_shared() noexcept {
    return opaque<sync::rwlock>(state_).try_lock_shared();
}
void shared_mutex::unlock_shared() noexcept { opaque<sync::rwlock>(state_).unlock_shared(); }
bool shared_mutex::lock_until(std::int64_t deadline) {
    return in_time(opaque<sync::rwlock>(state_).lock_until(deadline), "shared mutex");
}
bool shared_mutex::lock_shared_until(std::int64_t deadline) {
    return in_time(opaque<sync::rwlock>(state_).lock_shared_until(deadline), "shared mutex");
}

barrier::barrier(std::ptrdiff_t expected) {
    new (state_) sync::barrier(checked_count(expected, 1, "barrier"));
}
bool barrier::arrive_and_wait() {
    bool last = false;
    const auto wait = [&](const wait_limit& limit) {
        return opaque<sync::barrier>(state_).try_wait(&last, limit);
    };
    require(wait_cancelable(sync::no_deadline, nullptr, wait), "barrier");
    return last;
}
bool barrier::arrive_and_wait(std::stop_token stop) {
    const base::status outcome =
        wait_cancelable(sync::no_deadline, &stop, [this](const wait_limit& limit) {
            bool last = false;
            return opaque<sync::barrier>(state_).try_wait(&last, limit);
        });
    return in_time(outcome, "barrier");
}
std::ptrdiff_t barrier::expected() const noexcept {
    return static_cast<std::ptrdiff_t>(
        opaque<sync::barrier>(const_cast<barrier*>(this)->state_).expected());
}

latch::latch(std::ptrdiff_t expected) {
    new (state_) sync::latch(checked_count(expected, 0, "latch"));
}
void latch::count_down(std::ptrdiff_t by) noexcept {
    opaque<sync::latch>(state_).count_down(static_cast<std::uint64_t>(by));
}
bool latch::try_wait() const noexcept {
    return opaque<sync::latch>(const_cast<latch*>(this)->state_).try_wait();
}
bool latch::wait_until_ns(std::int64_t deadline, const std::stop_token* stop) {
    auto& inner = opaque<sync::latch>(state_);
    return inner.try_wait() || wait_long(inner, deadline, stop, "latch");
}

namespace detail {

semaphore_base::semaphore_base(std::ptrdiff_t tokens) {
    new (state_) sync::semaphore(checked_count(tokens, 0, "semaphore"));
}
void semaphore_base::release(std::ptrdiff_t tokens) noexcept {
    opaque<sync::semaphore>(state_).release(static_cast<std::uint64_t>(tokens));
}
bool semaphore_base::try_acquire() noexcept {
    return opaque<sync::semaphore>(state_).try_acquire();
}
bool semaphore_base::acquire_until_ns(std::int64_t deadline, const std::stop_token* stop) {
    auto& inner = opaque<sync::semaphore>(state_);
    return inner.try_acquire() || wait_long(inner, deadline, stop, "semaphore");
}

event::event() {
    static_assert(sizeof(sync::eventual) <= sizeof(state_) && alignof(sync::eventual) <= 16);
    new (state_) sync::eventual;
}
event::~event() { event_access::of(*this).~basic_eventual(); }
void event::set() noexcept { event_access::of(*this).set(); }
bool event::is_set() const noexcept { return event_access::of(const_cast<event&>(*this)).is_set(); }
void event::reset() noexcept { event_access::of(*this).reset(); }
bool event::wait_until(std::int64_t deadline, const std::stop_token* stop) {
    auto& inner = event_access::of(*this);
    return inner.is_set() || wait_long(inner, deadline, stop, "future or eventual");
}

void refuse_second_value(const char* object) {
    api::refuse(base::status::busy, object, "it has its value already",
                "reset() it first, or set it once");
}

}  // namespace detail
}  // namespace lazult
