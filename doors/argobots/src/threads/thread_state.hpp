// SPDX-License-Identifier: BSD-3-Clause
// The queries about a unit.
#pragma once

#include "streams/xstream.hpp"
#include "units/thread_record.hpp"

namespace lazult::abt {

// Implements the functions of the interface that ask one thing about a unit. `otherwise` is the
// code for a bad handle: INV_THREAD or INV_TASK.
template <class Answer, class Question>
LAZULT_ALWAYS_INLINE int ask_unit(ABT_thread handle, int otherwise, const char* function,
                                  Answer* answer, Question question) noexcept {
    work_unit* u = checked_thread(handle);
    if (u == nullptr) LAZULT_UNLIKELY {
        return refuse(otherwise, function);
    }
    *answer = question(*u);
    return ABT_SUCCESS;
}

ABT_thread_state state_of(const work_unit& u) noexcept;
const core::pool* home_of(const work_unit& u) noexcept;
// Returns the id of the unit's home. For the unit of a main scheduler it returns the id that
// Argobots would give to the stream's root pool: see xstream_object::root_pool_id.
int last_pool_id_of(const work_unit& u) noexcept;
// Returns true if the interface calls the unit unnamed. As in Argobots, the primary ULT is unnamed.
bool is_told_unnamed(const work_unit& u) noexcept;
// Does nothing for the primary ULT and for units of main schedulers.
void set_migratable(work_unit& u, bool migratable) noexcept;
// Returns the size that was asked for, in bytes, or 0 for a tasklet and for the primary ULT.
std::size_t stack_size_of(const work_unit& u) noexcept;
// Returns the lowest address, or nullptr if the unit has no stack or has none yet.
void* stack_base_of(const work_unit& u) noexcept;

}  // namespace lazult::abt
