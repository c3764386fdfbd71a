// SPDX-License-Identifier: BSD-3-Clause
// Small systems for the tests of cedar.
#pragma once

#include "apps/cedar/minimise.hpp"
#include "apps/cedar/simulation.hpp"

namespace cedar {

// 20 residues and 200 waters, at rest.
inline const assembly& small_system() {
    static const assembly made = [] {
        assembly system = assemble({20, 1}, 200, 1);
        minimise(system, 100, 0.5);
        return system;
    }();
    return made;
}

inline force_settings small_forces(cutoff_law law) {
    force_settings settings;
    settings.cutoff = 0.5;
    settings.list_range = 0.6;
    settings.law = law;
    return settings;
}

}  // namespace cedar
