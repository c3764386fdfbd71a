// SPDX-License-Identifier: BSD-3-Clause
// Where MPI's own code runs. MPI libraries are written for the stacks of OS threads: MPICH's copies of typed data alone take
// 128 KiB, twice a ULT's stack. Nothing suspends there, and a callback of the user's that would wait is told so.
#pragma once

#include "door.hpp"

namespace lazult::mpi {

// What the MPI call returns.
template <class Call>
int deep(Call&& call) {
    return core::on_large_stack(call);
}

}  // namespace lazult::mpi
