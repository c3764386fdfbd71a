// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace cedar {

enum class cutoff_law {
    // Whole charge groups interact in full up to the cutoff, and not at all beyond it.
    truncated,
    // The force and the energy of two atoms go to 0 at the cutoff.
    shifted
};

struct force_settings {
    double cutoff = 1.4;      // nm
    double list_range = 1.5;  // nm
    cutoff_law law = cutoff_law::truncated;
    // Cells are at least list_range / cells_per_range wide.
    unsigned cells_per_range = 1;
    unsigned owners = 1;
    // Bonds are springs, else constraints.
    bool with_springs = false;
};

}  // namespace cedar
