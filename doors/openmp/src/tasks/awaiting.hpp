// SPDX-License-Identifier: BSD-3-Clause
// The calling flow, which is `mine`, waits for tasks, and runs other ones meanwhile.
#pragma once

#include "model/dependences.hpp"
#include "model/team.hpp"
#include "model/unit_data.hpp"

namespace lazult::omp {

void wait_for_children(flow_part& mine);
// Waits for those children that a construct with such clauses comes after.
void wait_for_dependences(flow_part& mine, depend_clauses clauses);
void taskgroup_begin(task& self);
void taskgroup_finish(flow_part& mine);

}  // namespace lazult::omp
