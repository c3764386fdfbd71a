// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/wait_any.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "lazult/sync/end_watch.hpp"
#include "lazult/sync/record_block.hpp"

namespace lazult::sync {
namespace {

using word = wait_queue<>::word;
using record = waiter<>;
using kind = choice::kind;
using join_value = core::join_word<>::value;

// One choice while its caller waits. An object has `mine` in its queue; a unit has the completion
// in its join word. The finisher that took the completion from there releases it by the signal of
// `mine`, whether or not the finisher claimed the wait (end_watch.hpp).
struct choice_watch : core::completion {
    record mine{nullptr};
    bool listed = false;

    choice_watch() noexcept { notify = finished; }

    static core::work_unit* finished(core::completion* self, core::worker&) noexcept {
        end_watched(static_cast<choice_watch*>(self)->mine);
        return nullptr;
    }
};

// --- units

base::status check_unit(const core::work_unit* u) noexcept {
    if (u == nullptr) {
        return base::status::invalid_handle;
    }
    if (u->state() == core::life_state::unused) {
        return base::status::freed_handle;
    }
    return u == core::current_unit() ? base::status::would_deadlock : base::status::ok;
}

base::status poll_unit(core::work_unit& u) noexcept {
    if (const base::status bad = check_unit(&u); bad != base::status::ok) {
        return bad;
    }
    if (!u.join.is_finished()) {
        return base::status::busy;
    }
    probe::acquire(&u);
    return base::status::ok;
}

base::status list_unit(core::work_unit& u, choice_watch& w) noexcept {
    join_value found;
    core::forbid_claims(core::this_worker_or_null(), u);
    probe::release(&u.join);  // pairs with: core/switch/finish.cpp, wake_joiner()
    if (u.join.try_wait(w.as_waiter(), &found)) {
        w.listed = true;
        return base::status::busy;
    }
    if (found != core::join_word<>::finished) {
        return base::status::already_joined;
    }
    probe::acquire(&u);
    return base::status::ok;
}

// --- objects with a queue

// What a wait does with the object of one choice: asks whether the choice can be had now, and takes
// it. The caller of can_be_had() and take() holds the spin bit of the object's queue.
struct request {
    const choice& what;

    wait_queue<>& queue() const noexcept {
        switch (what.what()) {
            case kind::set: return what.object<event_cell>().waiters();
            case kind::ready: return what.object<future>().waiters();
            case kind::acquired: return what.object<semaphore>().waiters();
            default: return what.object<channel_base>().waiters();
        }
    }

    bool can_be_had(word w) const noexcept {
        switch (what.what()) {
            case kind::set: return event_cell::passes(w);
            case kind::ready: return future::passes(w);
            case kind::acquired: return semaphore::has_token(w);
            case kind::sent: return what.object<channel_base>().can_send(w);
            default: return what.object<channel_base>().can_receive(w);
        }
    }

    base::status take(word& w, record*& to_wake) const noexcept {
        switch (what.what()) {
            case kind::acquired: semaphore::take_token(w, to_wake); return base::status::ok;
            case kind::sent:
                return what.object<channel_base>().send_held(w, what.buffer(), to_wake);
            case kind::received:
                return what.object<channel_base>().receive_held(w, what.buffer(), to_wake);
            default: return base::status::ok;
        }
    }
};

// Takes what the choice waits for, if it can be had now. With a record `r`, the caller must win the
// claim for that, and `r` is listed if there is nothing to take. Returns busy if nothing was taken.
base::status take_or_list(const choice& what, record* r) noexcept {
    const request asked{what};
    wait_queue<>& queue = asked.queue();
    record* to_wake = nullptr;
    word w = queue.hold();
    base::status outcome = base::status::busy;
    if (!asked.can_be_had(w)) {
        if (r != nullptr) {
            queue.list(*r);
        }
    } else if (r == nullptr || r->claim->claim(r->index) != claim_word<>::result::lost) {
        outcome = asked.take(w, to_wake);
    }
    queue.let_go(w);
    wake_all(to_wake);
    return outcome;
}

// --- the wait

// The watches of all choices. Up to six of them need no allocation.
class watches {
public:
    watches(std::size_t count, const core::work_unit* self) {
        if (count > few_.size()) {
            make_many(count, self);
        }
    }
    choice_watch& operator[](std::size_t i) noexcept { return first_[i]; }

private:
    void make_many(std::size_t count, const core::work_unit* self) {
        static_assert(alignof(choice_watch) == alignof(record_block));
        static_assert(std::is_trivially_destructible_v<choice_watch>);
        std::byte* const memory = many_.allocate(self, count * sizeof(choice_watch));
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        for (std::size_t i = 0; i < count; ++i) {
            new (memory + i * sizeof(choice_watch)) choice_watch;
        }
        first_ = std::launder(reinterpret_cast<choice_watch*>(memory));
        many_.show(count * sizeof(choice_watch));
    }

