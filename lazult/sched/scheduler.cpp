// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/scheduler.hpp"

#include <algorithm>
#include <new>

#include "lazult/sched/lending.hpp"
#include "lazult/sched/stream_record.hpp"

namespace lazult::sched {

namespace {

// The longest sleep of a scheduler that was asked to stop and may not stop yet. It is short, so
// that the thread that makes the end possible need not wake the scheduler.
constexpr std::int64_t ending_sleep_ns = 1'000'000;

}  // namespace

scheduler::~scheduler() = default;

base::status scheduler::add_pool(ready_pool& p) noexcept {
    const probe::unwatched growing;
    try {
        pools_.reserve(pools_.size() + 1);
        idle_.expect(pools_.size() + 1);
    } catch (const std::bad_alloc&) {
        return base::status::out_of_memory;
    }
    if (worker* w = core::this_worker_or_null(); w != nullptr && w->here == this) {
        if (const base::status bad = attach_new(*w, p); bad != base::status::ok) {
            return bad;
        }
    }
    probe::release(this);  // pairs with: core/switch/host_loop.cpp, loop()
    pools_.push_back(&p);
    idle_.watch(p);
    if (pools_.size() == 1) {
        set_fast_pool(&p);
    }
    return base::status::ok;
}

// For a scheduler that gets a pool while it runs here.
base::status scheduler::attach_new(worker& w, ready_pool& p) noexcept {
    // Without memory is_back() has given up what this scheduler kept here.
    const base::status kept = keeper_.w == nullptr ? begin_to_keep(w) : base::status::ok;
    const base::status bad = kept == base::status::ok ? attach_to(w, p, pools_.size()) : kept;
    if (bad != base::status::ok) {
        return bad;
    }
    const base::status outcome = p.begin_to_keep(w);
    if (outcome != base::status::ok) {
        p.detach(w);
    } else if (gate* const its = p.gate_of_kept(w); its != nullptr) {
        keeper_ = keeping_stream::of(w);
        idle_.watch(*its);
    }
    return outcome;
}

work_unit* scheduler::poll(worker& w) noexcept {
    poll_events();
    if (port_pace_.is_due(points_between_polls())) {
        look_into_port(w);
    }
    attend_if_called();
    for (ready_pool* p : pools_) {
        p->collect(w);
    }
    return fair_turn(w);
}

bool scheduler::look_into_port(const worker& w) noexcept {
    const int ready = poll_port(w);
    port_pace_.has_looked(ready);
    return ready != 0;
}

work_unit* scheduler::fair_turn(worker& w) noexcept {
    if (pools_.size() < 2) {
        return nullptr;
    }
    turn_ = (turn_ + 1) % pools_.size();
    return pools_[turn_]->pop(w);
}

work_unit* basic_scheduler::next(worker& w) noexcept { return pop_in_order(w); }

base::status scheduler::attach_to(worker& w, ready_pool& p, std::size_t number) noexcept {
    return steals_from(number) ? p.attach_as_thief(w) : p.attach(w);
}

base::status scheduler::attach_pools(worker& w) noexcept {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        if (const base::status bad = attach_to(w, *pools_[i], i); bad != base::status::ok) {
            detach_first(w, i);
            return bad;
        }
    }
    const base::status outcome = begin_to_keep(w);
    if (outcome != base::status::ok) {
        detach_first(w, pools_.size());
    }
    return outcome;
}

base::status scheduler::begin_to_keep(worker& w) noexcept {
    if (!keeps()) LAZULT_LIKELY {
        return base::status::ok;
    }
    base::status outcome = base::status::ok;
    std::size_t begun = 0;
    while (begun < pools_.size() && outcome == base::status::ok) {
        outcome = pools_[begun]->begin_to_keep(w);
        begun += outcome == base::status::ok;
    }
    if (outcome == base::status::ok && !base::has_memory_for([&] { watch_all(w); })) {
        outcome = base::status::out_of_memory;
    }
    const keeping_stream here = keeping_stream::of(w);
    while (outcome != base::status::ok && begun-- > 0) {
        pools_[begun]->end_to_keep(here);
    }
    keeper_ = outcome == base::status::ok ? here : keeping_stream{};
    return outcome;
}

void scheduler::end_to_keep() noexcept {
    const keeping_stream keeper = std::exchange(keeper_, {});
    if (keeper.w != nullptr) {
        for (ready_pool* p : pools_) {
            p->end_to_keep(keeper);
        }
    }
}

bool scheduler::keeps() const noexcept { return std::ranges::any_of(pools_, &ready_pool::keeps); }

void scheduler::watch_all(const worker& w) {
    idle_.watch_nothing();
    for (ready_pool* p : pools_) {
        idle_.watch(*p);
        if (gate* const its = p->gate_of_kept(w); its != nullptr) {
            idle_.watch(*its);
        }
    }
}

