// SPDX-License-Identifier: BSD-3-Clause
// How a ULT waits for MPI: it tests, tests on while its stream would only poll, and then suspends.
#pragma once

#include "adapt/counts.hpp"
#include "model/tests.hpp"

namespace lazult::mpi {

// Waits until the test is over, and returns MPI's code. Called after first tests that found nothing
// (`may_stay`), or that were not worth their cost: then the ULT suspends without another test.
template <class Test>
int keep_waiting(const Test& test, wait_record& record, bool may_stay) {
    for (;; may_stay = true) {
        if (may_stay) {
            if (const outcome now = stay::test_while_alone(test); now.is_over) {
                return now.code;
            }
        }
        poller::suspend(record);
        if (const outcome now = deep([&] { return test.finish(); }); now.is_over) {
            return now.code;
        }
    }
}

// Calls start(), waits until the test is over, and returns the code of what failed or ended. If the
// ULT must suspend, it does so with the record that make_record() returns.
template <class Start, class Test, class Record>
int start_and_wait(Start start, const Test& test, Record make_record, first_test& first) {
    note(&counts::calls);
    bool has_tested = false;
    if (const outcome now = first.begin(start, test, &has_tested); now.is_over) {
        return now.code;
    }
    wait_record record = make_record();
    return keep_waiting(test, record, has_tested);
}

// The start() of an operation that has begun already.
struct nothing_to_start {
    int operator()() const noexcept { return MPI_SUCCESS; }
};

// Waits until call(&flag) sets the flag or fails. The call itself completes the operation. It is
// made at least once before the ULT suspends.
template <class Call, class Record>
int complete(Call call, Record make_record) {
    first_test first;
    return start_and_wait(nothing_to_start(), flag_test(call), make_record, first);
}

// Waits for a request of the program, which waits in the call of this name.
template <call_name name>
int complete_request(MPI_Request& request, MPI_Status* status) {
    return complete([&](int* flag) { return PMPI_Test(&request, flag, status); },
                    [&] { return wait_record::for_all<name>(&request, 1); });
}

// Waits for the operation that start(&request) begins in place of the blocking call of this name.
template <call_name name, class Start>
int start_and_complete(MPI_Comm comm, Start start, MPI_Status* status = MPI_STATUS_IGNORE,
                       first_test& first = of_others) {
    MPI_Request request = MPI_REQUEST_NULL;
    const call_test test(comm, request, status);
    return start_and_wait([&] { return start(&request); }, test,
                          [&] { return test.record(place_of<name>(comm, start)); }, first);
}

// Waits as start_and_complete() does, for a request that start(&request) has begun before.
template <call_name name, class Start>
LAZULT_ALWAYS_INLINE int complete_call(MPI_Comm comm, const Start& start, MPI_Request& request,
                                       MPI_Status* status) {
    const call_test test(comm, request, status);
    return start_and_wait(
        nothing_to_start(), test, [&] { return test.record(place_of<name>(comm, start)); },
        of_others);
}

// As start_and_complete() for a ULT that may suspend (`is_unit`). Any other caller blocks.
template <call_name name, class Start>
int start_and_complete_by(bool is_unit, MPI_Comm comm, Start start) {
    if (is_unit) {
        return start_and_complete<name>(comm, start);
    }
    return deep([&] {
        MPI_Request request = MPI_REQUEST_NULL;
        const int code = start(&request);
        return code == MPI_SUCCESS ? wait_for(comm, &request, MPI_STATUS_IGNORE) : code;
    });
}

}  // namespace lazult::mpi
