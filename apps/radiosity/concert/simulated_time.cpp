// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/concert/simulated_time.hpp"

#include <ctime>

namespace radiosity {
namespace {

double slowness = 1;

}  // namespace

double simulated_slowness() { return slowness; }
void set_simulated_slowness(double factor) { slowness = factor; }

double processor_ns() {
    std::timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace radiosity
