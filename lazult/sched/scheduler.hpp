// SPDX-License-Identifier: BSD-3-Clause
// Schedulers: which unit runs next on a stream. All built-in ones are stateless, so all six
// techniques work under them. A user-written one implements next() the same way; one with a loop of
// its own that keeps state in its frame says so, and SC and SS fall back to RoC under it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "lazult/sched/attention.hpp"
#include "lazult/sched/events.hpp"
#include "lazult/sched/idle.hpp"
#include "lazult/sched/ready_pool.hpp"

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

    // At most 1024 schedulers are alive in a process. One too many runs nothing: streams and
    // push_scheduler refuse it.
    bool is_usable() const noexcept { return idle_.can_sleep(); }

    // Before the scheduler starts, or by a unit that runs under it. The first pool is preferred.
    // busy when the pool is private to another stream; out_of_memory, with nothing changed.
    base::status add_pool(ready_pool& p) noexcept;
    std::span<ready_pool* const> pools() const noexcept { return pools_; }
    ready_pool* first_pool() const noexcept { return pools_.empty() ? nullptr : pools_.front(); }
    // Of its two pools, of which the first one is private.
    void take_turns_of(ready_pool& first, ready_pool& second) noexcept {
        set_fast_pools(&first, &second);
    }

    // Any OS thread. A stacked scheduler starts out with stop_when_empty.
    void request_stop(stop_request how) noexcept;
    virtual const char* name() const noexcept = 0;
    // Any OS thread: ends its stream's sleep, so that it looks around.
    void wake() noexcept { idle_.wake(); }

    bool would_idle(worker& w) noexcept final;
    bool would_only_poll(worker& w) noexcept override;

    // By its stream before the loop begins; the loop's end detaches them.
    base::status attach_pools(worker& w) noexcept;
    void detach_pools(worker& w) noexcept;

protected:
    // Whether the loop shall end. Called when there was nothing to run. `request` is the last
    // argument of request_stop(). A scheduler that was asked to stop and returns false is asked
    // again at least every millisecond; while events are awaited, after each sleep between two
    // polls.
    virtual bool may_end(worker& w, int request) noexcept;
    int requested() const noexcept { return stop_.load(std::memory_order_relaxed); }  // a hint

    void ended(worker& w) noexcept override;
    void took_over(worker& w) noexcept override;
    // It has no stream while it gives way: so it may go on, and end, on another one.
    void gives_way(worker& w) noexcept override;
    void is_back(worker& w) noexcept override;
    explicit scheduler(loop_kind loops = loop_kind::standard) noexcept : core::host(loops) {}

    bool has_pool(const core::pool& p) const noexcept override;
    bool wait(worker& w) noexcept override;
    work_unit* poll(worker& w) noexcept override;
    // Whether it takes from its pool of this number only when those before are empty, and would
    // leave it to another owner.
    virtual bool steals_from(std::size_t) const noexcept { return false; }
    // Whether there is something to run, now or soon; and whether next() would find it now.
    virtual bool has_work(worker& w) noexcept;
    virtual bool would_find_work(worker& w) noexcept { return has_work(w); }
    bool is_stopping() const noexcept {
        return stop_.load(std::memory_order_relaxed) != keep_running;
    }  // a hint
    bool has_own_work(const worker& w) const noexcept;
    virtual void before_wait(worker&) noexcept {}
    // Before it sleeps. Returns for how long it may at most, in nanoseconds; 0: it shall look again
    // instead; negative: for ever.
    virtual std::int64_t longest_sleep(worker&) noexcept { return -1; }
    virtual void after_sleep(worker&) noexcept {}
    // By a stream that ends: a wake-up that was meant for it goes on to others that watch the same
    // pools, where the work is there still. To wake them for nothing would cost as many looks as
    // there are streams, squared, for each that ends.
    virtual void pass_on(worker& w) noexcept;
    virtual bool spins() const noexcept { return true; }
    // Pops from the pool that has the turn, so that no pool starves. Strict schedulers return
    // nullptr.
    virtual work_unit* fair_turn(worker& w) noexcept;
    // For code of this floor alone, which ThreadSanitizer does not watch.
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
    void detach_first(worker& w, std::size_t count) noexcept;
    void choose_fast_pool(worker& w) noexcept;
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
    idler idle_;
    std::size_t turn_ = 0;
    std::int64_t nap_ns_ = first_event_sleep_ns;  // between polls
    std::uint32_t attended_ = attention_calls();
    ds::default_atomics::atomic<int> stop_{keep_running};
};

// Pools in order, with a turn for each now and then.
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

// As basic, but sleeps at once when there is nothing to run.
class waiting_scheduler final : public basic_scheduler {
public:
    const char* name() const noexcept override { return "waiting"; }

protected:
    bool spins() const noexcept override { return false; }
};

std::unique_ptr<scheduler> make_scheduler(kind which);

}  // namespace lazult::sched
