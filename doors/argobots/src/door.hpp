// SPDX-License-Identifier: BSD-3-Clause
// Declarations that all files of the door share. Each group names the header or source file that
// it belongs to. So a file need include only this header and those of its own part.
#pragma once

#include "handles/arena.hpp"
#include "handles/handles.hpp"
#include "runtime/caller.hpp"
#include "runtime/refusing.hpp"
#include "threads/thread_part.hpp"

namespace lazult::abt {

// --- pools (pool.hpp). A handle is the address of the ready_pool, which is the first base of every
// pool of the door.
inline sched::ready_pool* checked_pool(ABT_pool handle) noexcept {
    return arena::is_live<kind::pool>(handle) ? reinterpret_cast<sched::ready_pool*>(handle)
                                              : nullptr;
}
inline ABT_pool to_handle(const core::pool* p) noexcept {
    return p == nullptr ? as_null(ABT_POOL_NULL)
                        : reinterpret_cast<ABT_pool>(const_cast<core::pool*>(p));
}
int pool_id(const core::pool& p) noexcept;
// Written by a user: its units are the user's too, and pushing to it calls the user.
bool is_users_pool(const core::pool& p) noexcept;
// Whether yield_to may take units out of it: built in, or with the functions for that.
bool can_remove(const core::pool& p) noexcept;

// --- units (unit.hpp)
// The unit by which its pool knows it.
ABT_unit unit_of(work_unit& u) noexcept;
// nullptr: not a unit of anybody's.
work_unit* thread_of(ABT_unit unit) noexcept;
// Prepares a new work unit for its home, which is set already. If that home is a user's pool, the
// work unit gets its unit. SUCCESS, MEM, or UNIT.
int enter_first_pool(work_unit& u) noexcept;
// From one home to another. The work unit is in no pool. SUCCESS, MEM, or UNIT, and then nothing
// has changed.
int associate(work_unit& u, sched::ready_pool& target) noexcept;
// Frees the user's unit, if it has one. When the work unit is freed.
void leave_last_pool(work_unit& u) noexcept;

// --- execution streams (xstream.hpp)
struct xstream_object;
xstream_object* checked_xstream(ABT_xstream handle) noexcept;
ABT_xstream to_handle(xstream_object* x) noexcept;
// Of a thread that runs units of this door; nullptr elsewhere.
xstream_object* xstream_of(const worker& w) noexcept;
// Where it ran last; nullptr: nowhere yet.
xstream_object* last_xstream_of(const work_unit& u) noexcept;
int rank_of(const xstream_object& x) noexcept;
bool is_primary(const xstream_object& x) noexcept;
int root_pool_id_of(const xstream_object& x) noexcept;
// Of the stack that its main scheduler runs on, in bytes.
std::size_t main_stack_size_of(const xstream_object& x) noexcept;
// Pool 0 of its main scheduler.
sched::ready_pool* main_pool_of(const xstream_object& x) noexcept;

// The first running one but this for which a visitor says true; nullptr: none.
xstream_object* find_running_xstream(const xstream_object* but,
                                     bool (*fits)(xstream_object&, void*), void* argument) noexcept;

// --- schedulers (sched.hpp)
struct sched_object;
sched_object* checked_sched(ABT_sched handle) noexcept;
sched_object* main_sched_of(const xstream_object& x) noexcept;
bool has_pool(const sched_object& s, const core::pool& p) noexcept;
// Where a unit goes that is to migrate to the scheduler, as its get_migr_pool says; nullptr:
// nowhere.
sched::ready_pool* migration_pool_of(sched_object& s) noexcept;

// --- threads
// The record that few units need. nullptr: out of memory. (thread_record.hpp)
thread_record* record_of(work_unit& u) noexcept;
// Attributes of units for which nobody asked for anything, composed by ABT_init after the settings
// are known. (thread_create.hpp)
void compose_thread_defaults() noexcept;
// Frees a unit that has ended, or was never launched. (thread_record.cpp)
void free_unit(worker* w, work_unit* u) noexcept;

}  // namespace lazult::abt
