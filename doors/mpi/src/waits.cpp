// SPDX-License-Identifier: BSD-3-Clause
#include "waits.hpp"

namespace lazult::mpi {
namespace {

constexpr unsigned tests_per_check = 8;

}  // namespace

// A pool of a user's may do anything when it is asked whether it is empty, so the caller may be elsewhere after it.
bool stay::is_alone() const noexcept {
    core::worker& w = core::running_worker();
    core::work_unit* const self = w.current;
    return !core::has_requests(*self) && w.here->would_only_poll(w) && &core::running_worker() == &w;
}

bool stay::again() noexcept {
    if (++tests_ % tests_per_check == 1) {
        if (!is_alone()) {
            return false;
        }
        const std::int64_t now = os::now_ns();
        if (end_ns_ == 0) {
            end_ns_ = now + base::current_settings().idle_spin;
        }
        if (now >= end_ns_) {
            return false;
        }
    }
    the_poller().poll(eagerness::idle);
    default_atomics::pause();
    return true;
}

int complete_request(MPI_Request& request, MPI_Status* status) {
    return complete([&](int* flag) { return PMPI_Test(&request, flag, status); },
                    waiting::for_all(&request, 1));
}

int complete_call(MPI_Comm comm, MPI_Request& request, MPI_Status* status) {
    return complete([&](int* flag) { return test_for(comm, &request, flag, status); },
                    waiting::for_all(&request, 1));
}

void give_way() {
    if (may_suspend()) {
        core::yield();
    }
}

}  // namespace lazult::mpi
