// SPDX-License-Identifier: BSD-3-Clause
// A work-stealing pool. Its owner pushes and pops at the bottom of a deque, last in first out.
// Thieves take from the top, first in first out. Units that give way stand in a queue beside the
// deque. All other threads push to an inbox. Thieves look in the inbox first, and ask the owner to
// put units there that it can spare: see core/worker/steal_lane.hpp.
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class stealing_pool : public ready_pool {
public:
    stealing_pool() { core::announce_built(); }  // throws std::bad_alloc
    ~stealing_pool() override { core::await_pushers(*this); }

    base::status attach(worker& w) noexcept override;
    base::status attach_as_thief(worker&) noexcept override { return base::status::ok; }
    void detach_as_thief(worker&) noexcept override {}
    void detach(worker& w) noexcept override;
    void collect(worker& w) noexcept override;
    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    // Any stream may run units that are at home in a pool of the steal group. Units of a user's
    // pool run only on its owner's stream.
    bool serves(const worker& w) const noexcept override { return is_in_group() || owned_by(&w); }
    bool lets_units_move() const noexcept override { return is_in_group(); }
    const char* kind() const noexcept override { return "work_stealing"; }
    // A stream in the group has a pool of its own for them: stacked_scheduler.cpp.
    bool binds_schedulers() const noexcept override { return true; }
    void for_each(visitor visit, void* argument) override;

    void offer_fast_way(worker& w) noexcept override;

    // Returns whether a stream is attached. A hint for other threads.
    bool is_owned() const noexcept {
        return deque_owner_.load(std::memory_order_relaxed) != nullptr;
    }

    // Called by the steal group that the pool joins, with the group's new version.
    void join_group(std::uint64_t version) noexcept { group_version_ = version; }
    bool is_in_group() const noexcept { return group_version_ != 0; }
    bool is_newer_than(std::uint64_t version) const noexcept { return group_version_ > version; }
    // Called when the pool's stream has ended, and only if no thieves come here. Units in the
    // inbox, and units that become ready here later, go to the successor, until unretire().
    void retire(core::pool& successor) noexcept;
    // relaxed: a pusher that still sees the successor forwards to it, which does no harm
    void unretire() noexcept { successor_.store(nullptr, std::memory_order_relaxed); }

    // Called by a thief; `into` is its own pool. Returns one unit to run, or nullptr. If `into`
    // is in the group, it becomes the unit's home, and up to half of the rest of the inbox moves
    // into it, too.
    work_unit* steal(worker& thief, stealing_pool& into) noexcept;
    // Called by a thief that has found nothing. Asks the owner to give away what it pushes next, so
    // that the thief need not interrupt the owner later.
    void ask_ahead() noexcept {
        if (!lane_.is_asked() && is_owned()) {
            lane_.ask_ahead();
        }
    }
    // Called by a thief. Returns the pool's owner if the pool holds just one unit, else nullptr.
    const worker* owner_of_only_unit() const noexcept {
        const bool has_one = lane_.size_estimate() == 1 && inbox_.empty_estimate();
        // pairs with: attach(), CAS
        return has_one ? deque_owner_.load(std::memory_order_acquire) : nullptr;
    }
    // The same if all units were pushed quietly, as it seems.
    const worker* owner_of_quiet_units() const noexcept {
        const bool is_quiet = lane_.is_quiet() && inbox_.empty_estimate();
        // pairs with: attach(), CAS
        return is_quiet ? deque_owner_.load(std::memory_order_acquire) : nullptr;
    }

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    void push_yielded_other(worker* w, work_unit* u) noexcept override;
    void push_quietly_other(worker* w, work_unit* u) noexcept override;
    void push_silently_other(worker* w, work_unit* u) noexcept override;
    void push_soon_other(worker* w, work_unit* u) noexcept override { push_beside_other(w, u); }
    void push_beside_other(worker* w, work_unit* u) noexcept override;
    ticket push_parent_other(worker* w, work_unit* u) noexcept override;
    bool take_parent_other(worker& w, work_unit* u, ticket t) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    static void rehome(work_unit& u, stealing_pool& into) noexcept;
    bool owned_by(const worker* w) const noexcept {
        return w == deque_owner_.load(std::memory_order_relaxed) && w != nullptr;
    }

    // field          written by       read by    order
    // deque_owner_   attach, detach   anybody    acquire / release between owners, and for thieves
    //                                            that read the owner's counters; relaxed for
    //                                            threads that only compare it with themselves
    // successor_     retire, unretire   pushers    release / acquire, ordered with inbox_ by the
    //                                              barriers
    ds::default_atomics::atomic<worker*> deque_owner_{nullptr};
    int attachments_ = 0;  // how many schedulers of the owner's stream have attached the pool
    // Units in the inbox, units that gave way, and the oldest units of the deque could wait for
    // ever if newer units keep coming and no thief comes. So the owner takes one of them at every
    // 64th pop, as Go and Tokio do, and whenever its scheduler polls.
    static constexpr unsigned fair_period = 64;
    bool is_fair_turn() noexcept;
    work_unit* pop_oldest() noexcept;
    work_unit* pop_oldest_of(unsigned which) noexcept;
    void give() noexcept;
    unsigned take_more(worker& thief, stealing_pool& into) noexcept;
    work_unit* take_from_owner() noexcept;
    void push_to_inbox(work_unit* u) noexcept;
    void forward() noexcept;
    ds::default_atomics::atomic<core::pool*> successor_{nullptr};
    unsigned pops_ = 0;  // only the owner uses this field and the next three
    unsigned fair_turns_ = 0;
    bool is_fair_turn_due_ = false;
    bool keeps_turns_ =
        false;  // light barriers are free, so that units that gave way may stand in the lane
    // set before other threads know the pool; 0: the pool is in no group
    std::uint64_t group_version_ = 0;
    core::steal_lane lane_{*this, idle_gate()};
    shared_queue inbox_;
};

}  // namespace lazult::sched
