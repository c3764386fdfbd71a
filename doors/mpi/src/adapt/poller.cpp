// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/poller.hpp"

#include "adapt/counts.hpp"
#include "adapt/deep.hpp"
#include "adapt/settings.hpp"
#include "adapt/wait_words.hpp"
#include "library/library.hpp"

#include "lazult/sched/sched.hpp"
#include "lazult/sync/sync.hpp"

#include <algorithm>
#include <utility>

namespace lazult::mpi {
namespace {

constexpr std::int64_t shortest_interval_ns = 100;
constexpr std::int64_t longest_idle_interval_ns = 200;
// The pause between wide looks is 16 times as long as the last one took, within bounds. The upper
// bound is for a look during which the thread lost its processor.
constexpr std::int64_t between_wide_looks_ns = 5'000;
constexpr std::int64_t wide_look_share = 16;
constexpr std::int64_t longest_between_wide_looks_ns = 500'000;
constexpr std::int64_t shortest_moment_ns = 1'000;
constexpr std::int64_t longest_moment_ns = 100'000;

// Sets the delay of a wait of kind `moment`: twice the last delay, within bounds.
LAZULT_NOINLINE void put_off(wait_record& record) noexcept {
    record.while_ns = std::clamp(record.while_ns * 2, shortest_moment_ns, longest_moment_ns);
    record.due_ns = os::now_ns() + record.while_ns;
}

// Returns true also for a failed request: the ULT's own test then fails, and reports the error.
bool is_done(MPI_Request request) noexcept {
    int flag = 0;
    return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS || flag != 0;
}

bool has_come(const wait_record& record) noexcept {
    int flag = 0;
    return PMPI_Iprobe(record.source(), record.tag(), record.comm, &flag, MPI_STATUS_IGNORE) !=
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

// Looks on from where the last call stopped, until one request is done or `most` were not done.
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

// Returns true if this worker takes ready units like `unit` newest first. ULTs shall run in the
// order in which their waits were found over, because their peers wait for them in that order.
// Waits that end out of order cost looks that find nothing.
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

poller& the_poller() noexcept { return base::the_only<poller>(); }

void poller::suspend(wait_record& record) {
    note(&counts::suspended);
    record.note.unit = core::current_unit();
    record.at = 0;
    if (record.kind == wait_kind::moment) {
        put_off(record);
    }
    record.note.self = &record.note;
    sync::suspend_uncanceled(publish, &record, record.note.unit);
}

const core::told_suspension poller::told(publish, [](void* record) noexcept {
    trace_wait(*static_cast<const wait_record*>(record));
});

void poller::publish(void* record) noexcept {
    probe::acquire(record);  // pairs with: sync::suspend_uncanceled()
    the_poller().add(*static_cast<wait_record*>(record));
}

// Counts the record before it pushes it, because another thread's poll may release a pushed record
// at once, and then subtracts it from the count.
void poller::add(wait_record& record) noexcept {
    probe::chaos_point();
    // pairs with: sleep_word.hpp, sleep_unless(): it stores `asleep`; then waiting_ is loaded
    if (waiting_.fetch_add(1, std::memory_order_seq_cst) == 0) {
        sched::expect_events(+1);
    }
    probe::chaos_point();
    while (!inbox_.push(&record)) LAZULT_UNLIKELY {
        poll(eagerness::at_once);  // the inbox is full, at four million records; a poll empties it
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
    // pairs with: the store below, by the poll before this one
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

// Looks at the oldest waits up to the first that is not over, because the oldest mostly end first.
void poller::look_at_oldest(std::int64_t now, found_list& found) noexcept {
    int misses = 0;
    while (queue_.size() != 0 && look_at(queue_.first(), now, misses, found)) {
    }
}

// Looks at the waits behind the one that last ended out of turn, up to the first that is not over,
// because these mostly end next.
void poller::look_at_next(std::int64_t now, found_list& found) noexcept {
    int misses = 0;
    while (misses == 0 && next_end_ > queue_.first() && next_end_ < queue_.end()) {
        if (queue_.at(next_end_)) {
            look_at(next_end_, now, misses, found);
        }
        next_end_ += misses == 0 ? 1 : 0;
    }
}

// Looks at the other waits in turn, from where the last call ended. Stops after `breadth_` requests
// that are not done, or when it has met each wait once. Returns how wide the window had to be for
// the last wait that it found over, 0 if it found none.
int poller::look_at_others(std::int64_t now, found_list& found) noexcept {
    int misses = 0;
    int needed = 0;
    const std::size_t seen = next_end_;  // look_at_next() stopped here
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

// Looks at the waits that should end next, and perhaps at a window of the others. A look at a wait
// that is not over costs a round of MPI's progress, which the first such look has driven already.
// So the window is looked at in three cases: no wait ended in turn; the window is wider than 1,
// because waits ended out of turn lately; or a wide look is due. Wide looks find out whether waits
// end out of turn. They are rare, so that they take little of the time.
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

// Doubles the time to the next poll if this poll found nothing, else makes it 0.
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
    if (runs_newest_first(w, *first->note.unit)) {
        first = reversed(first);
    }
    int released = 0;
    while (first != nullptr) {
        probe::chaos_point();
        wait_record* const following = first->next;
        first->note.self = nullptr;
        core::make_ready(w, first->note.unit);
        ++released;
        first = following;
    }
    const auto number = static_cast<std::uint32_t>(released);
    // pairs with: sleep_word.hpp, sleep_unless(); a thread that loads the old count polls in vain
    if (waiting_.fetch_sub(number, std::memory_order_seq_cst) == number) {
        sched::expect_events(-1);
    }
    return released;
}

}  // namespace lazult::mpi
