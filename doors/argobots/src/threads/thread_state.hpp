// SPDX-License-Identifier: BSD-3-Clause
// What is known about a unit.
#pragma once

#include "streams/xstream.hpp"
#include "units/thread_record.hpp"

namespace lazult::abt {

// What a function of the interface does that asks one thing of a unit. `otherwise` is the code that
// refuses a handle: INV_THREAD or INV_TASK.
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
// Of its scheduler's stream, where Argobots has a pool of its own: see xstream.hpp.
int last_pool_id_of(const work_unit& u) noexcept;
// As in Argobots, where the primary ULT has no name.
bool is_told_unnamed(const work_unit& u) noexcept;
// Nothing happens to the primary ULT and to main schedulers.
void set_migratable(work_unit& u, bool migratable) noexcept;
// In bytes, as asked for. 0: a tasklet, the primary ULT.
std::size_t stack_size_of(const work_unit& u) noexcept;
// nullptr: none, or not yet.
void* stack_base_of(const work_unit& u) noexcept;

}  // namespace lazult::abt
