// SPDX-License-Identifier: BSD-3-Clause
// Waits for tasks. The caller runs tasks meanwhile. `mine` is the caller's record.
#pragma once

#include "model/team.hpp"
#include "model/unit_data.hpp"

namespace lazult::omp {

void wait_for_children(unit_data& mine);
// Waits for the children that must complete before a construct with these depend clauses.
void wait_for_dependences(unit_data& mine, depend_clauses clauses);
void taskgroup_begin(task& self);
void taskgroup_finish(unit_data& mine);

}  // namespace lazult::omp
