// SPDX-License-Identifier: BSD-3-Clause
#include "library.hpp"

namespace lazult::mpi {

// Open MPI 4.1 opens its topology framework at the first use, and two threads that do so at once crash in there.
void prepare_library() noexcept {
    const int one = 1;
    const int no = 0;
    MPI_Comm line = MPI_COMM_NULL;
    if (PMPI_Cart_create(MPI_COMM_SELF, 1, &one, &no, 0, &line) == MPI_SUCCESS && line != MPI_COMM_NULL) {
        PMPI_Comm_free(&line);
    }
}

void note_handler(MPI_Errhandler) noexcept {}

bool may_look() noexcept { return true; }

}  // namespace lazult::mpi
