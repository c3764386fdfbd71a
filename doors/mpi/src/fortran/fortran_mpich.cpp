// SPDX-License-Identifier: BSD-3-Clause
// MPICH's mpif.h and mpi module call the C bindings themselves, as do mpi_f08's procedures with
// choice buffers. The bindings here are for mpi_f08's other procedures. The symbols are weak
// because a program without Fortran does not load the library that defines them.
#include "fortran/fortran.hpp"

extern "C" {
extern MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ __attribute__((weak));
extern MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1] __attribute__((weak));
extern int MPIR_C_MPI_UNWEIGHTED __attribute__((weak));
extern int MPIR_C_MPI_WEIGHTS_EMPTY __attribute__((weak));
}

namespace lazult::mpi::fortran {

void* choice(void* buffer) noexcept { return buffer; }

const int* weights(const MPI_Fint* list) noexcept {
    if (list == &MPIR_C_MPI_UNWEIGHTED) {
        return MPI_UNWEIGHTED;
    }
    return list == &MPIR_C_MPI_WEIGHTS_EMPTY ? MPI_WEIGHTS_EMPTY : list;
}

bool is_ignored(const MPI_Fint* status) noexcept {
    const void* const address = status;
    return address == &MPIR_F08_MPI_STATUS_IGNORE_OBJ ||
           address == MPIR_F08_MPI_STATUSES_IGNORE_OBJ || address == MPI_F_STATUS_IGNORE ||
           address == MPI_F_STATUSES_IGNORE;
}

}  // namespace lazult::mpi::fortran
