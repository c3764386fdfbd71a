// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/scheduler.hpp"

#include <algorithm>
#include <new>

#include "lazult/sched/events.hpp"
#include "lazult/sched/steal_group.hpp"
#include "lazult/sched/stream.hpp"
#include "lazult/sched/theft_patience.hpp"

namespace lazult::sched {

namespace {

// The longest sleep of a scheduler that was asked to stop and may not stop yet. So the thread that
// changes this need not wake it.
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
        if (const base::status bad = attach_to(*w, p, pools_.size()); bad != base::status::ok) {
            return bad;
        }
    }
    probe::release(this);  // pairs with: core/switch/host.cpp, loop()
    pools_.push_back(&p);
    idle_.watch(p);
    if (pools_.size() == 1) {
        set_fast_pool(&p);
    }
    return base::status::ok;
}

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
    return base::status::ok;
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

void scheduler::detach_pools(worker& w) noexcept { detach_first(w, pools_.size()); }

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
            p->door().notify();
        }
    }
}

void scheduler::gives_way(worker& w) noexcept { detach_pools(w); }

// A pool that is private to another stream by now is empty for this scheduler until that lets go of
// it.
void scheduler::is_back(worker& w) noexcept {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        attach_to(w, *pools_[i], i);
    }
}

// The scheduler before had its own, which is gone with it.
void scheduler::choose_fast_pool(worker& w) noexcept {
    for (ready_pool* p : pools_) {
        p->offer_fast_way(w);
    }
}

void scheduler::took_over(worker& w) noexcept {
    static_cast<stream*>(w.stream)->become_main(*this);
    choose_fast_pool(w);
}

void scheduler::request_stop(stop_request how) noexcept {
    probe::release(&stop_);
    // release pairs with: wait(), load of stop_: what the requester did before
    stop_.store(how, std::memory_order_release);
    idle_.wake();
}

