// SPDX-License-Identifier: BSD-3-Clause
// The data that only few units need. A unit's record is made on first use and freed with the unit.
#pragma once

#include "units/key_table.hpp"
#include "units/thread_part.hpp"
#include "units/tool_notes.hpp"

namespace lazult::abt {

// field         written by                  read by                     order
// keys          anybody                     anybody                     see key_table.hpp
// migrated...   set_migration_callback()    the unit's runner           the interface forbids to
//                                                                       set it while it may move
// stack fields  creator, before the launch  queries                     the launch
// notes         the unit                    the unit                    see tool_notes.hpp
// entry...      creator, reviver            the unit's runner, queries  the launch
// wide_id       anybody                     anybody                     see unit_ids.hpp
struct thread_record {
    key_table keys;

    // The user's callback: it is called each time the unit has moved to another pool by request.
    // nullptr: none.
    void (*migrated)(ABT_thread, void*) = nullptr;
    void* migrated_argument = nullptr;

    // users_stack and stack_base describe a stack that the user provided; nullptr: the library
    // provides it. stack_size is in bytes, and 0 if thread_part::stack_units has the size.
    core::stack* users_stack = nullptr;
    void* stack_base = nullptr;
    std::size_t stack_size = 0;

    // Only of a traced unit: the user's function and argument. work_unit::entry is then
    // trampoline() (tool.cpp).
    core::entry_function entry = nullptr;
    void* argument = nullptr;
    tool_notes notes;

    unit_ids::wide_id wide_id{unit_ids::wide_unasked};
};

// Returns the unit's record. Makes one if there is none. Returns nullptr when memory is exhausted.
thread_record* record_of(work_unit& u) noexcept;
// Returns the unit's record, or nullptr if it has none.
inline thread_record* present_record(const work_unit& u) noexcept {
    // acquire pairs with: record_of(), compare_exchange of record
    return part_of(u).record.load(std::memory_order_acquire);
}

// Returns false when memory is exhausted.
bool set_migration_callback(work_unit& u, void (*callback)(ABT_thread, void*),
                            void* argument) noexcept;

core::entry_function entry_of(const work_unit& u) noexcept;
void* argument_of(const work_unit& u) noexcept;
void set_argument(work_unit& u, void* argument) noexcept;

// Returns the stack size that was asked for, in bytes.
std::size_t asked_stack_size_of(const work_unit& u) noexcept;
// Notes the stack size that was asked for. Returns false when memory is exhausted.
bool note_stack_size(work_unit& u, std::size_t bytes) noexcept;

// Makes the next id 0. ABT_init calls it.
void reset_thread_ids() noexcept;
// Gets the unit's id. Returns false when memory is exhausted.
bool get_id(work_unit& u, ABT_unit_id* id) noexcept;

}  // namespace lazult::abt
