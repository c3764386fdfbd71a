// SPDX-License-Identifier: BSD-3-Clause
// Prints the control variables as OMP_DISPLAY_ENV asks; if `verbose`, Lazult's own settings, too.
#pragma once

#include "environment/icv.hpp"

namespace lazult::omp {

void display_environment(const process_variables& all, bool verbose);

}  // namespace lazult::omp
