// SPDX-License-Identifier: BSD-3-Clause
// MPICH 4.0 reports the error of a failed request already when it is looked at, and to MPI_COMM_WORLD's handler. That is all the
// same where every handler is the default, and does no harm where MPI_COMM_WORLD's returns. Elsewhere nobody looks.
//
// field    who writes     who reads  order
// careful  note_handler   may_look   relaxed: a request that fails on a communicator comes after its handler was set
#include "library.hpp"

#include "door.hpp"

namespace lazult::mpi {
namespace {

constinit atomic<bool> careful{false};

bool does_world_return() noexcept {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    return handler == MPI_ERRORS_RETURN;
}

}  // namespace

void prepare_library() noexcept {}

void note_handler(MPI_Errhandler handler) noexcept {
    if (handler != MPI_ERRORS_ARE_FATAL || careful.load(std::memory_order_relaxed)) {
        careful.store(!does_world_return(), std::memory_order_relaxed);
    }
}

bool may_look() noexcept { return !careful.load(std::memory_order_relaxed); }

}  // namespace lazult::mpi
