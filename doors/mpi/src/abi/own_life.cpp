// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init and MPI_Finalize.
#include "abi/own.hpp"
#include "adapt/deep.hpp"
#include "model/door.hpp"

namespace lazult::mpi::own {

// Asks MPI for MPI_THREAD_MULTIPLE, whatever level the program asked for. `provided` is the level
// that MPI gave, which may be higher than what the program asked for. is_on() opens the door.
int Init_thread(int* argc, char*** argv, int, int* provided) {
    const int code =
        deep([&] { return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, provided); });
    is_on();
    return code;
}

int Init(int* argc, char*** argv) {
    int provided = MPI_THREAD_SINGLE;
    return Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

int Finalize() {
    if (is_on()) {
        turn_off();
        if (base::current_settings().stats) {
            report();
        }
    }
    return deep([] { return PMPI_Finalize(); });
}

}  // namespace lazult::mpi::own
