// SPDX-License-Identifier: BSD-3-Clause
// How a ULT tests whether its wait is over, and how many tests it makes before it suspends.
#pragma once

#include "adapt/deep.hpp"
#include "adapt/poller.hpp"
#include "library/library.hpp"

namespace lazult::mpi {

// The result of one test.
struct outcome {
    int code = MPI_SUCCESS;
    bool is_over = false;  // the test found what is waited for, or failed

    static outcome of(int code, int flag) noexcept {
        return {code, code != MPI_SUCCESS || flag != 0};
    }
};

// A kind of test has two functions, both called on the large stack: see deep(). attempt() tests.
// finish() tests after a poll has found the wait over. If another thread has taken the message or
// request meanwhile, finish() returns `not over`, and the wait goes on.

// Tests by an MPI call that sets a flag. It is for what other threads may complete too: the
// program's own requests, and messages that come.
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

// Tests a request that the door has made in place of a blocking call. No other thread knows this
// request, so finish() can wait for it.
class call_test {
public:
    call_test(MPI_Comm comm, MPI_Request& request, MPI_Status* status) noexcept
        : comm_(comm), request_(request), status_(status) {}

    outcome attempt(company around) const noexcept {
        int flag = 0;
        const int code = test_for(comm_, &request_, &flag, status_, around);
        return outcome::of(code, flag);
    }
    outcome finish() const noexcept { return {wait_for(comm_, &request_, status_), true}; }
    wait_record record(const call_place& where) const noexcept {
        return wait_record::for_call(where, &request_);
    }

private:
    MPI_Comm comm_;
    MPI_Request& request_;
    MPI_Status* status_;
};

// Has a ULT go on testing instead of suspending, while its stream has nothing else to do and for no
// longer than an idle stream would spin. So a ULT that is alone is as fast as plain MPI.
class stay {
public:
    // Tests until the wait is over, or until the ULT had better suspend.
    template <class Test>
    static outcome test_while_alone(const Test& test) {
        for (stay here; here.may_test();) {
            if (const outcome now = deep([&] { return test_some(test); }); now.is_over) {
                return now;
            }
        }
        return {};
    }
    // Makes up to eight tests, while no other ULT waits for MPI. Called on the large stack.
    template <class Test>
    static outcome test_some(const Test& test) {
        outcome now = test.attempt(company::none);
        for (int left = tests_per_check - 1;
             left != 0 && !now.is_over && !the_poller().has_waiting(); --left) {
            now = test.attempt(company::none);
        }
        return now;
    }

private:
    static constexpr int tests_per_check = 8;

    // Returns true if the ULT shall call test_some() again.
    bool may_test() noexcept;

    std::int64_t end_ns_ = 0;
    bool has_tested_ = false;
};

// How many tests a wait begins with: `some` are those of stay::test_some().
enum class first_tests : std::uint8_t { none, once, some };

// Decides how many tests a wait begins with. A test costs a round of MPI's progress. It is not
// worth that cost if such tests found nothing many times in a row and other units are ready to run,
// because the stream comes to a poll soon enough. If no other unit is ready, the ULT makes the
// several tests of a stay at once. One wait of several makes a single test in any case, to learn
// whether first tests find something by now. Sends mostly end at once and receives do not, so each
// has its own object. These objects serve only requests that the door has made. The program's own
// requests may be invalid or done already, so complete() always tests before a poll looks at them.
//
// field   written by     read by    order
// misses  settle         choose     relaxed: a hint
// skips   choose         choose     relaxed: a hint
class first_test {
public:
    // Calls start() and makes the first tests, in one trip to the large stack. A failed start()
    // counts as over. Sets *has_tested to whether tests were worth their cost.
    template <class Start, class Test>
    outcome begin(Start start, const Test& test, bool* has_tested) {
        const first_tests how = choose();
        const outcome now = deep([&] {
            const int code = start();
            return code == MPI_SUCCESS ? make(how, test) : outcome{code, true};
        });
        settle(how, now.is_over);
        *has_tested = how != first_tests::none;
        return now;
    }

private:
    using count = ds::default_atomics::atomic<std::uint32_t>;

    template <class Test>
    static outcome make(first_tests how, const Test& test) {
        switch (how) {
            case first_tests::none: break;
            case first_tests::once: return test.attempt(company::others);
            case first_tests::some: return stay::test_some(test);
        }
        return {};
    }
    first_tests choose() noexcept;
    // Called after the first tests. If `how` is `once`, counts a test that did not find the wait
    // over, or begins to count anew after a test that did. choose() reads the count.
    void settle(first_tests how, bool is_over) noexcept;

    count misses_{0};
    count skips_{0};
};
extern first_test of_receives;
extern first_test of_others;

}  // namespace lazult::mpi
