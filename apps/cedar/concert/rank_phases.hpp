// SPDX-License-Identifier: BSD-3-Clause
// The phases of a step, as methods that each rank runs on its own share. Between two of them all
// ranks have ended the first. First a phase calls what it needs of other ranks, all at once; what
// they bring goes into the arrays of the share, and the forces are computed on these alone.
#pragma once

#include "apps/cedar/concert/traffic.hpp"
#include "apps/cedar/concert/work_done.hpp"
#include "apps/cedar/energies.hpp"

#include <lazult_concert_objects.hpp>

namespace cedar {

// Reads the positions and velocities of all other cells.
lazult::concert::outcome<void> gather();
// After gather(): puts the atoms into cells anew, shares these out, and lists the pairs.
void renew();
// Reads the positions that the forces need.
lazult::concert::outcome<void> fetch();
// Adds up the forces of the pairs and batches of this rank, one thread for each, and gives other
// ranks their parts of the sums.
lazult::concert::outcome<energy_sums> compute();
// Moves the atoms by their forces, and holds the bonds of molecules that are here in full. Gives
// the kinetic energy before.
fixed move();

// Sends calls that wait for more of them. Simulated ranks send each at once.
void send_calls();

struct end_of_step {
    fixed kinetic = 0;
    bool is_list_old = false;
};
// Holds the bonds of molecules that are in parts here and elsewhere: each of their ranks reads the
// atoms of the others and does the whole molecule, by the same sums. So the result is that of one
// process, and nothing has to be sent back.
lazult::concert::outcome<end_of_step> finish();

// What a rank has measured since forget_measurements().
struct measurements {
    phase_times times;
    traffic calls;
    work_done computed;
    std::uint64_t arrivals = 0;  // of atoms, from cells of other ranks
    std::uint64_t messages = 0;  // all of the queue, those that start phases among them
    std::uint64_t packets = 0;
};
void forget_measurements();
measurements measured();

}  // namespace cedar
