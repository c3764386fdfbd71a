// SPDX-License-Identifier: BSD-3-Clause
// The control variables of the process, as the environment has them.
#pragma once

#include "environment/icv.hpp"

namespace lazult::omp {

// Reads the environment at its first call.
process_variables& variables();
// What variables() begins with.
process_variables read_variables();

}  // namespace lazult::omp
