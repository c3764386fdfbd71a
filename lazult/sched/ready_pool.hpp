// SPDX-License-Identifier: BSD-3-Clause
// What all pools of sched/ share: a gate at which idle streams sleep, and how streams attach them.
#pragma once

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

// A stream in which units stay: a worker serves another stream when its stream has ended.
struct keeping_stream {
    const worker* w = nullptr;
    std::uint32_t life = 0;

    static keeping_stream of(const worker& w) noexcept { return {&w, w.streams_ended}; }
    bool operator==(const keeping_stream&) const = default;
};

// How many units of a pool spare streams run, or are about to. It is never freed, because a spare
// stream learns of a unit's end after others that may free the pool then.
//
// field     written by                       read by         order
// lent      lending_list, spare streams      anybody         release / acquire
// is_used   lending_list, the pool's end     lending_list    relaxed: no data behind it
struct loan_count {
    ds::default_atomics::atomic<int> lent{0};
    ds::default_atomics::atomic<bool> is_used{false};

    void change(int by) noexcept {
        lent.fetch_add(by, std::memory_order_release);  // pairs with: ready_pool::lent(), load
    }
};

class ready_pool : public core::pool {
public:
    ~ready_pool() override;

    // The gate at which idle streams that watch this pool sleep.
    gate& idle_gate() noexcept { return gate_; }

    // Called by a stream that begins, or ends, to pop here. busy: the pool is another stream's.
    virtual base::status attach(worker&) noexcept { return base::status::ok; }
    virtual void detach(worker&) noexcept {}
    // Like attach() and detach(), for a stream that comes only when its own pools are empty. A pool
    // that has an owner may override them, so that such a stream does not become the owner.
    virtual base::status attach_as_thief(worker& w) noexcept { return attach(w); }
    virtual void detach_as_thief(worker& w) noexcept { detach(w); }
    // Called now and then by a stream that pops here. Brings in units that other threads pushed, so
    // that they do not wait behind units that the owner keeps pushing.
    virtual void collect(worker&) noexcept {}
    // Called when streams other than the owner's are going to pop here.
    virtual void expect_others() noexcept {}
    virtual bool maybe_has_work(const worker& w) const noexcept = 0;
    // Called by the pool's stream. Makes this the stream's pool for fast paths, if the stream has
    // none and the pool allows fast paths. Where light barriers are not free there are none: see
    // claim() in core/unit/join_word.hpp.
    virtual void offer_fast_way(worker& w) noexcept {
        if (w.fast_pool == nullptr && is_private_to(&w) &&
            ds::default_atomics::light_barrier_is_free()) {
            w.fast_pool = this;
        }
    }
    // Called by a spare stream, for lending.hpp. Returns a unit that may run there, or nullptr.
    virtual work_unit* lend(worker&) noexcept { return nullptr; }
    // For lending.hpp, too: whether the pool lends; how many of its units spare streams run, or
    // are about to.
    virtual bool lends() const noexcept { return false; }
    int lent() const noexcept {
        // pairs with: count_loans_in(), store
        const loan_count* const loans = loans_.load(std::memory_order_acquire);
        // pairs with: loan_count::change(), fetch_add
        return loans == nullptr ? 0 : loans->lent.load(std::memory_order_acquire);
    }
    // By lending_list, under its lock, before the pool lends for the first time.
    void count_loans_in(loan_count& loans) noexcept {
        loans_.store(&loans, std::memory_order_release);  // pairs with: lent(), load
    }
    loan_count* loans() const noexcept { return loans_.load(std::memory_order_relaxed); }
    virtual const char* kind() const noexcept = 0;

    // For a pool that keeps(): staying_pool.hpp. Called for each scheduler that begins, and that
    // ends, to serve the pool on a stream. end_to_keep() may be called by another stream.
    virtual base::status begin_to_keep(worker&) noexcept { return base::status::ok; }
    virtual void end_to_keep(const keeping_stream&) noexcept {}
    // Called by a stream that ends, after its schedulers have ended or while they wait.
    virtual void stream_ends(const keeping_stream&) noexcept {}
    // Returns the gate of the units that stay on the stream of `w`, or nullptr.
    virtual gate* gate_of_kept(const worker&) noexcept { return nullptr; }
    // Returns whether streams other than that of `w` keep units here, or may begin to.
    virtual bool keeps_for_others(const worker&) const noexcept { return false; }
    // Returns whether a scheduler that is a unit of this pool stays on one stream.
    virtual bool binds_schedulers() const noexcept { return is_private(); }

protected:
    ready_pool() noexcept : gate_(sleepers()) {
        // pairs with: push_guard: shows ThreadSanitizer that the pool was made before any push
        probe::release(this);
        core::announce_built();
        // Settles whether light barriers are free. Before, each of them is a locked instruction.
        (void)ds::default_atomics::light_barrier_is_free();
    }
    void announce() noexcept { gate_.notify(); }

private:
    ds::default_atomics::atomic<loan_count*> loans_{nullptr};
    gate gate_;
};

// How ds::mpmc_queue finds the node that a unit owns.
struct unit_nodes : ds::slab_nodes<ds::default_atomics> {
    static ds::mpmc_node<>*& node_of(work_unit* u) noexcept { return u->node; }
};
using shared_queue = ds::mpmc_queue<work_unit, unit_nodes>;

// Gives a unit the node that it needs in shared pools. Returns false if out of memory. Without this
// call the first push takes the node, and cannot report a failure.
bool provide_node(work_unit& u) noexcept;

}  // namespace lazult::sched
