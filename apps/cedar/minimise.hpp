// SPDX-License-Identifier: BSD-3-Clause
// Steepest descent, so that molecules that were put side by side do not fly apart.
#pragma once

#include "apps/cedar/assembly.hpp"

namespace cedar {

struct descent {
    double energy_before;
    double energy_after;
    unsigned steps_kept;
};

// Bonds are springs meanwhile, and have their lengths at the end. The forces are
// shifted, and the cutoff is at most 0.9 nm and what the box has room for.
descent minimise(assembly& system, unsigned steps, double cutoff);

}  // namespace cedar
