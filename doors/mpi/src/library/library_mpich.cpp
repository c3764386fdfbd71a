// SPDX-License-Identifier: BSD-3-Clause
// MPICH 4.0 reports the error of a failed request to MPI_COMM_WORLD's handler, in MPI_Test, in
// MPI_Wait and already in MPI_Request_get_status. That makes no difference while all handlers are
// the default one. Once the program has set another (`careful`), the door replaces MPI_COMM_WORLD's
// handler by MPI_ERRORS_RETURN while it tests or looks, and then calls the right handler itself.
// The price: errors of other threads' calls on MPI_COMM_WORLD in those moments call no handler. A
// program that asks for MPI_COMM_WORLD's handler does not see the replacement, nor does a
// communicator keep it that is made out of MPI_COMM_WORLD meanwhile.
//
// field    written by            read by                order
// careful  set_handler (lock)    test_for, quiet_looks  relaxed: the program sets handlers before
//                                                       it makes requests that may fail
// MPI_COMM_WORLD's handler: changed by set_handler and quiet_looks, under world_lock()
#include "library/library.hpp"

#include "lazult/ds/ds.hpp"

#include <mutex>

namespace lazult::mpi {
namespace {

constinit ds::default_atomics::atomic<bool> careful{false};
// Recursive, because MPICH calls functions of the program while the door holds it, such as copy
// functions of attributes, and these may call the door.
std::recursive_mutex& world_lock() {
    static base::never_destroyed<std::recursive_mutex> instance;
    return *instance;
}

// Has MPI_COMM_WORLD's handler return, and returns the handler that unhush() puts back.
MPI_Errhandler hush() noexcept {
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return before;
}

void unhush(MPI_Errhandler before) noexcept {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    PMPI_Errhandler_free(&before);
}

bool is_careful() noexcept { return careful.load(std::memory_order_relaxed); }

// Tests by two calls that make no progress if the request is done; MPI_Test makes progress in any
// case. A small send is done at once. MPI_Test would then take in other messages one by one, while
// they are being written; a poll finds them together. A ULT without company uses MPI_Test, because
// there is no other ULT to poll for, and one call is cheaper than two.
int test_done_first(MPI_Request* request, int* flag, MPI_Status* status) noexcept {
    const int code = PMPI_Request_get_status(*request, flag, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS && *flag != 0 ? PMPI_Wait(request, status) : code;
}

}  // namespace

void prepare_library() noexcept {}

int set_handler(MPI_Comm comm, MPI_Errhandler handler) noexcept {
    const std::lock_guard hold(world_lock());
    if (handler != MPI_ERRORS_ARE_FATAL) {
        careful.store(true, std::memory_order_relaxed);
    }
    return PMPI_Comm_set_errhandler(comm, handler);
}

// While we hold the lock, quiet_looks does not replace the handler, so this is the program's.
int get_handler(MPI_Comm comm, MPI_Errhandler* handler) noexcept {
    const std::lock_guard hold(world_lock());
    return PMPI_Comm_get_errhandler(comm, handler);
}

// `made` may have copied the handler by which quiet_looks replaces MPI_COMM_WORLD's.
void settle_handler(MPI_Comm parent, MPI_Comm made) noexcept {
    if (!is_careful() || parent != MPI_COMM_WORLD || made == MPI_COMM_NULL) {
        return;
    }
    const std::lock_guard hold(world_lock());
    MPI_Errhandler worlds = MPI_ERRHANDLER_NULL;
    MPI_Errhandler its = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &worlds);
    PMPI_Comm_get_errhandler(made, &its);
    if (its == MPI_ERRORS_RETURN && worlds != its) {
        PMPI_Comm_set_errhandler(made, worlds);
    }
    PMPI_Errhandler_free(&worlds);
    PMPI_Errhandler_free(&its);
}

steady_handlers::steady_handlers() noexcept { world_lock().lock(); }
steady_handlers::~steady_handlers() { world_lock().unlock(); }

int test_for(MPI_Comm comm, MPI_Request* request, int* flag, MPI_Status* status,
             company around) noexcept {
    if (!is_careful()) {
        return around == company::none ? PMPI_Test(request, flag, status)
                                       : test_done_first(request, flag, status);
    }
    int code = MPI_SUCCESS;
    {
        const quiet_looks quiet;
        code = PMPI_Test(request, flag, status);
    }
    if (code != MPI_SUCCESS) {
        PMPI_Comm_call_errhandler(comm, code);
    }
    return code;
}

int wait_for(MPI_Comm comm, MPI_Request* request, MPI_Status* status) noexcept {
    if (!is_careful()) {
        return PMPI_Wait(request, status);
    }
    for (;;) {
        int flag = 0;
        if (const int code = test_for(comm, request, &flag, status, company::none);
            code != MPI_SUCCESS || flag != 0) {
            return code;
        }
        os::yield_thread();
    }
}

quiet_looks::quiet_looks() noexcept {
    if (is_careful()) {
        world_lock().lock();
        before_ = hush();
    }
}

quiet_looks::~quiet_looks() {
    if (before_ != MPI_ERRHANDLER_NULL) {
        unhush(before_);
        world_lock().unlock();
    }
}

}  // namespace lazult::mpi
