// SPDX-License-Identifier: BSD-3-Clause
// The control variables of the process, with their values from the environment.
#pragma once

#include "environment/icv.hpp"

namespace lazult::omp {

// Returns the variables. The first call reads the environment.
process_variables& variables();
// Reads the environment into a fresh set of variables, with which variables() begins.
process_variables read_variables();

}  // namespace lazult::omp
