// SPDX-License-Identifier: BSD-3-Clause
// How a ULT waits for MPI: it tests, goes on testing where it is while its stream would only poll, and then suspends.
#pragma once

#include <utility>

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

    static bool is_alone() noexcept;

private:
    std::int64_t end_ns_ = 0;
    unsigned tests_ = 0;
};

// Whether the test with which a wait begins is worth its cost, which is a round of MPI's own progress: not while such tests found
// nothing again and again, and others are there to run, who come to a poll soon enough. Sends mostly
// end at once, receives do not: each kind of call has its own. Only for requests that we have made ourselves: what the caller gives
// may be invalid, or have been done all the time, and its own test must say so before a poll looks at it.
//
// field   who writes     who reads  order
// misses  settle         is_vain    relaxed: a hint
// skips   is_vain        is_vain    relaxed: a hint
class first_test {
public:
    bool is_vain() noexcept;
    bool settle(bool found) noexcept;  // found

private:
    atomic<std::uint32_t> misses_{0};
    atomic<std::uint32_t> skips_{0};
};
extern first_test of_receives;
extern first_test of_others;

// test(&flag) completes what is waited for. Until it sets the flag, or fails: its error is returned.
template <class Test>
int complete(Test test, waiting&& record, first_test& first) {
    note(tally.calls);
    int code = MPI_SUCCESS;
    const auto ends = [&] {
        int flag = 0;
        code = deep([&] { return test(&flag); });
        return code != MPI_SUCCESS || flag != 0;
    };
    bool may_stay = !first.is_vain();
    if (may_stay && first.settle(ends())) {
        return code;
    }
    for (;;) {
        for (stay here; may_stay && here.again();) {
            if (ends()) {
                return code;
            }
        }
        the_poller().suspend(record);
        if (ends()) {
            return code;
        }
        may_stay = true;
    }
}

// Likewise, and tests first in any case.
template <class Test>
int complete(Test test, waiting&& record) {
    first_test first;
    return complete(test, std::move(record), first);
}

// A request of the caller's own, and one that stands for a blocking call.
int complete_request(MPI_Request& request, MPI_Status* status);
int complete_call(MPI_Comm comm, MPI_Request& request, MPI_Status* status, first_test& first = of_others);

// By a ULT that may suspend: what start(&request) began.
template <class Start>
int start_and_complete(MPI_Comm comm, Start start, MPI_Status* status = MPI_STATUS_IGNORE,
                       first_test& first = of_others) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = deep([&] { return start(&request); });
    return code == MPI_SUCCESS ? complete_call(comm, request, status, first) : code;
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
