// SPDX-License-Identifier: BSD-3-Clause
// Computing on simulated ranks: what it takes here, times what the other machine is slower.
#pragma once

#include <lazult_concert_simulation.hpp>

namespace radiosity {

// How many times as long computing takes on the simulated machine. Set before a simulation.
double simulated_slowness();
void set_simulated_slowness(double factor);

// Nanoseconds of processor time of the calling thread.
double processor_ns();

// Calls the function. On a simulated rank, the rank's clock goes on by what the call takes there.
template <class F>
auto computed(F function) {
    if (!lazult::concert::is_simulated()) {
        return function();
    }
    const double began = processor_ns();
    auto result = function();
    lazult::concert::spend((processor_ns() - began) * simulated_slowness());
    return result;
}

}  // namespace radiosity
