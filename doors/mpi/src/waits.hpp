// SPDX-License-Identifier: BSD-3-Clause
// How a ULT waits for MPI: it tests, goes on testing where it is while its stream would only poll, and then suspends.
#pragma once

#include <type_traits>
#include <utility>

#include "deep.hpp"
#include "library.hpp"
#include "poller.hpp"

namespace lazult::mpi {

// How long a ULT tests where it is: while its stream has nothing else to do, and no longer than an idle stream would spin.
// Plain MPI's speed, where there is nothing to overlap.
class stay {
public:
    // Whether to test again: not where others wait, for a poll looks for all.
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

// Tests until it finds, or fails.
template <class Test>
class attempts {
public:
    explicit attempts(Test& test) noexcept : test_(test) {}

    // Whether this one is the last.
    bool end_now() {
        int flag = 0;
        code_ = deep([&] { return test_(&flag); });
        return code_ != MPI_SUCCESS || flag != 0;
    }
    int code() const noexcept { return code_; }

private:
    Test& test_;
    int code_ = MPI_SUCCESS;
};

// Of a request that stands for a blocking call.
class call_test {
public:
    call_test(MPI_Comm comm, MPI_Request& request, MPI_Status* status) noexcept
        : comm_(comm), request_(request), status_(status) {}

    int operator()(int* flag) const { return test_for(comm_, &request_, flag, status_); }
    // After a poll that found it done; nobody else knows it.
    int finish() const { return wait_for(comm_, &request_, status_); }
    waiting record() const noexcept { return waiting::for_all(&request_, 1); }

private:
    MPI_Comm comm_;
    MPI_Request& request_;
    MPI_Status* status_;
};

// After a first test that found nothing, or was in vain.
template <class Test>
int keep_waiting(Test& test, waiting& record, bool may_stay) {
    for (attempts<Test> tests(test);; may_stay = true) {
        for (stay here; may_stay && here.again();) {
            if (tests.end_now()) {
                return tests.code();
            }
        }
        the_poller().suspend(record);
        if constexpr (std::is_same_v<Test, call_test>) {
            return deep([&] { return test.finish(); });
        } else if (tests.end_now()) {
            return tests.code();
        }
    }
}

// test(&flag) completes what is waited for. Until it sets the flag, or fails: its error is returned.
template <class Test>
int complete(Test test, waiting&& record, first_test& first) {
    note(&counts::calls);
    attempts<Test> once(test);
    const bool is_worth_it = !first.is_vain();
    if (is_worth_it && first.settle(once.end_now())) {
        return once.code();
    }
    return keep_waiting(test, record, is_worth_it);
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

// By a ULT that may suspend: what start(&request) begins, and the first test in the same trip to the large stack.
template <class Start>
int start_and_complete(MPI_Comm comm, Start start, MPI_Status* status = MPI_STATUS_IGNORE,
                       first_test& first = of_others) {
    note(&counts::calls);
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = 0;
    call_test test(comm, request, status);
    const bool is_worth_it = !first.is_vain();
    const int code = deep([&] {
        const int started = start(&request);
        return started == MPI_SUCCESS && is_worth_it ? test(&flag) : started;
    });
    if (code != MPI_SUCCESS || (is_worth_it && first.settle(flag != 0))) {
        return code;
    }
    waiting record = test.record();
    return keep_waiting(test, record, is_worth_it);
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
        return code == MPI_SUCCESS ? wait_for(comm, &request, MPI_STATUS_IGNORE) : code;
    });
}

// After a test that found nothing: a ULT that tests until it does must not keep others from running.
void give_way();

}  // namespace lazult::mpi
