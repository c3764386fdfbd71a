// SPDX-License-Identifier: BSD-3-Clause
// A run of the program: what is wanted of it, and what it found.
#pragma once

#include "apps/cedar/chain.hpp"
#include "apps/cedar/minimise.hpp"
#include "apps/cedar/simulation.hpp"

#include <chrono>

namespace cedar {

struct request {
    chain_request chain{154, 1};
    index waters = 3830;
    std::uint64_t waters_seed = 1;
    unsigned steps = 20;
    unsigned descent_steps = 200;
    force_settings forces;
    step_settings dynamics;
};

struct findings {
    index atoms = 0;
    double box_edge = 0;
    index cells = 0;
    double seconds_to_assemble = 0;
    double seconds_to_minimise = 0;
    descent minimised{};
    observation first;
    observation last;
    double mean_temperature = 0;
    // Of the total energy from the first step to the last, in kT for each degree of freedom.
    double drift = 0;
    // The length of the sum of the momenta, as a part of the sum of their lengths.
    double relative_momentum = 0;
    // The largest |length / wanted length - 1| of a bond.
    double bond_error = 0;
    std::size_t renewals = 0;
    double seconds_of_steps = 0;
    double user_seconds_of_steps = 0;  // of this process
    phase_times times;                 // of the steps alone
    std::uint64_t checksum = 0;
};

// Throws exceptions that have a message for the user.
findings conduct(const request& wanted);

// Its parts. What the steps begin from:
assembly prepare(const request& wanted, findings& found);
// What is seen in the steps, from step 0 on.
void note(const observation& seen, unsigned step, findings& found);
// What is known after all steps, but for the times.
void conclude(simulation& of, double box_edge, findings& found);

// The time that goes by, and that of the process in user mode.
class stopwatch {
public:
    stopwatch();
    double seconds() const;
    double user_seconds() const;

private:
    std::chrono::steady_clock::time_point began_;
    double user_seconds_before_;
};

}  // namespace cedar