bool scheduler::may_end(worker& w, int request) noexcept {
    return request == stop_now || (request == stop_when_empty && !has_own_work(w));
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

work_unit* scheduler::pop_in_order(worker& w) noexcept {
    for (ready_pool* p : pools_) {
        if (work_unit* u = p->pop(w); u != nullptr) {
            return u;
        }
    }
    return nullptr;
}

work_unit* scheduler::fair_turn(worker& w) noexcept {
    if (pools_.size() < 2) {
        return nullptr;
    }
    turn_ = (turn_ + 1) % pools_.size();
    return pools_[turn_]->pop(w);
}

void scheduler::attend_if_called() noexcept {
    if (const std::uint32_t now = attention_calls(); now != attended_) LAZULT_UNLIKELY {
        attended_ = now;
        attend();
    }
}

work_unit* scheduler::poll(worker& w) noexcept {
    poll_events();
    attend_if_called();
    for (ready_pool* p : pools_) {
        p->collect(w);
    }
    return fair_turn(w);
}

// A stacked scheduler leaves the stream to the one below. When that has nothing either, it sleeps a
// little at its own pools' gates: the lower scheduler's pools are looked at again after that.
bool scheduler::wait_stacked(worker& w) noexcept {
    const auto steps = [&w] { return w.count.suspensions.get() + w.count.started.get(); };
    const std::uint64_t before = steps();
    yield_to_parent();
    worker& now = core::this_worker();
    const core::pool& home = *self_unit()->home;
    const unsigned own_steps =
        home.hears_of_yields() && !home.serves(w) ? 1 : 0;  // it goes there also if it is alone
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

// The holder of the turn sleeps longer each time, until a poll finds something. Other streams only
// look now and then whether the turn is free. While nobody expects an event, all of them sleep
// longer, and a thread that begins to expect one can wake them.
template <class Ready>
void scheduler::sleep_between_polls(worker& w, const poll_turn& turn, Ready&& ready) noexcept {
    const bool expected = expects_events();
    const auto roused = [&] { return ready() || (!expected && expects_events()); };
    const auto after = [&](std::int64_t pause_ns) {
        const std::int64_t longest_ns = longest_sleep(w);
        return os::now_ns() + (longest_ns < 0 ? pause_ns : std::min(pause_ns, longest_ns));
    };
    if (turn.is_mine()) {
        const std::int64_t longest = expected ? event_sleep_ns : quiet_event_sleep_ns;
        nap_ns_ = std::min(nap_ns_, longest);
        const std::int64_t until = after(nap_ns_);
        expected ? idle_.nap(w, until, ready) : idle_.sleep(w, until, roused);
        nap_ns_ = std::min(nap_ns_ * 2, longest);
        return;
    }
    const poll_turn::watch watching;
    const std::int64_t until = after(expected ? idle_watch_sleep_ns : quiet_watch_sleep_ns);
    idle_.sleep(w, until, [&] { return roused() || poll_turn::is_free(); });
}

// What a poll finds mostly comes soon after what one found before.
bool scheduler::spins_between_polls() const noexcept {
    return spins() && (nap_ns_ <= event_sleep_ns || expects_events());
}

// Between two polls it pauses, and naps after LAZULT_IDLE_SPIN of them.
bool scheduler::poll_while_idle(worker& w, int request) noexcept {
    poll_turn turn;
    // pairs with: request_stop(), store of stop_
    const auto is_asked = [&] {
        return is_called() || stop_.load(std::memory_order_acquire) != request;
    };
    const auto ready = [&] { return has_work(w) || is_asked(); };
    const auto found = [&] {
        return (turn.is_mine() && poll_events() != 0) || would_find_work(w) || is_asked();
    };
    if (!found() && !(spins_between_polls() && idle_.spin(found))) {
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

// A stream that sleeps without a deadline checks a last time, in `roused`, whether it may. By then
// it counts as a sleeper, so a thread that changes this finds a sleeper to wake.
template <class Ready>
void scheduler::sleep_without_events(worker& w, std::int64_t longest_ns, bool stops,
                                     Ready&& ready) noexcept {
    const auto roused = [&] { return ready() || longest_sleep(w) >= 0; };
    if (stops) {
        idle_.sleep(w, os::now_ns() + ending_sleep_ns, ready);
    } else if (longest_ns > 0) {
        idle_.sleep(w, os::now_ns() + longest_ns, ready);
    } else if (!core::has_idle_memory(w)) {
        idle_.sleep(w, -1, roused);
    } else if (const std::uint64_t traffic = core::count_traffic();
               !idle_.sleep(w, os::now_ns() + core::quiet_ns, roused)) {
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
    if (spins() && idle_.spin([&] { return would_find_work(w) || is_asked(); })) {
        return true;
    }
    const std::int64_t longest_ns = longest_sleep(w);
    if (longest_ns == 0) {
        return true;
    }
    sleep_without_events(w, longest_ns, request != keep_running, ready);
    after_sleep(w);
    if (awaits_events() && has_work(w)) LAZULT_UNLIKELY {  // it may have been woken to poll
        poll_turn::call_another();
    }
    return true;
}

work_stealing_scheduler::work_stealing_scheduler(stealing_pool& own) : own_(&own) {
    thieves().add_sleeper(idle().slot(), own);
}

work_stealing_scheduler::~work_stealing_scheduler() { thieves().remove_sleeper(idle().slot()); }

// Without memory there are no victims until the next time, which is soon: an old version counts as
// work.
void work_stealing_scheduler::refresh_victims() noexcept {
    try {
        patience_.clear();
        const std::uint64_t version = thieves().others(*own_, victims_);
        patience_.assign(victims_.size(), {});
        watch_all();
        victims_version_ = version;
    } catch (const std::bad_alloc&) {
        victims_version_ = 0;
    }
}

void work_stealing_scheduler::watch_all() {
    idle().watch_nothing();
    for (ready_pool* p : pools()) {
        idle().watch(*p);
    }
    for (stealing_pool* p : victims_) {
        idle().watch(*p);
    }
}

work_unit* work_stealing_scheduler::next(worker& w) noexcept {
    if (work_unit* u = pop_in_order(w); u != nullptr) LAZULT_LIKELY {
        return u;
    }
    if (is_stopping()) LAZULT_UNLIKELY {
        return nullptr;  // what others have is theirs now
    }
    for (std::size_t i = 0; i < patience_.size(); ++i) {
        if (may_steal_from(i, w)) {
            patience_[i].start_anew();
            if (work_unit* u = victims_[i]->steal(w, *own_); u != nullptr) {
                return u;
            }
        }
    }
    return nullptr;
}

bool work_stealing_scheduler::may_steal_from(std::size_t victim, const worker& w) noexcept {
    const stealing_pool& pool = *victims_[victim];
    if (!pool.maybe_has_work(w)) LAZULT_LIKELY {
        patience_[victim].start_anew();
        return false;
    }
    return patience_[victim].has_ended(pool);
}

// A changed group counts as work: the gates that this stream may be sleeping at must not change
// under its sleep.
bool work_stealing_scheduler::has_work(worker& w) noexcept {
    return scheduler::has_work(w) || victims_version_ != thieves().version() ||
           std::any_of(victims_.begin(), victims_.end(),
                       [&](stealing_pool* p) { return p->maybe_has_work(w); });
}

bool work_stealing_scheduler::would_find_work(worker& w) noexcept {
    bool would_steal = false;
    for (std::size_t i = 0; i < patience_.size() && !would_steal; ++i) {
        would_steal = may_steal_from(i, w);
    }
    return would_steal || scheduler::has_work(w) || victims_version_ != thieves().version();
}

// Also a stream that is never idle looks at the pools that others left behind: nobody else serves
// them.
work_unit* work_stealing_scheduler::poll(worker& w) noexcept {
    look_for_victims();
    orphans_turn_ = !orphans_turn_;
    if (orphans_turn_ && !is_stopping()) {
        if (work_unit* u = steal_from_orphans(w); u != nullptr) {
            return u;
        }
    }
    return scheduler::poll(w);
}

work_unit* work_stealing_scheduler::steal_from_orphans(worker& w) noexcept {
    for (stealing_pool* victim : victims_) {
        if (!victim->is_owned() && victim->maybe_has_work(w)) {
            if (work_unit* u = victim->steal(w, *own_); u != nullptr) {
                return u;
            }
        }
    }
    return nullptr;
}

void work_stealing_scheduler::pass_on(worker& w) noexcept {
    scheduler::pass_on(w);
    look_for_victims();  // there may be pools now that it did not know while it slept
    if (std::none_of(victims_.begin(), victims_.end(),
                     [&](stealing_pool* p) { return p->maybe_has_work(w); })) {
        return;
    }
    // Others that sleep may not watch that very pool either, but some that both know.
    for (stealing_pool* p : victims_) {
        p->door().notify();
    }
}

// It may have been woken for work in a pool that it did not know, and find other work first.
void work_stealing_scheduler::after_sleep(worker& w) noexcept {
    core::ask_for_calls(w, core::seeker::woke);  // before it finds work
    const std::uint64_t known = victims_version_;
    if (known == thieves().version()) LAZULT_LIKELY {
        return;
    }
    refresh_victims();
    for (stealing_pool* p : victims_) {
        if (p->is_newer_than(known) && p->maybe_has_work(w)) {
            p->door().notify();
        }
    }
}

void work_stealing_scheduler::look_for_victims() noexcept {
    if (victims_version_ != thieves().version()) {
        refresh_victims();
    }
}

void work_stealing_scheduler::before_wait(worker& w) noexcept {
    look_for_victims();
    for (stealing_pool* victim : victims_) {
        victim->ask_ahead();
    }
    if (!is_stopping()) {
        core::ask_for_calls(w, core::seeker::looks);  // the answers come while this stream spins
    }
}

std::int64_t work_stealing_scheduler::longest_sleep(worker& w) noexcept {
    return is_stopping() ? -1 : core::ask_for_calls(w, core::seeker::sleeps);
}

std::unique_ptr<scheduler> make_scheduler(kind which) {
    switch (which) {
        case kind::priority: return std::make_unique<priority_scheduler>();
        case kind::waiting: return std::make_unique<waiting_scheduler>();
        default: return std::make_unique<basic_scheduler>();
    }
}

namespace {

void run_stacked(void* self) {
    auto* stacked = static_cast<scheduler*>(static_cast<core::host*>(self));
    worker& w = core::this_worker();
    if (const stream* here = this_stream(); here != nullptr && here->pinned() != nullptr) {
        w.current->join.open();  // it may end on another thread than it was confined to
        // Its private pools bind it to this stream from now on.
        core::set_present_home(*w.current, *here->pinned());
    }
    if (stacked->attach_pools(w) != base::status::ok) {
        base::warn(
            "a stacked scheduler ends at once: one of its pools is private to another stream");
        return;
    }
    core::host::run_as_unit(stacked);
}

}  // namespace

base::status push_scheduler(scheduler& stacked, core::pool& into, const stacked_options& options,
                            work_unit** unit) noexcept {
    if (!stacked.is_usable()) {
        return base::status::out_of_memory;
    }
    worker& w = core::this_worker();
    auto attributes = options.attributes;
    work_unit* u = core::prepare(w, into, run_stacked, static_cast<core::host*>(&stacked),
                                 attributes.of_host());
    if (u == nullptr) {
        return base::status::out_of_memory;
    }
    stacked.request_stop(options.request);
    if (options.hears_of_release) {
        // nobody else knows it
        u->requests.fetch_or(core::stands_for_host, std::memory_order_relaxed);
    }
    *unit = u;
    if (options.detached) {
        u->join.reset_detached();
    }
    core::launch_open(w, u);  // never local: the pool may become another stream's
    return base::status::ok;
}

base::status push_scheduler(scheduler& stacked, core::pool& into, work_unit** unit) {
    stacked_options options;
    options.hears_of_release = false;
    return push_scheduler(stacked, into, options, unit);
}

}  // namespace lazult::sched
