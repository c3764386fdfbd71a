// SPDX-License-Identifier: BSD-3-Clause
// How a ULT waits for MPI: it tests, goes on testing where it is while its stream would only poll, and then suspends.
#pragma once

#include "deep.hpp"
#include "library.hpp"
#include "poller.hpp"

namespace lazult::mpi {

// How long a ULT tests where it is: while its stream has nothing else to do, and no longer than an idle stream would spin.
// Plain MPI's speed, where there is nothing to overlap.
class stay {
public:
    // Whether to test again. Polls for others meanwhile.
    bool again() noexcept;

private:
    bool is_alone() const noexcept;

    std::int64_t end_ns_ = 0;
    unsigned tests_ = 0;
};

// test(&flag) completes what is waited for. Until it sets the flag, or fails: its error is returned.
template <class Test>
int complete(Test test, waiting record) {
    note(tally.calls);
    for (;;) {
        int flag = 0;
        stay here;
        do {
            if (const int code = deep([&] { return test(&flag); }); code != MPI_SUCCESS || flag != 0) {
                return code;
            }
        } while (here.again());
        the_poller().suspend(record);
    }
}

// A request of the caller's own, and one that stands for a blocking call.
int complete_request(MPI_Request& request, MPI_Status* status);
int complete_call(MPI_Comm comm, MPI_Request& request, MPI_Status* status);

// By a ULT that may suspend: what start(&request) began.
template <class Start>
int start_and_complete(MPI_Comm comm, Start start, MPI_Status* status = MPI_STATUS_IGNORE) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = deep([&] { return start(&request); });
    return code == MPI_SUCCESS ? complete_call(comm, request, status) : code;
}

// On all ranks alike, whoever calls: see calls.txt.
template <class Start, class Whole>
int collective(MPI_Comm comm, Start start, Whole whole) {
    if (!is_on()) {
        return deep(whole);
    }
    if (core::can_suspend()) {
        return start_and_complete(comm, start);
    }
    return deep([&] {
        MPI_Request request = MPI_REQUEST_NULL;
        const int code = start(&request);
        return code == MPI_SUCCESS ? wait_for(comm, &request) : code;
    });
}

// After a test that found nothing: a ULT that tests until it does must not keep others from running.
void give_way();

}  // namespace lazult::mpi
