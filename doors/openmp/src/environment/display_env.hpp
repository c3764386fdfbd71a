// SPDX-License-Identifier: BSD-3-Clause
// OMP_DISPLAY_ENV: what the variables are now, ours too.
#pragma once

#include "environment/icv.hpp"

namespace lazult::omp {

void display_environment(const process_variables& all, bool verbose);

}  // namespace lazult::omp
