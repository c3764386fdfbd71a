// SPDX-License-Identifier: BSD-3-Clause
// How a ULT waits for MPI: it tests, goes on testing where it is while its stream would only poll,
// and then suspends.
#pragma once

#include <utility>

#include "calls/helpers.hpp"
#include "deep.hpp"
#include "library/library.hpp"
#include "waiting/forms.hpp"
#include "waiting/poller.hpp"

namespace lazult::mpi {

// How long a ULT tests where it is: while its stream has nothing else to do, and no longer than an
// idle stream would spin. Plain MPI's speed, where there is nothing to overlap.
class stay {
public:
    // Whether to test some times again: not where others wait, for a poll looks for all.
    bool may_test() noexcept;
    template <class Test>
    static auto test_some(const Test& test) {
        auto now = test.attempt(company::none);
        for (int left = tests_per_check - 1;
             left != 0 && !now.is_over && !the_poller().has_waiting(); --left) {
            now = test.attempt(company::none);
        }
        return now;
    }

    static bool is_alone() noexcept;

private:
    static constexpr int tests_per_check = 8;

    std::int64_t end_ns_ = 0;
    bool has_tested_ = false;
};

// How often a wait tests where it begins.
enum class opening : std::uint8_t { none, once, some };

// Whether the test with which a wait begins is worth its cost, which is a round of MPI's own
// progress. It is not, if such tests found nothing again and again and other units are there to
// run: those come to a poll soon enough. If no others are there, the ULT makes at once the several
// tests of a stay. In one of so many waits it makes a single test in any case, to learn whether the
// first test finds something by now. Sends mostly end at once and receives do not, so each kind of
// call has its own object. It is used only for requests that the library has made itself. A request
// that the caller gives may be invalid, or may have been done all the time, and the caller's own
// test must say so before a poll looks at it.
//
// field   written by     read by    order
// misses  settle         choose     relaxed: a hint
// skips   choose         choose     relaxed: a hint
class first_test {
public:
    opening choose() noexcept;
    // What came of it; whether the wait is over.
    bool settle(opening how, bool is_over) noexcept;

private:
    atomic<std::uint32_t> misses_{0};
    atomic<std::uint32_t> skips_{0};
};
extern first_test of_receives;
extern first_test of_others;

// Of one test.
struct outcome {
    int code = MPI_SUCCESS;
    bool is_over = false;  // it found what is waited for, or failed

    static outcome of(int code, int flag) noexcept {
        return {code, code != MPI_SUCCESS || flag != 0};
    }
};

// A kind of test has attempt(), and finish() for after a poll that found it done. What a poll saw
// may be gone: then finish() is not over, and the wait goes on. Both are called where MPI's code
// may run: see deep().

// By an MPI call that sets a flag, of what others may complete too: the caller's own requests, a
// message that comes.
template <class Call>
class flag_test {
public:
    explicit flag_test(Call call) noexcept : call_(call) {}

    outcome attempt(company) const {
        int flag = 0;
        const int code = call_(&flag);
        return outcome::of(code, flag);
    }
    outcome finish() const { return attempt(company::none); }

private:
    Call call_;
};

// Of a request that stands for a blocking call: nobody else knows it.
class call_test {
public:
    call_test(MPI_Comm comm, MPI_Request& request, MPI_Status* status) noexcept
        : comm_(comm), request_(request), status_(status) {}

