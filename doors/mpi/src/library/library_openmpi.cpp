// SPDX-License-Identifier: BSD-3-Clause
#include "library/library.hpp"

namespace lazult::mpi {

// Open MPI 4.1 opens its topology framework at the first use, and crashes if two threads do so at
// once. So this function uses a topology before other threads call MPI.
void prepare_library() noexcept {
    const int one = 1;
    const int no = 0;
    MPI_Comm line = MPI_COMM_NULL;
    if (PMPI_Cart_create(MPI_COMM_SELF, 1, &one, &no, 0, &line) == MPI_SUCCESS &&
        line != MPI_COMM_NULL) {
        PMPI_Comm_free(&line);
    }
}

int set_handler(MPI_Comm comm, MPI_Errhandler handler) noexcept {
    return PMPI_Comm_set_errhandler(comm, handler);
}

int get_handler(MPI_Comm comm, MPI_Errhandler* handler) noexcept {
    return PMPI_Comm_get_errhandler(comm, handler);
}

void settle_handler(MPI_Comm, MPI_Comm) noexcept {}
steady_handlers::steady_handlers() noexcept = default;
steady_handlers::~steady_handlers() = default;

// Open MPI knows the communicator of a request, and reports errors to its handler.
int test_for(MPI_Comm, MPI_Request* request, int* flag, MPI_Status* status, company) noexcept {
    return PMPI_Test(request, flag, status);
}

int wait_for(MPI_Comm, MPI_Request* request, MPI_Status* status) noexcept {
    return PMPI_Wait(request, status);
}

quiet_looks::quiet_looks() noexcept = default;
quiet_looks::~quiet_looks() = default;

}  // namespace lazult::mpi
