// SPDX-License-Identifier: BSD-3-Clause
// Execution streams of the door. The handle's object survives its OS thread: it may be joined and
// revived.
#pragma once

#include "door.hpp"
#include "schedulers/sched.hpp"

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
    std::uint16_t place = 0;  // never changes: see last_xstream_of()
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

// --- the list of all that are not freed

// A place is a number for the core's sake: it notes in two bytes where a unit ran last. The first
// one means nowhere.
inline constexpr std::size_t place_count = 65536;
// field     written by         read by    order
// at_place  under lock         anybody    release / acquire
LAZULT_HIDDEN extern constinit ds::default_atomics::atomic<xstream_object*> at_place[place_count];

// Of a thread that runs units of this door, which keeps it; nullptr elsewhere.
inline xstream_object* running_xstream(const worker& w) noexcept {
    return at_place[w.place].load(
        std::memory_order_acquire);  // pairs with: enter_xstream(), store of at_place
}

void for_each_xstream(void (*visit)(xstream_object&, void*), void* argument) noexcept;
int count_xstreams() noexcept;
// Gives it a rank and a place and enters it. SUCCESS; INV_XSTREAM_RANK: taken; MEM: too many.
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

// --- life

// An object that is in the list, with its scheduler taken and without a stream. SUCCESS;
// INV_XSTREAM_RANK, MEM.
int make_xstream(sched_object& main, int rank, xstream_object** made) noexcept;
// Of one that does not run. The scheduler is given back, or freed if it is automatic.
void unmake_xstream(xstream_object& x, bool frees_sched) noexcept;
// SUCCESS; INV_SCHED: a pool of the scheduler's is private to another stream; MEM.
int start_xstream(xstream_object& x) noexcept;
// Asks it to end when nothing is left, and waits for that. Does nothing if that is done.
void join_xstream(xstream_object& x) noexcept;

// --- binding (affinity.cpp)

// Notes the CPUs that the process has, before any stream is bound: by ABT_init. False when memory
// is exhausted.
bool remember_cpus() noexcept;
// The CPUs that a stream of this rank gets when all are bound. False when memory is exhausted.
bool choose_default_cpus(int rank, std::vector<int>* cpus) noexcept;

}  // namespace lazult::abt
