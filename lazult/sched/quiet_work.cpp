// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/quiet_work.hpp"

#include <algorithm>

#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/stealing_pool.hpp"
#include "lazult/sched/stream_record.hpp"

namespace lazult::sched {
namespace {

constexpr std::int64_t period_ns = 20'000'000;

constinit ds::default_atomics::atomic<std::int64_t> until_ns{0};

// Whether the stream runs next what it has made ready, so that nobody else need know.
bool has_only_one(const worker& w, stream_record& here, const stealing_pool& own) noexcept {
    const auto pools = here.main_scheduler().pools();
    return own.size() == 1 && std::none_of(pools.begin(), pools.end(), [&](const ready_pool* p) {
               return p != &own && p->maybe_has_work(w);
           });
}

}  // namespace

void announce_quiet_work(worker& w) noexcept {
    stream_record* const here = stream_record_of(&w);
    stealing_pool* const own = here == nullptr ? nullptr : here->stealing();
    if (own == nullptr || !own->maybe_has_work(w) || has_only_one(w, *here, *own)) {
        return;
    }
    const std::int64_t now = os::now_ns();
    if (until_ns.load(std::memory_order_relaxed) - now < period_ns / 2) {
        until_ns.store(now + period_ns, std::memory_order_relaxed);
        own->idle_gate().notify();
    }
}

std::int64_t longest_sleep_beside_quiet_work() noexcept {
    const std::int64_t until = until_ns.load(std::memory_order_relaxed);
    return until != 0 && os::now_ns() < until ? longest_sleep_ns : -1;
}

}  // namespace lazult::sched
