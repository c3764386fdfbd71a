// SPDX-License-Identifier: BSD-3-Clause
// Runs MPI's own code on a large stack, because MPI libraries are written for the stacks of OS
// threads: MPICH's copies of typed data alone take 128 KiB, twice a ULT's stack. No code suspends
// there: if a user's callback within MPI calls a function that would suspend, it gets an error.
#pragma once

#include "lazult/core/core.hpp"

namespace lazult::mpi {

// Runs call() on the large stack, and returns its result.
template <class Call>
auto deep(Call&& call) noexcept {
    return core::on_large_stack(call);
}

}  // namespace lazult::mpi
