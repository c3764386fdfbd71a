// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/waiting.hpp"

#include "flows/stream_host.hpp"
#include "threads/spreading.hpp"

namespace lazult::omp {
namespace {

// Of flows that are not an OS thread's own: what they wait for may come from another processor.
constexpr std::uint32_t rounds_of_units = 64;

}  // namespace

spin_budget::spin_budget() noexcept : host_(flow_host::current()) {}

bool spin_budget::again() noexcept {
    ds::default_atomics::pause();
    if (++rounds_ % 16 != 0) LAZULT_LIKELY {
        return true;
    }
    const worker& w = core::this_worker();
    if (host_ != nullptr && host_->has_other_work(w)) {
        return false;
    }
    if (host_ == nullptr || me().here->its_team->kind == team_kind::units) {
        return rounds_ < rounds_of_units;
    }
    if (is_crowded() && rounds_ >= rounds_of_units) {
        return false;
    }
    if (rounds_ % rounds_per_yield == 0) {
        os::yield_thread();
        keep_apart(*me().here);
    }
    const std::int64_t now = os::now_ns();
    if (ends_at_ == 0) {
        ends_at_ = now + variables().spin_ns;
    }
    return now < ends_at_;
}

void short_wait::pause() noexcept {
    ds::default_atomics::pause();
    if (++rounds_ % 64 == 0) {
        core::yield();
        os::yield_thread();
    }
}

}  // namespace lazult::omp
