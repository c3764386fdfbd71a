// SPDX-License-Identifier: BSD-3-Clause
// The stack on which MPI's own code runs. MPI libraries are written for the stacks of OS threads:
// MPICH's copies of typed data alone take 128 KiB, twice a ULT's stack. Nothing suspends there: a
// user's callback that would have to suspend gets an error instead.
#pragma once

#include "lazult/core/core.hpp"

namespace lazult::mpi {

// Returns what the call returns.
template <class Call>
auto deep(Call&& call) noexcept {
    return core::on_large_stack(call);
}

}  // namespace lazult::mpi
