// SPDX-License-Identifier: BSD-3-Clause
// A scheduler decides which unit runs next on a stream. All built-in schedulers are stateless, so
// all six techniques work under them. A user's scheduler implements next() the same way. It may
// also have a loop of its own that keeps state in its frame, and says so by its loop_kind. Under
// such a loop scheduler_creation and stack_separation fall back to return_on_completion.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "lazult/sched/attention.hpp"
#include "lazult/sched/idle.hpp"
#include "lazult/sched/port_pace.hpp"

namespace lazult::sched {

using core::technique;
using kind = base::scheduler_kind;

// field            written by            read by          order
// pools_, idle_    its own stream        its own stream   none needed; before the start: the
//                                                         creator
// stop_            anybody               its own stream   release / acquire
class scheduler : public core::host {
public:
    enum stop_request : int { keep_running, stop_when_empty, stop_now };

    ~scheduler() override;

    // Returns false if 1024 other schedulers are alive in the process: there is no slot to sleep in
    // for one more, so streams and push_scheduler() refuse it.
    bool is_usable() const noexcept { return idle_.can_sleep(); }

    // Adds a pool: before the scheduler starts, or by a unit that runs under it. The first pool is
    // preferred. busy: the pool is private to another stream. On failure nothing has changed.
    base::status add_pool(ready_pool& p) noexcept;
    std::span<ready_pool* const> pools() const noexcept { return pools_; }
    ready_pool* first_pool() const noexcept { return pools_.empty() ? nullptr : pools_.front(); }
    // Lets fast paths use both pools of a scheduler that has two. The first pool is private.
    void take_turns_of(ready_pool& first, ready_pool& second) noexcept {
        set_fast_pools(&first, &second);
    }

    // Any OS thread: asks the scheduler to stop. A stacked scheduler starts with stop_when_empty.
    void request_stop(stop_request how) noexcept;
    virtual const char* name() const noexcept = 0;
    // Any OS thread: ends the sleep of the scheduler's stream, so that the stream looks for work.
    void wake() noexcept { idle_.wake(); }

    bool would_idle(worker& w) noexcept final;
    bool would_only_poll(worker& w) noexcept override;

    // Called by the scheduler's stream before the loop begins. The end of the loop detaches the
    // pools.
    base::status attach_pools(worker& w) noexcept;
    void detach_pools(worker& w) noexcept;
    // Returns whether units of one of its pools stay on the stream where they began.
    bool keeps() const noexcept;

protected:
    // Returns whether the loop shall end. Called if there was nothing to run after a
    // request_stop(request). If it returns false, it is called again at least every millisecond;
    // while events are awaited, after each sleep between two polls.
    virtual bool may_end(worker& w, int request) noexcept;
    int requested() const noexcept { return stop_.load(std::memory_order_relaxed); }  // a hint

    void ended(worker& w) noexcept override;
    void took_over(worker& w) noexcept override;
    // Detaches the pools, because a stacked scheduler that gives way may go on on another stream.
    void gives_way(worker& w) noexcept override;
    void is_back(worker& w) noexcept override;
    explicit scheduler(loop_kind loops = loop_kind::standard) noexcept : core::host(loops) {}

    bool has_pool(const core::pool& p) const noexcept override;
    bool wait(worker& w) noexcept override;
    work_unit* poll(worker& w) noexcept override;
    // Returns whether the scheduler is a thief in its pool of this number: it takes units there
    // only when the pools before are empty, and does not become the pool's owner.
    virtual bool steals_from(std::size_t) const noexcept { return false; }
    // has_work(): whether there is something to run, now or soon. would_find_work(): whether next()
    // would find it now.
    virtual bool has_work(worker& w) noexcept;
    virtual bool would_find_work(worker& w) noexcept { return has_work(w); }
    bool is_stopping() const noexcept {
        return stop_.load(std::memory_order_relaxed) != keep_running;
    }  // a hint
    bool has_own_work(const worker& w) const noexcept;
    // Makes the scheduler watch its pools, and others that it takes from. Throws std::bad_alloc.
    virtual void watch_all(const worker& w);
    virtual void before_wait(worker&) noexcept {}
    // Called before a sleep. Returns the longest sleep in ns. 0: look again instead. Negative: no
    // limit.
    virtual std::int64_t longest_sleep(worker&) noexcept { return -1; }
    virtual void after_sleep(worker&) noexcept {}
    // Called by a stream that ends. Notifies the gates of its pools that have work, because a
    // wake-up for that work may have gone to this stream. If it notified all gates, each stream
    // that ends would wake all others in vain, and each of those would look at all pools.
    virtual void pass_on(worker& w) noexcept;
    virtual bool spins() const noexcept { return true; }
    // Pops from one pool, at each call from the next one, so that no pool starves. Strict
    // schedulers return nullptr.
    virtual work_unit* fair_turn(worker& w) noexcept;
    // Returns whether it has made units ready.
    bool look_into_port(const worker& w) noexcept;
    // For code of sched/ only, which ThreadSanitizer does not watch.
    work_unit* pop_in_order(worker& w) noexcept {
        for (ready_pool* p : pools_) {
            if (work_unit* u = p->pop(w); u != nullptr) {
                return u;
            }
        }
        return nullptr;
    }
    idler& idle() noexcept { return idle_; }

private:
    base::status attach_to(worker& w, ready_pool& p, std::size_t number) noexcept;
    base::status attach_new(worker& w, ready_pool& p) noexcept;
    void detach_first(worker& w, std::size_t count) noexcept;
    base::status begin_to_keep(worker& w) noexcept;
    void end_to_keep() noexcept;
    void choose_fast_pool(worker& w) noexcept;
    bool is_out_of_work(const worker& w) const noexcept;
    bool wait_stacked(worker& w) noexcept;
    bool is_called() const noexcept { return attention_calls() != attended_; }
    void attend_if_called() noexcept {
        if (const std::uint32_t now = attention_calls(); now != attended_) LAZULT_UNLIKELY {
            attended_ = now;
            attend();
        }
    }
    bool poll_while_idle(worker& w, int request) noexcept;
    template <class Ready>
    void sleep_without_events(worker& w, std::int64_t longest_ns, bool stops,
                              Ready&& ready) noexcept;
    bool spins_between_polls() const noexcept;
    template <class Ready>
    void sleep_between_polls(worker& w, const poll_turn& turn, Ready&& ready) noexcept;

    std::vector<ready_pool*> pools_;
    keeping_stream keeper_;  // where it serves pools that keep their units
    idler idle_;
    std::size_t turn_ = 0;
    port_pace port_pace_;
    std::int64_t nap_ns_ = first_event_sleep_ns;  // the next sleep between two polls
    std::uint32_t attended_ = attention_calls();
    ds::default_atomics::atomic<int> stop_{keep_running};
};

// Takes units from its pools in order, and now and then from each pool in turn.
class basic_scheduler : public scheduler {
public:
    const char* name() const noexcept override { return "basic"; }

protected:
    work_unit* next(worker& w) noexcept override;
};

// A later pool's units run only while all earlier pools are empty.
class priority_scheduler final : public basic_scheduler {
public:
    const char* name() const noexcept override { return "priority"; }

protected:
    work_unit* fair_turn(worker&) noexcept override { return nullptr; }
};

// As basic_scheduler, but sleeps without spinning when there is nothing to run.
class waiting_scheduler final : public basic_scheduler {
public:
    const char* name() const noexcept override { return "waiting"; }

protected:
    bool spins() const noexcept override { return false; }
};

std::unique_ptr<scheduler> make_scheduler(kind which);

}  // namespace lazult::sched
