// SPDX-License-Identifier: BSD-3-Clause
// The poller: suspends ULTs that wait for MPI, and looks whether their waits are over.
//
// A ULT that waits keeps a record on its own stack. Once the ULT's context is saved, the record
// goes to an inbox, and from there into the poller's queue. One thread polls at a time:
// - It looks at the oldest records until one is not done, and then at those behind the record that
//   last ended out of turn.
// - If it found nothing, or if waits end out of turn, it then looks at a window, which goes round
//   among the other records and has at most LAZULT_MPI_WINDOW requests that are not done.
// - It makes a ULT ready if the ULT's wait is over.
// The poller only looks: MPI_Request_get_status leaves a request as it is, and the ULT completes
// the request by its own test. So statuses, error codes and error handlers are those of the
// caller's own call, in the caller's own context. When a wait for any of several requests is over,
// nothing need be undone for the other requests. If another thread has taken the message or the
// request, the resumed ULT's test finds nothing, and the ULT waits again.
//
// The life of a record. Each step is taken once, by one thread:
//   made      by the waiting ULT, if its first test found nothing or was left out
//   pushed    by the code that runs next on the ULT's stream, once the ULT's context is saved
//   taken     by a poll, from the inbox into the queue
//   released  by a poll that found the wait over. The poll takes the record out of the queue before
//             it makes the ULT ready, because the record may be gone from then on
//
// No wake-up is lost:
// - What MPI completes stays completed until the ULT's own test. So it does not matter whether MPI
//   completes it before the push, between push and look, or later: the next look finds it.
// - The next poll takes a record that was pushed. push() of the inbox releases and take_all()
//   acquires, so the poll sees what the ULT wrote, and the ULT's context is saved before any look.
//   The record leaves the queue only when it is released.
// - There is a next poll while `waiting_` is not 0. (a) The stream that pushed the record is awake,
//   and had counted the record before. Its scheduler polls once in LAZULT_EVENT_PERIOD scheduling
//   points. Before it sleeps, it calls awaits_events(), and then sleeps with a deadline only.
//   (b) If schedulers do not poll, or all streams are busy within units, the door's own thread
//   polls. sleep_word.hpp says why this thread cannot oversleep.
//
// field      written by                     read by             order
// inbox_     see ds/inbox.hpp
// waiting_   add (+), poll (-)              any thread          seq_cst: see sleep_word.hpp
// polling_   poll                           poll                exchange acquire, store release:
//                                                               orders the fields below
// queue_..   the holder of polling_         the same            plain: polling_ orders it
// polled_ns_, interval_ns_  the holder      poll                relaxed: hints
// polls_..   the holder of polling_         any thread          relaxed, see core::counter
#pragma once

#include "adapt/ordered_queue.hpp"
#include "adapt/sleep_word.hpp"
#include "adapt/wait_record.hpp"

#include <cstdint>

namespace lazult::mpi {

// Why a poll is made, which decides how long it is put off after polls that found nothing.
enum class eagerness : std::uint8_t {
    // The stream has units to run: after each poll that finds nothing, the next one is put off
    // twice as long, up to LAZULT_MPI_POLL_INTERVAL.
    busy,
    idle,    // the stream has no units to run: the same, but up to 200 ns
    at_once  // never put off
};

class poller {
public:
    poller() noexcept;

    // Suspends the calling ULT until a poll finds that the wait in `record` is over.
    static void suspend(wait_record& record);
    // Looks whether waits are over, and makes their ULTs ready. Any thread may call. Returns how
    // many ULTs it made ready: 0 also if another thread polls now, or if it is too early.
    int poll(eagerness how) noexcept;

    // The word on which the door's own thread sleeps: it polls if no stream has polled for a while.
    sleep_word& sleeper() noexcept { return sleeper_; }

    bool has_waiting() const noexcept { return waiting_count() != 0; }
    std::uint32_t waiting_count() const noexcept {
        return waiting_.load(std::memory_order_seq_cst);  // pairs with: add(); see sleep_word.hpp
    }
    std::uint64_t polls() const noexcept { return polls_.get(); }
    std::uint64_t looks() const noexcept { return looks_.get(); }
    std::uint64_t completions() const noexcept { return completions_.get(); }

private:
    using atomics = ds::default_atomics;

    struct entry {
        wait_record* record = nullptr;
        // The request, if there is only one: a look need not read the record on the ULT's stack.
        MPI_Request only = MPI_REQUEST_NULL;
        bool is_single = false;

        explicit operator bool() const noexcept { return record != nullptr; }
    };

    // The records of waits that are over, in the order in which they were found.
    struct found_list {
        wait_record* first = nullptr;
        wait_record** end = &first;
    };

    static void publish(void* record) noexcept;
    static const core::told_suspension told;
    void add(wait_record& record) noexcept;
    bool is_too_early(std::int64_t now, eagerness how) const noexcept;
    void take_inbox() noexcept;
    void look_around(std::int64_t now, found_list& found) noexcept;
    bool look_at(std::size_t position, std::int64_t now, int& misses, found_list& found) noexcept;
    void look_at_oldest(std::int64_t now, found_list& found) noexcept;
    void look_at_next(std::int64_t now, found_list& found) noexcept;
    int look_at_others(std::int64_t now, found_list& found) noexcept;
    bool is_over(const entry& e, std::int64_t now, int& misses) noexcept;
    void back_off(std::int64_t now, bool found) noexcept;
    int release(wait_record* first) noexcept;

    ds::inbox<wait_record, &wait_record::next> inbox_;
    alignas(base::cache_line) atomics::atomic<std::uint32_t> waiting_{0};
    sleep_word sleeper_;  // in the cache line of waiting_, because add() uses both
    alignas(base::cache_line) atomics::atomic<bool> polling_{false};
    // The time of the last poll, and how long after it the next one may come.
    atomics::atomic<std::int64_t> polled_ns_{0};
    atomics::atomic<std::int64_t> interval_ns_{0};
    // LAZULT_MPI_WINDOW and LAZULT_MPI_POLL_INTERVAL.
    int window_;
    std::int64_t longest_ns_;
    ordered_queue<entry> queue_;
    std::size_t next_look_ = 0;        // the position where the window of look_at_others() begins
    std::size_t next_end_ = 0;         // the position behind the wait that last ended out of turn
    int breadth_ = 1;                  // how many requests that are not done the window may meet
    std::int64_t wide_look_ns_ = 0;    // the time when the next wide look is due
    wait_record* unqueued_ = nullptr;  // taken from the inbox while the queue could not grow
    core::counter polls_;
    core::counter looks_;
    core::counter completions_;
};

poller& the_poller() noexcept;

}  // namespace lazult::mpi
