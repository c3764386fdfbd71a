// SPDX-License-Identifier: BSD-3-Clause
// The C interface of the MPI library that this copy of the door is built for.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
