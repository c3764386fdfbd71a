// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/stream_list.hpp"

#include <algorithm>

#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/stealing_pool.hpp"

namespace lazult::sched {
namespace {

// Called in a forked child, which has none of the streams' OS threads.
void forget_parents_streams() noexcept {
    streams().for_each([](stream_record& s) { s.leave_behind(); });
}

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void make_list() { streams(); }

}  // namespace

stream_list& streams() {
    static base::never_destroyed<stream_list> instance;
    return *instance;
}

int stream_count() noexcept { return streams().count(); }

stream_list::stream_list() noexcept {
    base::hold_across_fork(base::fork_lock::streams, lock_, forget_parents_streams);
}

int stream_list::take_rank() {
    const std::lock_guard hold(lock_);
    streams_.reserve(ranks_.size() + 1);
    const auto free = std::find(ranks_.begin(), ranks_.end(), false);
    const auto rank = static_cast<int>(free - ranks_.begin());
    if (free == ranks_.end()) {
        ranks_.push_back(true);
    } else {
        *free = true;
    }
    return rank;
}

void stream_list::give_rank(int rank) {
    const std::lock_guard hold(lock_);
    ranks_[static_cast<std::size_t>(rank)] = false;
}

void stream_list::add(stream_record& s) {
    const std::lock_guard hold(lock_);
    streams_.push_back(&s);  // take_rank() has reserved the memory
    count_.store(static_cast<int>(streams_.size()), std::memory_order_relaxed);
}

void stream_list::remove(stream_record& s) {
    const std::lock_guard hold(lock_);
    std::erase(streams_, &s);
    count_.store(static_cast<int>(streams_.size()), std::memory_order_relaxed);
}

std::vector<stream_record*> stream_list::copy() {
    const std::lock_guard hold(lock_);
    return streams_;
}

stream_record* stream_list::first_above(int rank) {
    stream_record* found = nullptr;
    for_each([&](stream_record& s) {
        if (s.rank() > rank && (found == nullptr || s.rank() < found->rank())) {
            found = &s;
        }
    });
    return found;
}

// Called under the lock. The primary stream, which is listed first, is tried last, because it
// serves its pool only while its program waits.
stealing_pool* stream_list::pool_that_stays(const stream_record& but) const noexcept {
    const auto at = std::find_if(streams_.rbegin(), streams_.rend(), [&](const stream_record* s) {
        return s != &but && !s->is_ending() && s->stealing() != nullptr;
    });
    return at == streams_.rend() ? nullptr : (*at)->stealing();
}

// Called under the lock.
bool stream_list::is_of_ending_stream(const core::pool& p) const noexcept {
    return std::any_of(streams_.begin(), streams_.end(), [&](const stream_record* s) {
        return s->is_ending() && s->stealing() == &p;
    });
}

stealing_pool* stream_list::pool_of_another(const stream_record& but) noexcept {
    const std::lock_guard hold(lock_);
    return pool_that_stays(but);
}

void stream_list::begin_to_end(stream_record& s) noexcept {
    const std::lock_guard hold(lock_);
    s.mark_ending();
}

core::pool* stream_list::begin_to_end_by(stream_record& s, core::pool& home) noexcept {
    const std::lock_guard hold(lock_);
    const bool stays = !s.main_scheduler().takes_from(home) && !is_of_ending_stream(home);
    core::pool* const refuge = stays ? &home : pool_that_stays(s);
    if (refuge != nullptr) {
        s.mark_ending();
    }
    return refuge;
}

}  // namespace lazult::sched
