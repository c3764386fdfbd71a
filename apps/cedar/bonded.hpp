// SPDX-License-Identifier: BSD-3-Clause
// Forces among two to four atoms that hang together, in batches: a batch is a piece of work for one
// thread.
#pragma once

#include "apps/cedar/energies.hpp"
#include "apps/cedar/topology.hpp"

namespace cedar {

inline constexpr index batch_length = 16;

struct batch {
    term kind;
    index first;
    index count;
};

// Springs only if the bonds are not constraints.
std::vector<batch> bonded_batches(const topology& of, bool with_springs);

// Of all its atoms: an atom may be there more than once.
std::vector<index> atoms_of(const topology& of, const batch& which);

// Adds the forces of the batch. An atom's position and force are at its slot; slots of other atoms
// are neither read nor written.
energies bonded_forces(const topology& of, const batch& which, std::span<const index> slot_of_atom,
                       std::span<const vector3> positions, std::span<fixed3> forces);

}  // namespace cedar
