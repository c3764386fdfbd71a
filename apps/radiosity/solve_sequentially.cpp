// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/run.hpp"

namespace radiosity {
namespace {

struct loop {
    template <class F>
    void each(std::size_t count, const F& function) const {
        for (std::size_t i = 0; i < count; ++i) {
            function(i);
        }
    }
};

}  // namespace

outcome solve_sequentially(world& all, const settings& with) { return solve(all, with, loop{}); }

}  // namespace radiosity
