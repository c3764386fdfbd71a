// SPDX-License-Identifier: BSD-3-Clause
// The MPI that this copy of the door is for: its C interface alone.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
