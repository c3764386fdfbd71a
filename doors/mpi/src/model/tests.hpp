// SPDX-License-Identifier: BSD-3-Clause
// The tests by which a wait finds out whether what it waits for is over, and how many it makes
// where it is before it suspends.
#pragma once

#include "adapt/deep.hpp"
#include "adapt/poller.hpp"
#include "library/library.hpp"

namespace lazult::mpi {

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

    outcome attempt(company around) const noexcept {
        int flag = 0;
        const int code = test_for(comm_, &request_, &flag, status_, around);
        return outcome::of(code, flag);
    }
    outcome finish() const noexcept { return {wait_for(comm_, &request_, status_), true}; }
    wait_record record() const noexcept { return wait_record::for_all(&request_, 1); }

private:
    MPI_Comm comm_;
    MPI_Request& request_;
    MPI_Status* status_;
};

// How long a ULT tests where it is: while its stream has nothing else to do, and no longer than an
// idle stream would spin. Plain MPI's speed, where there is nothing to overlap.
class stay {
public:
    // Until the test is over, or the ULT had better suspend.
    template <class Test>
    static outcome test_while_alone(const Test& test) {
        for (stay here; here.may_test();) {
            if (const outcome now = deep([&] { return test_some(test); }); now.is_over) {
                return now;
            }
        }
        return {};
    }
    // Where MPI's code may run.
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

    // Whether to test some times again: not where others wait, for a poll looks for all.
    bool may_test() noexcept;

    std::int64_t end_ns_ = 0;
    bool has_tested_ = false;
};

// How often a wait tests where it begins.
enum class first_tests : std::uint8_t { none, once, some };

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
    // Starts what is waited for, and tests, in one trip to the large stack. Says in *has_tested
    // whether tests were worth their cost. A start that fails is over.
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
    // What came of it.
    void settle(first_tests how, bool is_over) noexcept;

    count misses_{0};
    count skips_{0};
};
extern first_test of_receives;
extern first_test of_others;

}  // namespace lazult::mpi
