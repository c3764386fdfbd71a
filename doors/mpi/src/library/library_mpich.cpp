// SPDX-License-Identifier: BSD-3-Clause
// MPICH 4.0 reports the error of a failed request to MPI_COMM_WORLD's handler, in MPI_Test,
// MPI_Wait and already in MPI_Request_get_status. Where all handlers are the default that is all
// the same. Where a communicator has another one (`careful`), MPI_COMM_WORLD's is one that returns
// while we test or look, and the right one is called by us. Errors of other threads' calls on
// MPI_COMM_WORLD in those moments return their code and call no handler: that is the price.
// Programs do not see it where they ask for that handler, nor does it stay with communicators that
// are made out of MPI_COMM_WORLD meanwhile.
//
// field    written by            read by                order
// careful  set_handler (lock)    test_for, quiet_looks  relaxed: a request that fails comes after
//                                                       its handler was set
// handler of MPI_COMM_WORLD: set_handler and hushed, under the lock
#include "library/library.hpp"

#include "lazult/base/base.hpp"
#include "lazult/ds/ds.hpp"
#include "lazult/os/os.hpp"

#include <mutex>

namespace lazult::mpi {
namespace {

constinit ds::default_atomics::atomic<bool> careful{false};
// MPICH calls the program's functions under it, attributes' copy functions for one, which may come
// back here.
std::recursive_mutex& world_lock() {
    static base::never_destroyed<std::recursive_mutex> instance;
    return *instance;
}

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

// MPI_Test makes progress even if the request is done. A small send is done at once, and its test
// then takes in messages one by one, while they are being written; a poll would find them together.
// The two calls here make no progress if the request is done. A ULT without company has no one to
// make it for, so it uses MPI_Test: one call is cheaper than two.
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

// Nobody looks while we hold the lock, so it is the program's.
int get_handler(MPI_Comm comm, MPI_Errhandler* handler) noexcept {
    const std::lock_guard hold(world_lock());
    return PMPI_Comm_get_errhandler(comm, handler);
}

// What it copied may have been ours.
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