void scheduler::detach_first(worker& w, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        if (steals_from(i)) {
            pools_[i]->detach_as_thief(w);
        } else {
            pools_[i]->detach(w);
        }
    }
}

void scheduler::detach_pools(worker& w) noexcept {
    detach_first(w, pools_.size());
    end_to_keep();
}

void scheduler::ended(worker& w) noexcept {
    detach_pools(w);
    pass_on(w);
    if (awaits_events()) {
        event_gate().notify();
    }
}

void scheduler::pass_on(worker& w) noexcept {
    for (ready_pool* p : pools_) {
        if (p->maybe_has_work(w)) {
            p->idle_gate().notify();
        }
    }
}

// What stays, stays meanwhile: a stacked scheduler that has such pools moves only if its stream
// ends.
void scheduler::gives_way(worker& w) noexcept { detach_first(w, pools_.size()); }

// A pool that another stream has made private meanwhile is not attached. It seems empty to this
// scheduler until that stream detaches it.
void scheduler::is_back(worker& w) noexcept {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        attach_to(w, *pools_[i], i);
    }
    if (keeper_.w != nullptr && keeper_ != keeping_stream::of(w)) {
        end_to_keep();
        begin_to_keep(w);  // without memory its units may move
    }
}

// Chooses a pool for the stream's fast paths. The last scheduler's choice has gone with its pools.
void scheduler::choose_fast_pool(worker& w) noexcept {
    for (ready_pool* p : pools_) {
        p->offer_fast_way(w);
    }
}

void scheduler::took_over(worker& w) noexcept {
    stream_record_of(&w)->become_main(*this, first_pool());
    choose_fast_pool(w);
}

void scheduler::request_stop(stop_request how) noexcept {
    probe::release(&stop_);
    // release pairs with: wait(), load of stop_: what the requester did before
    stop_.store(how, std::memory_order_release);
    idle_.wake();
}

bool scheduler::may_end(worker& w, int request) noexcept {
    return request == stop_now || (request == stop_when_empty && is_out_of_work(w));
}

// Looks at pools that lend a second time, while no spare stream hides units. A unit comes back to
// its pool before the pool stops to count it, so the count is read first.
bool scheduler::is_out_of_work(const worker& w) const noexcept {
    if (has_own_work(w)) {
        return false;
    }
    const auto held_off = lending().hold_off();
    return !held_off.owns_lock() || std::ranges::none_of(pools_, [&w](const ready_pool* p) {
        return p->lends() && (p->lent() > 0 || p->maybe_has_work(w));
    });
}

bool scheduler::has_pool(const core::pool& p) const noexcept {
    return std::any_of(pools_.begin(), pools_.end(),
                       [&](const ready_pool* each) { return each == &p; });
}

bool scheduler::has_own_work(const worker& w) const noexcept {
    return std::any_of(pools_.begin(), pools_.end(),
                       [&](const ready_pool* p) { return p->maybe_has_work(w); });
}

bool scheduler::has_work(worker& w) noexcept { return has_own_work(w); }

// Gives way to the scheduler below. If that has nothing to run either, sleeps for a moment at the
// gates of this scheduler's pools. Then the scheduler below looks at its own pools again.
bool scheduler::wait_stacked(worker& w) noexcept {
    const auto steps = [&w] { return w.count.suspensions.get() + w.count.started.get(); };
    const std::uint64_t before = steps();
    yield_to_parent();
    worker& now = core::this_worker();
    const core::pool& home = *self_unit()->home;
    const unsigned own_steps =
        home.hears_of_yields() && !home.serves(w) ? 1 : 0;  // a yield through such a pool is a step
    if (&now == &w && steps() - before <= own_steps) {
        constexpr std::int64_t nap_ns = 50'000;
        idle_.nap(w, os::now_ns() + nap_ns, [&] {
            // pairs with: request_stop(), store of stop_
            return has_own_work(w) || stop_.load(std::memory_order_acquire) == stop_now;
        });
        core::ask_for_calls(w, core::seeker::woke);
    }
    return true;
}

bool scheduler::would_only_poll(worker& w) noexcept {
    return !is_stacked() && spins() && !is_stopping() && !is_called() && !has_handed_over() &&
           !keeps_work_below() && !would_find_work(w);
}

bool scheduler::would_idle(worker& w) noexcept { return !awaits_events() && would_only_poll(w); }

