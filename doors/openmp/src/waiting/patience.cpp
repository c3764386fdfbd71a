// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/patience.hpp"

#include <algorithm>

#include "door.hpp"
#include "environment/environment.hpp"
#include "waiting/contention.hpp"
#include "waiting/crowd.hpp"

namespace lazult::omp {
namespace {

constexpr std::uint32_t least_turns = 4;

// Returns how long a thread looks before it sleeps in a crowd: longer if more threads take turns.
std::int64_t time_in_crowd(int rivals) noexcept {
    constexpr std::int64_t longest = 50'000;
    return std::min(std::min(variables().spin_ns, longest) * rivals, longest);
}

thread_local contention of_this_thread;

// Returns whether the user asked for active waiting, by OMP_WAIT_POLICY or by as large a
// GOMP_SPINCOUNT. Contention does not shorten active waiting.
bool waits_actively() noexcept {
    constexpr std::int64_t active = 10'000'000;
    return variables().spin_ns >= active;
}

std::int64_t time_alone(bool is_contended) noexcept {
    const std::int64_t wanted = variables().spin_ns;
    return is_contended && !waits_actively() ? std::min(wanted, contention::longest_spin) : wanted;
}

}  // namespace

void patience::yield() noexcept {
    const std::int64_t before = os::now_ns();
    // An active waiter always yields, because it does not sleep and might keep its own team's
    // threads from this processor.
    if (!of_this_thread.is_known(before) || waits_actively()) LAZULT_LIKELY {
        os::yield_thread();
        of_this_thread.note_yield(before, os::now_ns(), is_crowded());
    }
}

bool patience::lasts() noexcept {
    const std::int64_t now = os::now_ns();
    const bool is_contended = of_this_thread.is_known(now);
    if (!is_crowded() && omp::is_crowded()) LAZULT_UNLIKELY {
        *this = patience(rivals_for_processor());
    }
    if (ends_at_ == 0) {
        ends_at_ = now + (is_crowded() ? time_in_crowd(rivals_) : time_alone(is_contended));
    }
    if (!is_crowded()) LAZULT_LIKELY {
        return now < ends_at_;
    }
    if (is_contended || (turns_ == least_turns && now >= ends_at_)) {
        return false;
    }
    turns_ += turns_ == least_turns ? 0 : 1;
    yield();
    return true;
}

void short_wait::pause() noexcept {
    ds::default_atomics::pause();
    if (++rounds_ % 64 == 0) {
        core::yield();
        os::yield_thread();
    }
}

}  // namespace lazult::omp
