// SPDX-License-Identifier: BSD-3-Clause
// The caller, which is `mine`, waits for tasks, and runs other ones meanwhile.
#pragma once

#include "model/dependences.hpp"
#include "model/team.hpp"
#include "model/unit_data.hpp"

namespace lazult::omp {

void wait_for_children(unit_data& mine);
// Waits for those children that a construct with such clauses comes after.
void wait_for_dependences(unit_data& mine, depend_clauses clauses);
void taskgroup_begin(task& self);
void taskgroup_finish(unit_data& mine);

}  // namespace lazult::omp
