// SPDX-License-Identifier: BSD-3-Clause
// What all pools of this floor share: a gate at which idle streams sleep, and the streams that
// serve the pool.
#pragma once

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

class ready_pool : public core::pool {
public:
    ~ready_pool() override { core::await_pushers(*this); }

    // Idle streams that watch this pool sleep here.
    gate& idle_gate() noexcept { return gate_; }

    // A stream begins, or ends, to pop here. busy when the pool is private to another stream.
    virtual base::status attach(worker& w) noexcept = 0;
    virtual void detach(worker& w) noexcept = 0;
    // The same for a stream that comes only when its own pools are empty. A pool in which the owner
    // has advantages may override this, so that such a stream does not become the owner.
    virtual base::status attach_as_thief(worker& w) noexcept { return attach(w); }
    virtual void detach_as_thief(worker& w) noexcept { detach(w); }
    // Brings in what other threads pushed, so that it does not wait behind what the owner keeps
    // pushing.
    virtual void collect(worker&) noexcept {}
    // Streams other than the one that has it are going to pop here.
    virtual void expect_others() noexcept {}
    virtual bool maybe_has_work(const worker& w) const noexcept = 0;
    // By its stream, which has no other pool for fast paths: it may use them here, if the pool has
    // any. Where light barriers are not free there are none: see core/unit/join_word.hpp, claim().
    virtual void offer_fast_way(worker& w) noexcept {
        if (w.fast_pool == nullptr && is_private_to(&w) &&
            ds::default_atomics::light_barrier_is_free()) {
            w.fast_pool = this;
        }
    }
    virtual const char* kind() const noexcept = 0;

protected:
    ready_pool() noexcept : gate_(sleepers()) {
        // pairs with: push_guard; a stack may be older than the pool, and know nobody's edges yet
        probe::release(this);
        core::announce_built();
        // Learns the barrier's side now. Until then each light barrier is a locked instruction.
        (void)ds::default_atomics::light_barrier_is_free();
    }
    void announce() noexcept { gate_.notify(); }

private:
    gate gate_;
};

// How the queue of the floor ds finds the node that a unit owns.
struct unit_nodes : ds::slab_nodes<ds::default_atomics> {
    static ds::mpmc_node<>*& node_of(work_unit* u) noexcept { return u->node; }
};
using shared_queue = ds::mpmc_queue<work_unit, unit_nodes>;

// What a unit needs to be pushed into shared pools. The first push takes it otherwise, and cannot
// refuse. False: out of memory.
bool provide_node(work_unit& u) noexcept;

}  // namespace lazult::sched
