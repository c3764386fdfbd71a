// SPDX-License-Identifier: BSD-3-Clause
// ULTs that wait for MPI, and the poller, which looks whether their waits are over.
//
// A ULT that waits keeps a record on its own stack. Once its context is saved, the record goes to
// an inbox, and from there into the queue of the poller. One thread polls at a time:
// - It looks at the oldest records until one is not done, and then at those behind the record that
//   last ended out of turn.
// - Then, if it found nothing or if waits end out of turn, it looks at a window, which goes round
//   among the other records and has at most LAZULT_MPI_WINDOW that are not done.
// - It makes a ULT ready if the ULT's wait is over.
// The poller only looks. MPI_Request_get_status leaves the request as it is, and the ULT completes
// it itself, with the test that it had tried before. So statuses, error codes and error handlers
// are those of the caller's own call, in the caller's own context. A request of several waits is
// handed back by forgetting it. A ULT that is resumed in vain, because another thread took the
// message or the request, waits again.
//
// The life of a record. Each step is taken once, by one thread:
//   made      the waiting ULT, which tested and found nothing
//   pushed    by what runs next on its stream, when the ULT's context is saved (suspend's `after`)
//   taken     by a poller, from the inbox into the queue
//   released  by a poller that found it done: it leaves the queue first, and the record may be gone
//             from then on
//
// No wake-up is lost.
// - What MPI completes stays completed until the ULT's own test. It does not matter when that
//   happens: before the push, between push and look, or later, the next look finds it. There is no
//   event to miss, only a state to look at.
// - A record that was pushed is taken by the next poll (inbox: push releases, take_all acquires,
//   and carries what the ULT wrote), and no look at it can come before its context was saved. It
//   leaves the queue only when it is released.
// - There is a next poll while `waiting_` is not 0. (a) The stream that pushed is awake, and
//   `waiting_` counted the record before that: its scheduler polls once in LAZULT_EVENT_PERIOD
//   scheduling points, and before it sleeps it sees awaits_events() and sleeps with a deadline
//   only. (b) Where schedulers do not poll at all, or all streams are busy within units, the door's
//   own thread does: see sleep_word.hpp, which also says why it cannot oversleep.
//
// field      written by                     read by             order
// inbox_     see ds/inbox.hpp
// waiting_   add (+), poll (-)              anybody             seq_cst: see sleep_word.hpp
// polling_   poll                           poll                exchange acquire, store release:
//                                                               guards what follows
// queue_..   the holder of polling_         the same            polling_'s
// polled_ns_, interval_ns_  the holder      poll                relaxed: hints
// polls_..   the holder of polling_         anybody             relaxed, see core::counter
#pragma once

#include "adapt/ordered_queue.hpp"
#include "adapt/sleep_word.hpp"
#include "adapt/wait_record.hpp"

#include <cstdint>

namespace lazult::mpi {

// What a poll is made for, and so how back-off limits it.
enum class eagerness : std::uint8_t {
    // others have work: polls that find nothing come more and more rarely, up to
    // LAZULT_MPI_POLL_INTERVAL
    busy,
    idle,  // no other work: more and more rarely, too, but up to 200 ns
    at_once
};

class poller {
public:
    poller() noexcept;

    // Suspends the calling ULT until a poll finds that what the record is about has come.
    void suspend(wait_record& record);
    // Any thread. How many ULTs it made ready: 0 also when another one polls now, or when it is too
    // early.
    int poll(eagerness how) noexcept;

    // Of the door's own thread, which polls when nobody else did for a while.
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
        // of a wait for one: a look need not fetch the ULT's stack
        MPI_Request only = MPI_REQUEST_NULL;
        bool is_single = false;

        explicit operator bool() const noexcept { return record != nullptr; }
    };

    // Those that are over, in the order in which they were found.
    struct found_list {
        wait_record* first = nullptr;
        wait_record** end = &first;
    };

    static void publish(void* record) noexcept;
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
    sleep_word sleeper_;  // add() uses both
    alignas(base::cache_line) atomics::atomic<bool> polling_{false};
    atomics::atomic<std::int64_t> polled_ns_{0};
    atomics::atomic<std::int64_t> interval_ns_{0};
    int window_;
    std::int64_t longest_ns_;
    ordered_queue<entry> queue_;
    std::size_t next_look_ = 0;        // among others than the oldest: the window's beginning
    std::size_t next_end_ = 0;         // the position that should end next, if not the oldest
    int breadth_ = 1;                  // the window's width: how many it may meet that are not done
    std::int64_t wide_look_ns_ = 0;    // when it shall be as wide as it may
    wait_record* unqueued_ = nullptr;  // taken while there was no memory for a larger queue
    core::counter polls_;
    core::counter looks_;
    core::counter completions_;
};

poller& the_poller() noexcept;

}  // namespace lazult::mpi
