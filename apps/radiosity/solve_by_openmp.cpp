// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "apps/radiosity/run.hpp"

#ifdef RADIOSITY_OPENMP

namespace radiosity {
namespace {

struct openmp_tasks {
    template <class F>
    void each(std::size_t count, const F& function) const {
        if (count == 1) {
            function(0);
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
#pragma omp task default(none) firstprivate(i) shared(function)
            function(i);
        }
#pragma omp taskwait
    }
};

}  // namespace

outcome solve_by_openmp(world& all, const settings& with) {
    outcome found;
#pragma omp parallel num_threads(static_cast<int>(with.workers))
#pragma omp single
    found = solve(all, with, openmp_tasks{});
    return found;
}

bool has_openmp() { return true; }

}  // namespace radiosity

#else

namespace radiosity {

outcome solve_by_openmp(world&, const settings&) {
    throw std::logic_error("this build has no OpenMP");
}

bool has_openmp() { return false; }

}  // namespace radiosity
#endif