// The holder of the turn to poll sleeps longer each time, until a poll finds something. Other
// streams only look now and then whether the turn is free. While no caller expects an event, all
// streams sleep longer, and a thread that begins to expect one can wake them.
template <class Ready>
void scheduler::sleep_between_polls(worker& w, const poll_turn& turn, Ready&& ready) noexcept {
    const bool expected = expects_events();
    const auto woken = [&] { return ready() || (!expected && expects_events()); };
    const auto after = [&](std::int64_t pause_ns) {
        const std::int64_t longest_ns = longest_sleep(w);
        return os::now_ns() + (longest_ns < 0 ? pause_ns : std::min(pause_ns, longest_ns));
    };
    if (turn.is_mine()) {
        const std::int64_t longest = expected ? event_sleep_ns : quiet_event_sleep_ns;
        nap_ns_ = std::min(nap_ns_, longest);
        const std::int64_t until = after(nap_ns_);
        expected ? idle_.nap(w, until, ready) : idle_.sleep(w, until, woken);
        nap_ns_ = std::min(nap_ns_ * 2, longest);
        return;
    }
    const poll_turn::watch watching;
    const std::int64_t until = after(expected ? idle_watch_sleep_ns : quiet_watch_sleep_ns);
    idle_.sleep(w, until, [&] { return woken() || poll_turn::is_free(); });
}

// Spins after a poll that found something, because more events mostly come soon after.
bool scheduler::spins_between_polls() const noexcept {
    return spins() && (nap_ns_ <= event_sleep_ns || expects_events());
}

// Polls and pauses in turn for LAZULT_IDLE_SPIN, and then sleeps between polls.
bool scheduler::poll_while_idle(worker& w, int request) noexcept {
    poll_turn turn;
    // pairs with: request_stop(), store of stop_
    const auto is_asked = [&] {
        return is_called() || stop_.load(std::memory_order_acquire) != request;
    };
    const auto ready = [&] { return has_work(w) || is_asked(); };
    const auto found = [&] {
        return (turn.is_mine() && poll_events() != 0) || look_into_port(w) || would_find_work(w) ||
               is_asked();
    };
    if (!found() && !(spins_between_polls() && idle_.spin(w, found))) {
        sleep_between_polls(w, turn, ready);
        after_sleep(w);
    } else {
        nap_ns_ = first_event_sleep_ns;
    }
    if (would_find_work(w) || is_asked()) {
        nap_ns_ = first_event_sleep_ns;
        turn.leave_for_work();
    }
    return true;
}

// A stream that sleeps without a deadline checks a last time, in `woken`, whether it may. By then
// it is registered as a sleeper, so a thread that sets a limit later finds a sleeper to wake.
template <class Ready>
void scheduler::sleep_without_events(worker& w, std::int64_t longest_ns, bool stops,
                                     Ready&& ready) noexcept {
    const auto woken = [&] { return ready() || longest_sleep(w) >= 0; };
    if (stops) {
        idle_.sleep(w, os::now_ns() + ending_sleep_ns, ready);
    } else if (longest_ns > 0) {
        idle_.sleep(w, os::now_ns() + longest_ns, ready);
    } else if (!core::has_idle_memory(w)) {
        idle_.sleep(w, -1, woken);
    } else if (const std::uint64_t traffic = core::count_traffic();
               !idle_.sleep(w, os::now_ns() + core::quiet_ns, woken)) {
        core::tidy_up(w, traffic);
    }
}

bool scheduler::wait(worker& w) noexcept {
    attend_if_called();
    // pairs with: request_stop(), store of stop_
    const int request = stop_.load(std::memory_order_acquire);
    if (request != keep_running && may_end(w, request)) {
        probe::acquire(&stop_);  // pairs with: request_stop()
        return false;
    }
    if (is_stacked()) {
        return wait_stacked(w);
    }
    before_wait(w);
    if (awaits_events()) {
        return poll_while_idle(w, request);
    }
    const auto is_asked = [&] {
        // pairs with: request_stop(), store of stop_
        return awaits_events() || is_called() || stop_.load(std::memory_order_acquire) != request;
    };
    const auto ready = [&] { return has_work(w) || is_asked(); };
    const auto found = [&] { return look_into_port(w) || would_find_work(w) || is_asked(); };
    if (spins() ? idle_.spin(w, found) : look_into_port(w)) {
        return true;
    }
    const std::int64_t longest_ns = longest_sleep(w);
    if (longest_ns == 0) {
        return true;
    }
    sleep_without_events(w, longest_ns, request != keep_running, ready);
    after_sleep(w);
    if (awaits_events() && has_work(w)) LAZULT_UNLIKELY {  // a waker may have wanted it to poll
        poll_turn::call_another();
    }
    return true;
}

std::unique_ptr<scheduler> make_scheduler(kind which) {
    switch (which) {
        case kind::priority: return std::make_unique<priority_scheduler>();
        case kind::waiting: return std::make_unique<waiting_scheduler>();
        default: return std::make_unique<basic_scheduler>();
    }
}

}  // namespace lazult::sched
