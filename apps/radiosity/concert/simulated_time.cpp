// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/concert/simulated_time.hpp"

#include <lazult_concert_simulation.hpp>

namespace radiosity {
namespace {

double slowness = 1;

// Nanoseconds on an AMD EPYC (family 25, model 17), where nothing else ran. The first three are the
// least squares over 280,000 pairs of elements of the room, the last is a mean of 40,000 pairs.
// None is fitted to the paper's figures.
constexpr double of_elements = 14;
constexpr double of_ray = 64;
constexpr double of_node = 10;
constexpr double of_coupling = 46;

}  // namespace

void set_simulated_slowness(double factor) { slowness = factor; }

void spend_time_of(const ray_work& done) {
    lazult::concert::spend(slowness * (of_elements * static_cast<double>(done.elements) +
                                       of_ray * static_cast<double>(done.rays) +
                                       of_node * static_cast<double>(done.nodes)));
}
void spend_time_of_couplings(std::size_t made) {
    lazult::concert::spend(slowness * of_coupling * static_cast<double>(made));
}

}  // namespace radiosity