    outcome attempt(company who) const noexcept {
        int flag = 0;
        const int code = test_for(comm_, &request_, &flag, status_, who);
        return outcome::of(code, flag);
    }
    outcome finish() const noexcept { return {wait_for(comm_, &request_, status_), true}; }
    waiting record() const noexcept { return waiting::for_all(&request_, 1); }

private:
    MPI_Comm comm_;
    MPI_Request& request_;
    MPI_Status* status_;
};

template <class Test>
outcome open_wait(const Test& test, opening how) {
    switch (how) {
        case opening::none: break;
        case opening::once: return test.attempt(company::others);
        case opening::some: return stay::test_some(test);
    }
    return {};
}

// After a first test that found nothing, or was in vain.
template <class Test>
int keep_waiting(const Test& test, waiting& record, bool may_stay) {
    for (;; may_stay = true) {
        for (stay here; may_stay && here.may_test();) {
            if (const outcome now = core::on_large_stack([&] { return stay::test_some(test); });
                now.is_over) {
                return now.code;
            }
        }
        the_poller().suspend(record);
        if (const outcome now = core::on_large_stack([&] { return test.finish(); }); now.is_over) {
            return now.code;
        }
    }
}

// Until the test is over: its error is returned.
template <class Test>
int complete(const Test& test, waiting&& record, first_test& first) {
    note(&counts::calls);
    const opening how = first.choose();
    const outcome now = core::on_large_stack([&] { return open_wait(test, how); });
    if (first.settle(how, now.is_over)) {
        return now.code;
    }
    return keep_waiting(test, record, how != opening::none);
}

// The same, with call(&flag) as the test: it completes what is waited for. It is always tried
// first.
template <class Call>
int complete(Call call, waiting&& record) {
    first_test first;
    return complete(flag_test(call), std::move(record), first);
}

// A request of the caller's own, and one that stands for a blocking call.
int complete_request(MPI_Request& request, MPI_Status* status);
int complete_call(MPI_Comm comm, MPI_Request& request, MPI_Status* status,
                  first_test& first = of_others);

// By a ULT that may suspend: what start(&request) begins, and the first tests in the same trip to
// the large stack.
template <class Start>
int start_and_complete(MPI_Comm comm, Start start, MPI_Status* status = MPI_STATUS_IGNORE,
                       first_test& first = of_others) {
    note(&counts::calls);
    MPI_Request request = MPI_REQUEST_NULL;
    const call_test test(comm, request, status);
    const opening how = first.choose();
    outcome now;
    const int started = deep([&] {
        const int code = start(&request);
        if (code == MPI_SUCCESS) {
            now = open_wait(test, how);
        }
        return code;
    });
    if (started != MPI_SUCCESS) {
        return started;
    }
    if (first.settle(how, now.is_over)) {
        return now.code;
    }
    waiting record = test.record();
    return keep_waiting(test, record, how != opening::none);
}

// The caller is a ULT that may suspend, or any other thread, which then blocks.
template <class Start>
int nonblocking_collective(MPI_Comm comm, bool is_unit, Start start) {
    if (is_unit) {
        return start_and_complete(comm, start);
    }
    return deep([&] {
        MPI_Request request = MPI_REQUEST_NULL;
        const int code = start(&request);
        return code == MPI_SUCCESS ? wait_for(comm, &request, MPI_STATUS_IGNORE) : code;
    });
}

// In a form in which the other ranks make it too: see forms.hpp.
template <class Start, class Whole>
int collective(MPI_Comm comm, Start start, Whole whole) {
    if (!is_on()) {
        return deep(whole);
    }
    const bool is_unit = core::can_suspend();
    call_record* const record = record_of(comm);
    int code = MPI_SUCCESS;
    if (record == nullptr || !record->is_next_blocking(is_unit, &code)) {
        return code == MPI_SUCCESS ? nonblocking_collective(comm, is_unit, start) : code;
    }
    code = is_unit && !record->is_alone() ? on_helper(whole) : deep(whole);
    record->note(code);
    return code;
}

// One that makes a communicator: always nonblocking, on all ranks.
template <class Start, class Whole>
int duplicating_collective(MPI_Comm comm, Start start, Whole whole) {
    return is_on() ? nonblocking_collective(comm, core::can_suspend(), start) : deep(whole);
}

// After a test that found nothing: a ULT that tests until it does must not keep others from
// running.
void give_way();

}  // namespace lazult::mpi
