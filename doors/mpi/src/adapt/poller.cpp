// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/poller.hpp"

#include "adapt/counts.hpp"
#include "adapt/deep.hpp"
#include "adapt/settings.hpp"
#include "library/library.hpp"

#include "lazult/sched/sched.hpp"
#include "lazult/sync/sync.hpp"

#include <algorithm>
#include <utility>

namespace lazult::mpi {
namespace {

constexpr std::int64_t shortest_interval_ns = 100;
constexpr std::int64_t longest_idle_interval_ns = 200;
constexpr std::int64_t between_wide_looks_ns = 5'000;
constexpr std::int64_t wide_look_share = 16;  // in so many times its duration
// where it lost its processor meanwhile
constexpr std::int64_t longest_between_wide_looks_ns = 500'000;
constexpr std::int64_t shortest_moment_ns = 1'000;
constexpr std::int64_t longest_moment_ns = 100'000;

void put_off(wait_record& record) noexcept {
    record.while_ns = std::clamp(record.while_ns * 2, shortest_moment_ns, longest_moment_ns);
    record.due_ns = os::now_ns() + record.while_ns;
}

// True for a failed request, too: the caller's own test will fail as well, and report the error.
bool is_done(MPI_Request request) noexcept {
    int flag = 0;
    return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
}

bool has_come(const wait_record& record) noexcept {
    int flag = 0;
    return PMPI_Iprobe(record.source, record.tag, record.comm, &flag, MPI_STATUS_IGNORE) !=
               MPI_SUCCESS ||
           flag != 0;
}

bool are_all_done(wait_record& record, int& misses) noexcept {
    while (record.at < record.count) {
        if (!is_done(record.requests[record.at])) {
            ++misses;
            return false;
        }
        ++record.at;
    }
    return true;
}

bool is_any_done(wait_record& record, int& misses, int most) noexcept {
    for (int i = 0; i < record.count && misses < most; ++i) {
        if (is_done(record.requests[record.at])) {
            return true;
        }
        ++misses;
        record.at = record.at + 1 < record.count ? record.at + 1 : 0;
    }
    return false;
}

// Those that go on shall do so in the order in which they were found: their peers wait for them in
// that order, and what is waited for out of order costs looks in vain.
bool runs_newest_first(const core::worker* w, const core::work_unit& unit) noexcept {
    return w != nullptr && w->lane != nullptr && w->lane->home() == unit.home;
}

wait_record* reversed(wait_record* first) noexcept {
    wait_record* before = nullptr;
    while (first != nullptr) {
        before = std::exchange(first, std::exchange(first->next, before));
    }
    return before;
}

}  // namespace

poller::poller() noexcept
    : window_(static_cast<int>(value_of(setting::window))),
      longest_ns_(static_cast<std::int64_t>(value_of(setting::poll_interval))) {
    inbox_.open();
}

poller& the_poller() noexcept {
    static base::never_destroyed<poller> instance;
    return *instance;
}

void poller::suspend(wait_record& record) {
    note(&counts::suspended);
    record.unit = core::current_unit();
    record.at = 0;
    if (record.kind == wait_kind::moment) {
        put_off(record);
    }
    sync::suspend_uncanceled(publish, &record, record.unit);
}

void poller::publish(void* record) noexcept {
    probe::acquire(record);  // pairs with: sync::suspend_uncanceled()
    the_poller().add(*static_cast<wait_record*>(record));
}

// The record is counted before it is pushed, because it may be released as soon as it is pushed,
// and the poller that releases it takes it off the count.
void poller::add(wait_record& record) noexcept {
    probe::chaos_point();
    // pairs with: sleep_word.hpp, sleep_unless(): it stores `asleep`; then waiting_ is loaded
    if (waiting_.fetch_add(1, std::memory_order_seq_cst) == 0) {
        sched::expect_events(+1);
    }
    probe::chaos_point();
    while (!inbox_.push(&record)) LAZULT_UNLIKELY {
        poll(eagerness::at_once);  // it is full, with four million records; a poll takes them out
    }
    sleeper_.wake();
}

bool poller::is_too_early(std::int64_t now, eagerness how) const noexcept {
    if (how == eagerness::at_once) {
        return false;
    }
    const std::int64_t interval = interval_ns_.load(std::memory_order_relaxed);
    const std::int64_t longest = how == eagerness::idle ? longest_idle_interval_ns : longest_ns_;
    return now - polled_ns_.load(std::memory_order_relaxed) < std::min(interval, longest);
}

int poller::poll(eagerness how) noexcept {
    if (!has_waiting()) LAZULT_LIKELY {
        return 0;
    }
    const std::int64_t now = os::now_ns();
    // pairs with: the store below, of the one before
    if (is_too_early(now, how) || polling_.exchange(true, std::memory_order_acquire)) {
        return 0;
    }
    polls_.increment();
    take_inbox();
    found_list found;
    deep([&] {
        const quiet_looks quiet;
        look_around(now, found);
        return MPI_SUCCESS;
    });
    back_off(now, found.first != nullptr);
    polling_.store(false, std::memory_order_release);  // pairs with: the exchange above
    return release(found.first);
}

void poller::take_inbox() noexcept {
    wait_record* fresh = inbox_.take_all();
    if (unqueued_ != nullptr) LAZULT_UNLIKELY {
        wait_record* last = unqueued_;
        while (last->next != nullptr) {
            last = last->next;
        }
        last->next = fresh;
        fresh = std::exchange(unqueued_, nullptr);
    }
    while (fresh != nullptr) {
        if (!queue_.reserve_one()) LAZULT_UNLIKELY {
            unqueued_ = fresh;
            return;
        }
        wait_record* const following = fresh->next;
        const bool is_single = fresh->kind == wait_kind::all && fresh->count == 1;
        queue_.push_back({fresh, is_single ? fresh->requests[0] : MPI_REQUEST_NULL, is_single});
        fresh = following;
    }
}

bool poller::is_over(const entry& e, std::int64_t now, int& misses) noexcept {
    if (e.is_single) LAZULT_LIKELY {
        const bool done = is_done(e.only);
        misses += done ? 0 : 1;
        return done;
    }
    switch (e.record->kind) {
        case wait_kind::all: return are_all_done(*e.record, misses);
        case wait_kind::any: return is_any_done(*e.record, misses, window_);
        case wait_kind::message: break;
        case wait_kind::moment: return now >= e.record->due_ns;
    }
    const bool come = has_come(*e.record);
    misses += come ? 0 : 1;
    return come;
}

bool poller::look_at(std::size_t position, std::int64_t now, int& misses,
                     found_list& found) noexcept {
    const entry e = queue_.at(position);
    looks_.increment();
    if (!is_over(e, now, misses)) {
        return false;
    }
    completions_.increment();
    queue_.take_out(position);
    *found.end = e.record;
    found.end = &e.record->next;
    return true;
}

// The wait that began first mostly ends first. Stops at the first one that has not ended.
void poller::look_at_oldest(std::int64_t now, found_list& found) noexcept {
    int misses = 0;
    while (queue_.size() != 0 && look_at(queue_.first(), now, misses, found)) {
    }
}

// Looks behind the wait that last ended out of turn: those that began after it mostly end next.
// Stops at the first one that has not ended.
void poller::look_at_next(std::int64_t now, found_list& found) noexcept {
    int misses = 0;
    while (misses == 0 && next_end_ > queue_.first() && next_end_ < queue_.end()) {
        if (queue_.at(next_end_)) {
            look_at(next_end_, now, misses, found);
        }
        next_end_ += misses == 0 ? 1 : 0;
    }
}

// The window goes round among the others, from where it ended last, and meets each of them once at
// most. Returns how wide it had to be for what it found.
int poller::look_at_others(std::int64_t now, found_list& found) noexcept {
    int misses = 0;
    int needed = 0;
    const std::size_t seen = next_end_;  // by look_at_next()
    for (std::size_t left = queue_.end() - queue_.first(); left > 1 && misses < breadth_; --left) {
        if (next_look_ <= queue_.first() || next_look_ >= queue_.end()) {
            next_look_ = queue_.first() + 1;
            continue;
        }
        if (queue_.at(next_look_) && next_look_ != seen &&
            look_at(next_look_, now, misses, found)) {
            needed = misses + 1;
            next_end_ = next_look_ + 1;
        }
        ++next_look_;
    }
    return needed;
}

// Each look at a wait that is not over costs a round of MPI's own progress, which one look has
// driven already. So the window is looked at if no wait ended in turn. It is narrow, and widens if
// waits are seen to end out of turn. Now and then it is wide, to see whether they do, if that takes
// little of the time.
void poller::look_around(std::int64_t now, found_list& found) noexcept {
    look_at_oldest(now, found);
    look_at_next(now, found);
    const bool is_wide = now >= wide_look_ns_;
    breadth_ = is_wide ? window_ : breadth_;
    if (is_wide || breadth_ > 1 || found.first == nullptr) {
        breadth_ = std::clamp(2 * look_at_others(now, found), 1, window_);
    }
    if (is_wide) {
        wide_look_ns_ = now + std::clamp((os::now_ns() - now) * wide_look_share,
                                         between_wide_looks_ns, longest_between_wide_looks_ns);
    }
    *found.end = nullptr;
}

void poller::back_off(std::int64_t now, bool found) noexcept {
    const std::int64_t doubled =
        std::max(interval_ns_.load(std::memory_order_relaxed) * 2, shortest_interval_ns);
    const std::int64_t longest = std::max(longest_ns_, longest_idle_interval_ns);
    interval_ns_.store(found ? 0 : std::min(doubled, longest), std::memory_order_relaxed);
    polled_ns_.store(now, std::memory_order_relaxed);
}

int poller::release(wait_record* first) noexcept {
    if (first == nullptr) {
        return 0;
    }
    core::worker* const w = core::this_worker_or_null();
    if (runs_newest_first(w, *first->unit)) {
        first = reversed(first);
    }
    int released = 0;
    while (first != nullptr) {
        probe::chaos_point();
        wait_record* const following = first->next;
        core::make_ready(w, first->unit);
        ++released;
        first = following;
    }
    const auto number = static_cast<std::uint32_t>(released);
    // pairs with: sleep_word.hpp, sleep_unless(); nothing hangs on it but whether somebody polls
    if (waiting_.fetch_sub(number, std::memory_order_seq_cst) == number) {
        sched::expect_events(-1);
    }
    return released;
}

}  // namespace lazult::mpi
