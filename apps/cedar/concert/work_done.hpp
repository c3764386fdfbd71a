// SPDX-License-Identifier: BSD-3-Clause
// What a rank computes, as counts. On simulated ranks each count has a price in virtual time. So a
// simulation does not depend on what else this machine does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cedar {

enum class computing : std::size_t {
    atom_pair,     // of the list, for its non-bonded force
    summed_atom,   // an atom's force is cleared, or goes from one sum to another
    bonded_term,   // an angle, a dihedral, a scaled pair, or a spring
    moved_atom,    // leap-frog and the kinetic energy
    visited_bond,  // SHAKE looks at a bond once
    listed_pair,   // a pair of atoms goes into the list
    listed_cells,  // two cells are searched for such pairs
    shared_cells,  // two near cells are found and shared out, as each rank does with all cells
};
inline constexpr std::size_t kinds_of_computing = 8;
inline constexpr std::array<const char*, kinds_of_computing> computing_names{
    "atom_pair",    "summed_atom", "bonded_term",  "moved_atom",
    "visited_bond", "listed_pair", "listed_cells", "shared_cells"};

class work_done {
public:
    std::uint64_t operator[](computing kind) const {
        return counts_[static_cast<std::size_t>(kind)];
    }
    const std::array<std::uint64_t, kinds_of_computing>& counts() const { return counts_; }
    double spent_ns() const { return spent_ns_; }

    // Counts. On a simulated rank, the rank's clock goes on by the price.
    void add(computing kind, std::uint64_t more);
    work_done& operator+=(const work_done& more);

private:
    std::array<std::uint64_t, kinds_of_computing> counts_{};
    double spent_ns_ = 0;
};

// Nanoseconds here, where nothing disturbs. See the source for where they come from.
double price_of(computing kind);
// How many times as long computing takes on the simulated machine. Set before a simulation.
void set_slowness(double factor);

}  // namespace cedar
