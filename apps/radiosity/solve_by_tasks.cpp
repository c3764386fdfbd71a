// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/lazult.hpp>

#include "apps/radiosity/run.hpp"

namespace radiosity {
namespace {

struct tasks {
    template <class F>
    void each(std::size_t count, const F& function) const {
        if (count == 1) {
            function(0);
            return;
        }
        lazult::task_group group;
        for (std::size_t i = 0; i < count; ++i) {
            group.run([&function, i] { function(i); });
        }
        group.wait();
    }
};

}  // namespace

outcome solve_by_tasks(world& all, const settings& with) { return solve(all, with, tasks{}); }

}  // namespace radiosity
