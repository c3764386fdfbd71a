// SPDX-License-Identifier: BSD-3-Clause
// Schedulers of the door: a scheduler of the core, and what Argobots keeps with it.
#pragma once

#include "pools/pool.hpp"
#include "units/caller.hpp"

#include <memory>
#include <span>

namespace lazult::abt {

// What a scheduler is used for. Legal transitions:
//   none -> main -> none     a stream takes it, and gives it back
//   none -> in_pool -> none  it is pushed to a pool as a unit, and that unit is freed
enum class sched_use : std::uint8_t { none, main, in_pool };

// Bits of sched_object::requests.
enum sched_request : std::uint32_t {
    sched_finish = 1,   // end when no unit is left
    sched_exit = 2,     // end now
    sched_replace = 4,  // end when no unit is left, because another scheduler takes the stream over
};

// field         written by                      read by                  order
// requests      anybody                         its own stream           release / acquire
// used          creators and enders of streams  the writers; anybody     CAS acq_rel
//                                               as a hint
// data          the user                        the user                 the user's duty
// took_over     replace_main_sched              its new stream           ordered by the core
// the others    the creator, before the handle is given out
struct sched_object {
    static constexpr kind arena_kind = kind::sched;

    ABT_sched_def def{};  // all zero if the scheduler is one of the library's
    ABT_sched_predef predef = ABT_SCHED_DEFAULT;
    bool is_users = false;
    bool is_automatic = false;
    void* data = nullptr;
    ds::default_atomics::atomic<std::uint32_t> requests{0};
    ds::default_atomics::atomic<sched_use> used{sched_use::none};
    std::unique_ptr<sched::scheduler> scheduler;
    // nullptr, or called once when the scheduler takes a running stream over, in its own code
    // before it runs a unit.
    void (*took_over)(worker&) = nullptr;

    ABT_sched handle() noexcept { return abt::to_handle(this); }
    std::span<sched::ready_pool* const> pools() const noexcept { return scheduler->pools(); }
};

inline sched_object* checked_sched(ABT_sched handle) noexcept {
    return checked<sched_object>(handle);
}

// --- life

inline bool is_given(const ABT_pool* pools, std::size_t i) noexcept {
    return pools != nullptr && !is_null(pools[i]);
}
// Frees the scheduler without calling the user's free. Automatic pools that no other scheduler has
// are freed, too; with `by_force`, all pools. With `keeps_given`, the pools in `given` stay with
// the caller.
void dismantle_sched(sched_object& s, const ABT_pool* given, bool keeps_given,
                     bool by_force) noexcept;
// Calls the user's free, then dismantle_sched(). The scheduler is not in use.
void free_sched(sched_object& s, bool by_force = false) noexcept;
// Frees a scheduler that was created from the pools `given` for a purpose that then failed. These
// pools stay with the caller.
void abandon_sched(sched_object& s, const ABT_pool* given) noexcept;

// Returns the size of the stack that the scheduler runs on, in bytes.
std::size_t stack_size_of(const sched_object& s) noexcept;

// --- use

// Marks the scheduler as used. Returns false if it is in use already.
bool take_sched(sched_object& s, sched_use how) noexcept;
void give_sched_back(sched_object& s) noexcept;

// Sends the scheduler a request and wakes it. Any OS thread may call this.
void ask(sched_object& s, sched_request what) noexcept;
// Clears all requests. Called before the scheduler starts to run, or starts again.
void forget_requests(sched_object& s) noexcept;
// Returns true if a pool of the scheduler has a unit, or will get back a unit that only this
// scheduler serves.
bool has_units(const sched_object& s) noexcept;
// A last look, after has_units() has found none: returns true if there is none either while spare
// streams hide no units.
bool has_nothing_lent(const sched_object& s) noexcept;
// Returns true if the running scheduler must end. Called by its own stream.
bool has_to_stop(const sched_object& s) noexcept;

bool has_pool(const sched_object& s, const core::pool& p) noexcept;
// Returns the pool for a unit that migrates to this scheduler, as its get_migr_pool says, or
// nullptr if there is none.
sched::ready_pool* migration_pool_of(sched_object& s) noexcept;

// Called when the unit that stood for a stacked scheduler is freed. Frees an automatic scheduler.
void stacked_sched_ended(sched_object& s) noexcept;

inline bool is_asked_to_exit(const sched_object& s) noexcept {
    // relaxed: a hint; has_to_stop() has the last word
    return (s.requests.load(std::memory_order_relaxed) & sched_exit) != 0;
}

}  // namespace lazult::abt