    std::array<choice_watch, 6> few_;
    record_block many_;
    choice_watch* first_ = few_.data();
};

wait_kind kind_of(const choice& what) noexcept {
    switch (what.what()) {
        case kind::finished: return wait_kind::end_of_unit;
        case kind::set: return wait_kind::eventual;
        case kind::ready: return wait_kind::future;
        case kind::acquired: return wait_kind::semaphore;
        default: return wait_kind::channel;
    }
}

class selection {
public:
    selection(std::span<const choice> choices, core::work_unit* self)
        : choices_(choices), watches_(choices.size(), self), wait_(self) {
        for (std::size_t i = 0; i < choices.size(); ++i) {
            record& r = watches_[i].mine;
            r.unit = self;
            r.kind = kind_of(choices[i]);
            r.object = choices[i].address();
            r.index = claim_word<>::first_index + static_cast<std::uint32_t>(i);
            r.buffer = choices[i].buffer();
            wait_.covers(r);
        }
    }

    any_result run(const wait_limit& limit) {
        any_result at_once{base::status::busy, 0};
        for (std::size_t i = 0;
             i < choices_.size() && at_once.outcome == base::status::busy && !is_claimed(); ++i) {
            at_once = {list(i), i};
        }
        const std::uint32_t winner =
            at_once.outcome == base::status::busy ? wait_.sleep(limit) : wait_.claim().winner();
        const any_result result =
            at_once.outcome == base::status::busy ? outcome_of(winner) : at_once;
        withdraw_all(result);
        return result;
    }

private:
    bool is_claimed() noexcept { return wait_.claim().winner() >= claim_word<>::first_index; }

    // Returns busy if the choice is listed, or if another source has claimed the wait meanwhile.
    base::status list(std::size_t i) noexcept {
        const choice& what = choices_[i];
        choice_watch& w = watches_[i];
        if (what.what() != kind::finished) {
            const base::status outcome = take_or_list(what, &w.mine);
            w.listed = outcome == base::status::busy;
            return outcome;
        }
        const base::status outcome = list_unit(what.object<core::work_unit>(), w);
        // The outcome took nothing from the unit, so an earlier claim by another source counts.
        const bool mine = outcome == base::status::busy ||
                          wait_.claim().claim(w.mine.index) != claim_word<>::result::lost;
        return mine ? outcome : base::status::busy;
    }

    any_result outcome_of(std::uint32_t winner) noexcept {
        if (winner == claim_word<>::timed_out) {
            return {base::status::timed_out, choices_.size()};
        }
        if (winner == claim_word<>::withdrawn) {
            return {base::status::canceled, choices_.size()};
        }
        const std::size_t i = winner - claim_word<>::first_index;
        record& r = watches_[i].mine;
        await_release(r);
        const kind what = choices_[i].what();
        if (what == kind::finished) {
            probe::acquire(&choices_[i].object<core::work_unit>());
        }
        const bool closed = (what == kind::sent || what == kind::received) && !r.granted;
        return {closed ? base::status::closed : base::status::ok, i};
    }

    // Withdraws all records but the winner's, because its waker has taken that one.
    void withdraw_all(const any_result& result) noexcept {
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            choice_watch& w = watches_[i];
            if (!w.listed || i == result.index) {
                continue;
            }
            if (choices_[i].what() == kind::finished) {
                stop_watching(choices_[i].object<core::work_unit>().join, w.as_waiter(), w.mine);
            } else {
                request{choices_[i]}.queue().withdraw(w.mine);
            }
        }
    }

