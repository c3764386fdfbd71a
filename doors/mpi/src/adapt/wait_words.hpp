// SPDX-License-Identifier: BSD-3-Clause
// What traces say of waits for MPI.
#pragma once

#include "adapt/wait_record.hpp"

namespace lazult::mpi {

// Called by a traced ULT that is about to suspend.
void trace_wait(const wait_record& record) noexcept;
// The same for a call that a helper makes.
void trace_helped(const char* call) noexcept;

}  // namespace lazult::mpi
