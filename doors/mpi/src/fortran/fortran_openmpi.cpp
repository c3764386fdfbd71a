// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's Fortran constants are the addresses of these common blocks. The names are gfortran's.
#include "fortran/fortran.hpp"

extern "C" {
extern int mpi_fortran_bottom_;
extern int mpi_fortran_in_place_;
extern int mpi_fortran_unweighted_;
extern int mpi_fortran_weights_empty_;
extern int mpi_fortran_status_ignore_;
extern int mpi_fortran_statuses_ignore_;
}

namespace lazult::mpi::fortran {

void* choice(void* buffer) noexcept {
    if (buffer == &mpi_fortran_bottom_) {
        return MPI_BOTTOM;
    }
    return buffer == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer;
}

const int* weights(const MPI_Fint* list) noexcept {
    if (list == &mpi_fortran_unweighted_) {
        return MPI_UNWEIGHTED;
    }
    return list == &mpi_fortran_weights_empty_ ? MPI_WEIGHTS_EMPTY : list;
}

bool is_ignored(const MPI_Fint* status) noexcept {
    return status == &mpi_fortran_status_ignore_ || status == &mpi_fortran_statuses_ignore_;
}

}  // namespace lazult::mpi::fortran
