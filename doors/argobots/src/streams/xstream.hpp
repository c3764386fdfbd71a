// SPDX-License-Identifier: BSD-3-Clause
// Execution streams of the door. The object behind a handle outlives its OS thread, because a
// stream that has ended may be joined, and revived.
#pragma once

#include "schedulers/sched.hpp"
#include "units/xstream_numbers.hpp"

#include <vector>

namespace lazult::abt {

struct main_replacement;

// Legal transitions:
//   running -> terminated  the stream ends
//   terminated -> running  the stream starts, or is revived
enum class xstream_life : std::uint8_t { running, terminated };

// field      written by                         read by                order
// rank       create, set_rank (the list's lock) anybody                relaxed
// life       its own OS thread, revival         anybody                release / acquire
// main       create; set_main_sched (the lock)  its own units; others  the lock, or the rules in
//                                               that ask it            abt/xstream.h
// stream     create, join, revival              create, join, revival  the rules in abt/xstream.h
// identity   create                             its main scheduler     the start
// has_ended  its own OS thread                  joiners                that of event_cell
// cpus       callers that bind the stream       those, and queries     the caller's duty
// main_stack create; set_main_sched (the lock)  anybody                relaxed: for queries
// next       under the list's lock
struct xstream_object {
    static constexpr kind arena_kind = kind::xstream;

    ds::default_atomics::atomic<int> rank{-1};
    std::uint16_t number = 0;  // as in xstream_numbers.hpp; it never changes
    bool is_primary = false;
    // The pool id that Argobots would give to this stream's root pool, which holds its main
    // scheduler. Lazult has no such pool.
    int root_pool_id = 0;
    ds::default_atomics::atomic<xstream_life> life{xstream_life::terminated};
    sched_object* main = nullptr;
    // The size of the main scheduler's stack, in bytes.
    ds::default_atomics::atomic<std::size_t> main_stack{0};
    sched::stream* stream = nullptr;
    work_unit* identity = nullptr;  // the unit that stands for the main scheduler's own code
    sync::event_cell has_ended;
    // The pending replacement of the main scheduler, or nullptr. Only its own OS thread uses it.
    main_replacement* replacement = nullptr;
    std::vector<int> cpus;  // the processors that it is bound to; empty: not bound
    xstream_object* next = nullptr;

    ABT_xstream handle() noexcept { return abt::to_handle(this); }
    bool is_running() const noexcept {
        // acquire pairs with: note_end(), and the start, stores of life
        return life.load(std::memory_order_acquire) == xstream_life::running;
    }
};

inline xstream_object* checked_xstream(ABT_xstream handle) noexcept {
    return checked<xstream_object>(handle);
}
// Returns the stream of the door that the calling OS thread is, or nullptr if it is none. `w` is
// the caller's worker.
inline xstream_object* xstream_of(const worker& w) noexcept {
    return reinterpret_cast<xstream_object*>(running_xstream(w));
}
// Returns the stream where the unit ran last, or nullptr if it never ran.
inline xstream_object* last_xstream_of(const work_unit& u) noexcept {
    return reinterpret_cast<xstream_object*>(
        xstream_numbered(u.ran_on.load(std::memory_order_relaxed)));
}
inline int rank_of(const xstream_object& x) noexcept {
    return x.rank.load(std::memory_order_relaxed);
}
// Returns the size of the stack that the stream's main scheduler runs on, in bytes.
inline std::size_t main_stack_size_of(const xstream_object& x) noexcept {
    return x.main_stack.load(std::memory_order_relaxed);
}
// Returns the first pool of the stream's main scheduler, or nullptr if it has none.
inline sched::ready_pool* main_pool_of(const xstream_object& x) noexcept {
    return x.main == nullptr || x.main->pools().empty() ? nullptr : x.main->pools().front();
}

// --- the list of all streams that are not freed

void for_each_xstream(void (*visit)(xstream_object&, void*), void* argument) noexcept;
int count_xstreams() noexcept;
// Returns the first running stream, except `but`, for which `fits` returns true, or nullptr.
xstream_object* find_running_xstream(const xstream_object* but,
                                     bool (*fits)(xstream_object&, void*), void* argument) noexcept;
// Gives the stream a number and a rank, and enters it in the list. A negative rank means the lowest
// free one. Returns SUCCESS, INV_XSTREAM_RANK if the rank is taken, or MEM if there are too many
// streams.
int enter_xstream(xstream_object& x, int rank) noexcept;
void remove_xstream(xstream_object& x) noexcept;
// Returns false if another stream has this rank.
bool change_rank(xstream_object& x, int rank) noexcept;

// --- the main scheduler of a stream: these functions take the list's lock, because another
// scheduler may take over at any moment, and the old one may be freed then

void ask_main_sched(xstream_object& x, sched_request what) noexcept;
// Makes `next` the main scheduler and returns the old one. Requests that the old one has not obeyed
// are sent to `next`.
sched_object& exchange_main_sched(xstream_object& x, sched_object& next) noexcept;

}  // namespace lazult::abt
