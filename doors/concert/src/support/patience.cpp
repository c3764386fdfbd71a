// SPDX-License-Identifier: BSD-3-Clause
#include "support/patience.hpp"

#include "lazult/sync/sync.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace lazult::concert {
namespace {

constexpr unsigned spins = 20;                   // a microsecond or two
constexpr std::int64_t time_slice_ns = 200'000;  // the least that another program takes
constexpr std::int64_t longest_nap_ns = 100'000;

// Returns true if the caller may not suspend, or if no other unit of its stream could run instead.
// would_only_poll() may ask a user's pool, which may suspend the caller, so `w` is not used after
// it.
bool would_hold_up_nobody(core::work_unit* self) {
    if (self == nullptr || !core::can_suspend()) {
        return true;
    }
    core::worker& w = core::running_worker();
    return !core::has_demands(*self) && w.here->would_only_poll(w);
}

void yield_for(core::work_unit& self, own_wait what) {
    const bool is_traced = core::is_traced_unit(self);
    if (is_traced) LAZULT_UNLIKELY {
        core::tell_yield(static_cast<std::uint8_t>(kind_of(what)));
    }
    sync::yield_uncanceled(&self);
    if (is_traced) LAZULT_UNLIKELY {
        core::tell_yield(core::no_wait);
    }
}

}  // namespace

void patience::note_beginning() noexcept {
    if (began_ns_ == 0) {
        began_ns_ = os::now_ns();
    }
}

void patience::give_way() noexcept {
    const std::int64_t before = os::now_ns();
    began_ns_ = began_ns_ == 0 ? before : began_ns_;
    os::yield_thread();
    const std::int64_t after = os::now_ns();
    is_to_nap_ =
        after - before > time_slice_ns || after - began_ns_ > base::current_settings().idle_spin;
}

std::int64_t patience::waited_ns() const noexcept {
    return began_ns_ == 0 ? 0 : os::now_ns() - began_ns_;
}

void patience::pause() noexcept {
    ++looks_;
    core::work_unit* const self = core::current_unit();
    // The caller may wait for another ULT of its stream.
    if (!would_hold_up_nobody(self)) {
        note_beginning();
        yield_for(*self, what_);
        return;
    }
    if (looks_ <= spins) {
        ds::default_atomics::pause();
        return;
    }
    if (!is_to_nap_) {
        give_way();
        return;
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(nap_ns_));
    nap_ns_ = std::min(nap_ns_ * 2, longest_nap_ns);
}

}  // namespace lazult::concert
