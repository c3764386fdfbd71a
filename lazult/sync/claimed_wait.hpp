// SPDX-License-Identifier: BSD-3-Clause
// One wait that several sources may end: a timed wait, or a wait for several objects.
//
//     claimed_wait<Atomics> wait(unit);
//     waiter<Atomics> me(unit);
//     wait.covers(me);                       // me.claim is this wait's word
//     list `me` under the object's spin bit; from here on it can be claimed
//     switch (wait.sleep(deadline)) ...      // the winner: me.index, or timed_out
//     if the winner is not me.index: unlink `me` under the spin bit, if it is still listed
//     else: await_release(me)                // the waker may still be at it
#pragma once

#include "lazult/sync/timers.hpp"
#include "lazult/sync/waiter.hpp"

namespace lazult::sync {

template <class Atomics = ds::default_atomics>
class claimed_wait {
  public:
    using word = claim_word<Atomics>;

    explicit claimed_wait(core::work_unit* unit) noexcept : unit_(unit) {}
    claimed_wait(const claimed_wait&) = delete;
    claimed_wait& operator=(const claimed_wait&) = delete;

    void covers(waiter<Atomics>& record) noexcept { record.claim = &claim_; }
    word& claim() noexcept { return claim_; }

    // Until somebody claims the wait. Every record must be listed by now.
    std::uint32_t sleep(std::int64_t deadline_ns) {
        if (claim_.winner() < word::first_index) {
            if constexpr (has_units<Atomics>) {
                if (unit_ != nullptr) {
                    sleep_as_unit(deadline_ns);
                    return claim_.winner();
                }
            }
            sleep_as_thread(deadline_ns);
        }
        return claim_.winner();
    }

  private:
    void sleep_as_thread(std::int64_t deadline_ns) noexcept {
        if (claim_.commit() && !claim_.sleep(deadline_ns)) {
            claim_.claim(word::timed_out);
        }
    }

    void sleep_as_unit(std::int64_t deadline_ns) {
        timer limit;
        limit.deadline_ns = deadline_ns;
        limit.unit = unit_;
        limit.claim = &claim_;
        if (deadline_ns >= 0) {
            start_timer(limit);
        }
        suspend_uncanceled(commit, this, unit_);
        if (deadline_ns >= 0) {
            cancel_timer(limit);
        }
    }

    // On the next flow's stack. Once it is committed, this object may be gone.
    static void commit(void* self) noexcept {
        probe::acquire(self);  // pairs with: suspend_uncanceled()
        auto* mine = static_cast<claimed_wait*>(self);
        core::work_unit* unit = mine->unit_;
        if (!mine->claim_.commit()) {
            core::make_ready(core::this_worker_or_null(), unit);
        }
    }

    word claim_;
    core::work_unit* unit_;
};

}  // namespace lazult::sync