    std::span<const choice> choices_;
    watches watches_;
    claimed_wait<> wait_;
};

// Takes the first choice that needs no waiting. Its outcome is busy if every choice needs it.
any_result poll(std::span<const choice> choices) noexcept {
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const bool unit = choices[i].what() == kind::finished;
        const base::status outcome = unit ? poll_unit(choices[i].object<core::work_unit>())
                                          : take_or_list(choices[i], nullptr);
        if (outcome != base::status::busy) {
            return {outcome, i};
        }
    }
    return {base::status::busy, choices.size()};
}

bool is_confined_elsewhere(const choice& what) noexcept {
    return what.what() == kind::finished &&
           core::is_confined_elsewhere(what.object<core::work_unit>());
}

// A unit is confined elsewhere if its join word is local and another stream owns its pool: the
// caller cannot register in that word. An opener is a unit that runs on that stream and opens the
// word: see core/life/join.hpp. So the caller first waits for the end of the opener.
class openers {
public:
    explicit openers(std::span<const choice> choices)
        : choices_(choices), sent_(choices.size()), now_(choices.begin(), choices.end()) {}
    openers(const openers&) = delete;
    openers& operator=(const openers&) = delete;
    ~openers() {
        for (core::work_unit* each : sent_) {
            if (each != nullptr) {
                core::dismiss_opener(each);
            }
        }
    }

    // Sends an opener for each confined unit. Returns ok, or out_of_memory with the choice's index.
    any_result send() {
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            if (is_confined_elsewhere(choices_[i])) {
                sent_[i] = core::send_opener(choices_[i].object<core::work_unit>());
                if (sent_[i] == nullptr) {
                    return {base::status::out_of_memory, i};
                }
                now_[i] = choice::finished(sent_[i]);
            }
        }
        return {base::status::ok, choices_.size()};
    }

    std::span<const choice> now() const noexcept { return now_; }

    // If choice `i` is an opener, which has ended, puts its unit in its place, and returns true.
    bool replace(std::size_t i) noexcept {
        if (i >= sent_.size() || sent_[i] == nullptr) {
            return false;
        }
        core::dismiss_opener(std::exchange(sent_[i], nullptr));
        now_[i] = choices_[i];
        return true;
    }

private:
    std::span<const choice> choices_;
    std::vector<core::work_unit*> sent_;
    std::vector<choice> now_;
};

any_result wait_with_openers(std::span<const choice> choices, const wait_limit& limit) {
    openers all(choices);
    any_result result = all.send();
    while (result.outcome == base::status::ok) {
        result = wait_any(all.now(), limit);
        if (!all.replace(result.index)) {
            break;
        }
    }
    if (result.outcome == base::status::timed_out || result.outcome == base::status::canceled) {
        // The opener waits behind other units in its pool, so the unit may have ended already.
        const any_result after_all = poll(choices);
        return after_all.outcome == base::status::busy ? result : after_all;
    }
    return result;
}

}  // namespace

any_result wait_any(std::span<const choice> choices, const wait_limit& limit) {
    const any_result at_once = poll(choices);
    if (at_once.outcome != base::status::busy) {
        return at_once;
    }
    if (choices.empty() && !limit.has_sources()) {
        return {base::status::invalid_argument, 0};
    }
    const caller self = this_caller<>();
    if (!self.may_wait) {
        return {base::status::cannot_suspend, choices.size()};
    }
    if (limit.deadline_ns >= 0 && limit.deadline_ns <= os::now_ns()) {
        return {base::status::timed_out, choices.size()};
    }
    if (std::any_of(choices.begin(), choices.end(), is_confined_elsewhere)) LAZULT_UNLIKELY {
        return wait_with_openers(choices, limit);
    }
    // A unit with a local join word is ended without a look for waiters (join_word.hpp), so the
    // word is opened before this caller registers there.
    for (const choice& each : choices) {
        if (each.what() == kind::finished) {
            core::open_here(each.object<core::work_unit>());
        }
    }
    selection all(choices, self.unit);
    return all.run(limit);
}

base::status join_until(core::work_unit* u, const wait_limit& limit) {
    if (const base::status bad = check_unit(u); bad != base::status::ok) {
        return bad;
    }
    const choice what[] = {choice::finished(u)};
    return wait_any(what, limit).outcome;
}

}  // namespace lazult::sync
