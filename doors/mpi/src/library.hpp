// SPDX-License-Identifier: BSD-3-Clause
// What differs between MPI libraries beyond their mpi.h: see library_openmpi.cpp and library_mpich.cpp.
#pragma once

#include "mpi_api.hpp"

namespace lazult::mpi {

// By one thread, when the door opens.
void prepare_library() noexcept;

// After a communicator was given another error handler.
void note_handler(MPI_Errhandler handler) noexcept;

// Whether anybody may look at any request with MPI_Request_get_status, without calling an error handler for what failed that is
// not the caller's. Otherwise a ULT that waits looks for itself now and then.
bool may_look() noexcept;

}  // namespace lazult::mpi
