// SPDX-License-Identifier: BSD-3-Clause
// Execution streams of the door. The handle's object survives its OS thread: it may be joined and
// revived.
#pragma once

#include "schedulers/sched.hpp"
#include "units/xstream_numbers.hpp"

#include <vector>

namespace lazult::abt {

struct main_replacement;

// Legal transitions: running -> terminated, by the stream's end; terminated -> running, by a
// revival.
enum class xstream_life : std::uint8_t { running, terminated };

// field      written by                        read by                         order
// rank       create, set_rank (the list's lock)  anybody                         relaxed
// life       its own OS thread, revival        anybody                         release / acquire
// main       create; set_main_sched (the lock)   its own units; others to ask it (the lock), or as
//                                                documented
// stream     create, join, revival             the same                        the caller's, as
//                                                                              documented
// identity   create                            its main scheduler's own code   the start
// has_ended  its own OS thread                 joiners                         the event's own
// cpus       its binder                        the same                        the caller's duty
// main_stack create; set_main_sched (the lock)   anybody                         relaxed: a number
//                                                                                for queries
// next       under the list's lock
struct xstream_object {
    static constexpr kind arena_kind = kind::xstream;

    ds::default_atomics::atomic<int> rank{-1};
    std::uint16_t number = 0;  // never changes: see xstream_numbers.hpp
    bool is_primary = false;
    // in Argobots each stream has a pool for its main scheduler, which takes an id
    int root_pool_id = 0;
    ds::default_atomics::atomic<xstream_life> life{xstream_life::terminated};
    sched_object* main = nullptr;
    ds::default_atomics::atomic<std::size_t> main_stack{0};  // bytes of the main scheduler's stack
    sched::stream* stream = nullptr;
    work_unit* identity = nullptr;  // as which main schedulers' own code is known
    sync::event_cell has_ended;
    main_replacement* replacement =
        nullptr;            // its own OS thread's: one that waits for the old scheduler's end
    std::vector<int> cpus;  // bound to; empty: none
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
// Of a thread that runs units of this door; nullptr elsewhere.
inline xstream_object* xstream_of(const worker& w) noexcept {
    return reinterpret_cast<xstream_object*>(running_xstream(w));
}
// Where it ran last; nullptr: nowhere yet.
inline xstream_object* last_xstream_of(const work_unit& u) noexcept {
    return reinterpret_cast<xstream_object*>(
        xstream_numbered(u.ran_on.load(std::memory_order_relaxed)));
}
inline int rank_of(const xstream_object& x) noexcept {
    return x.rank.load(std::memory_order_relaxed);
}
// Of the stack that its main scheduler runs on, in bytes.
inline std::size_t main_stack_size_of(const xstream_object& x) noexcept {
    return x.main_stack.load(std::memory_order_relaxed);
}
// Pool 0 of its main scheduler.
inline sched::ready_pool* main_pool_of(const xstream_object& x) noexcept {
    return x.main == nullptr || x.main->pools().empty() ? nullptr : x.main->pools().front();
}

// --- the list of all that are not freed

void for_each_xstream(void (*visit)(xstream_object&, void*), void* argument) noexcept;
int count_xstreams() noexcept;
// The first running one but this for which a visitor says true; nullptr: none.
xstream_object* find_running_xstream(const xstream_object* but,
                                     bool (*fits)(xstream_object&, void*), void* argument) noexcept;
// Gives it a rank and a number and enters it. SUCCESS; INV_XSTREAM_RANK: taken; MEM: too many.
// Negative: the lowest free one.
int enter_xstream(xstream_object& x, int rank) noexcept;
void remove_xstream(xstream_object& x) noexcept;
// False when another one has it.
bool change_rank(xstream_object& x, int rank) noexcept;

// --- its main scheduler, under the list's lock: another one may take over at any moment, and the
// one before is freed then

void ask_main_sched(xstream_object& x, sched_request what) noexcept;
// Returns the one before. The next one heeds what that was asked.
sched_object& exchange_main_sched(xstream_object& x, sched_object& next) noexcept;

}  // namespace lazult::abt
