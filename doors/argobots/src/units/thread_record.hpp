// SPDX-License-Identifier: BSD-3-Clause
// What few units need: made on first use, freed with the unit.
#pragma once

#include "units/key_table.hpp"
#include "units/thread_part.hpp"
#include "units/tool_notes.hpp"

namespace lazult::abt {

// field         written by                  read by                        order
// keys          anybody                     anybody                        see key_table.hpp
// migrated      set_callback, creator       the unit's runner              the caller's, as
//                                                                          documented
// stack_*       creator, before the launch  queries                        the launch
// notes         the unit                    the unit                       see tool_notes.hpp
// entry...      creator, reviver            the unit's runner, queries     the launch
// wide_id       anybody                     anybody                        see unit_ids.hpp
struct thread_record {
    key_table keys;

    // Called when the unit has moved by request.
    void (*migrated)(ABT_thread, void*) = nullptr;
    void* migrated_argument = nullptr;

    // Of a stack that is the user's, or that has a size which does not fit thread_part.
    core::stack* users_stack = nullptr;
    void* stack_base = nullptr;
    std::size_t stack_size = 0;

    // Of a traced unit: what it calls itself. The unit's entry function is the tracer's.
    core::entry_function entry = nullptr;
    void* argument = nullptr;
    tool_notes notes;

    unit_ids::wide_id wide_id{unit_ids::wide_unasked};
};

// A new one if it has none. nullptr: out of memory.
thread_record* record_of(work_unit& u) noexcept;
// nullptr when it has none.
inline thread_record* present_record(const work_unit& u) noexcept {
    // acquire pairs with: record_of(), compare_exchange of record
    return part_of(u).record.load(std::memory_order_acquire);
}

// False when memory is exhausted.
bool set_migration_callback(work_unit& u, void (*callback)(ABT_thread, void*),
                            void* argument) noexcept;

core::entry_function entry_of(const work_unit& u) noexcept;
void* argument_of(const work_unit& u) noexcept;
void set_argument(work_unit& u, void* argument) noexcept;

// In bytes, as asked for.
std::size_t asked_stack_size_of(const work_unit& u) noexcept;
// False when memory is exhausted.
bool note_stack_size(work_unit& u, std::size_t bytes) noexcept;

// Ids begin anew. By ABT_init.
void reset_thread_ids() noexcept;
// False when memory is exhausted.
bool get_id(work_unit& u, ABT_unit_id* id) noexcept;

}  // namespace lazult::abt
