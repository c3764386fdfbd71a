// SPDX-License-Identifier: BSD-3-Clause
// What differs between MPI libraries beyond their mpi.h: see library_openmpi.cpp and
// library_mpich.cpp.
#pragma once

#include "library/mpi_api.hpp"

namespace lazult::mpi {

// Called by one thread, when the door opens: before other threads call MPI through the door.
void prepare_library() noexcept;

// Do what MPI_Comm_set_errhandler and MPI_Comm_get_errhandler do.
int set_handler(MPI_Comm comm, MPI_Errhandler handler) noexcept;
int get_handler(MPI_Comm comm, MPI_Errhandler* handler) noexcept;

// Corrects the error handler that a new communicator took over from `parent`.
void settle_handler(MPI_Comm parent, MPI_Comm made) noexcept;

// Calls call(), which makes a communicator at *made, and settles the communicator's handler.
template <class Call>
int make_communicator(MPI_Comm parent, const MPI_Comm* made, Call call) {
    const int code = call();
    if (code == MPI_SUCCESS) {
        settle_handler(parent, *made);
    }
    return code;
}

// While an object exists, communicators have the error handlers that the program set. It is for MPI
// calls that copy a handler. They must not block, because the object may hold a lock.
class steady_handlers {
public:
    steady_handlers() noexcept;
    ~steady_handlers();
    steady_handlers(const steady_handlers&) = delete;
    steady_handlers& operator=(const steady_handlers&) = delete;
};

// Whether there may be other ULTs that wait for MPI, or that are ready to run.
enum class company : bool { none, others };

// Do what MPI_Test and MPI_Wait do, for a request that the door has made in place of a blocking
// call on `comm`. They report an error to the handler of `comm`. If other ULTs are around,
// test_for() may leave out MPI's progress for a request that is done already, because the next poll
// makes progress for all ULTs. If a poll has found the request done, wait_for() costs about one
// test.
int test_for(MPI_Comm comm, MPI_Request* request, int* flag, MPI_Status* status,
             company around) noexcept;
int wait_for(MPI_Comm comm, MPI_Request* request, MPI_Status* status) noexcept;

// While an object exists, MPI_Request_get_status calls no error handler for a failed request.
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
