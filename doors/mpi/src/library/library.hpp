// SPDX-License-Identifier: BSD-3-Clause
// What differs between MPI libraries beyond their mpi.h: see library_openmpi.cpp and
// library_mpich.cpp.
#pragma once

#include "library/mpi_api.hpp"

namespace lazult::mpi {

// By one thread, when the door opens.
void prepare_library() noexcept;

// As MPI_Comm_set_errhandler and MPI_Comm_get_errhandler.
int set_handler(MPI_Comm comm, MPI_Errhandler handler) noexcept;
int get_handler(MPI_Comm comm, MPI_Errhandler* handler) noexcept;

// A call that made a communicator out of another one, from which it takes its error handler.
void settle_handler(MPI_Comm parent, MPI_Comm made) noexcept;

template <class Call>
int make_communicator(MPI_Comm parent, const MPI_Comm* made, Call call) {
    const int code = call();
    if (code == MPI_SUCCESS) {
        settle_handler(parent, *made);
    }
    return code;
}

// While one exists, handlers are those that the program knows: for calls that do not block and copy
// one.
class steady_handlers {
public:
    steady_handlers() noexcept;
    ~steady_handlers();
    steady_handlers(const steady_handlers&) = delete;
    steady_handlers& operator=(const steady_handlers&) = delete;
};

// Whether other ULTs wait for MPI, or are ready to.
enum class company : bool { none, others };

// The same as MPI_Test and MPI_Wait, for a request that stands for a blocking call on this
// communicator: an error goes to the communicator's handler. In company, a test of a request that
// is done makes no progress of MPI's if that costs more than the test, because a poll makes it for
// all. A wait for a request that a look has found done costs no more than a test.
int test_for(MPI_Comm comm, MPI_Request* request, int* flag, MPI_Status* status,
             company around) noexcept;
int wait_for(MPI_Comm comm, MPI_Request* request, MPI_Status* status) noexcept;

// While one exists, MPI_Request_get_status calls no error handler for a request that failed.
class quiet_looks {
public:
    quiet_looks() noexcept;
    ~quiet_looks();
    quiet_looks(const quiet_looks&) = delete;
    quiet_looks& operator=(const quiet_looks&) = delete;

private:
    [[maybe_unused]] MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace lazult::mpi
