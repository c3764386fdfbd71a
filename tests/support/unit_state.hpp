// SPDX-License-Identifier: BSD-3-Clause
// What belongs to a unit and stays with it wherever it suspends, whichever door it came through:
// errno, the exceptions that it throws and handles, the rounding of floating point. And signals
// that interrupt it meanwhile.
#pragma once

#include <sys/time.h>
#include <csignal>

#include <array>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <exception>

#include "tests/support/own_errno.hpp"

namespace lazult::support {

// What a call that suspends promises of errno.
enum class errno_promise {
    kept,  // it is as before
    ours,  // the call may set it, as calls of the system's do, but no other unit's comes in
};

// Finds out what one unit loses at its suspensions.
template <class Suspend>
class unit_state {
public:
    // Two units have different numbers. `suspend()` lets other units run.
    unit_state(int number, errno_promise promise, Suspend suspend)
        : suspend_(suspend), number_(number), promise_(promise) {}

    // nullptr, or the first thing that was not as this unit left it.
    const char* use() {
        expect(std::fegetround() == FE_TONEAREST, "the rounding that a unit begins with");
        std::fesetround(rounding());
        suspend(0, false);
        throw_and_handle();
        suspend(0, false);
        std::fesetround(FE_TONEAREST);
        return lost_;
    }

private:
    struct numbered_error {
        int number;
    };
    struct suspends_while_unwinding {
        unit_state& owner;
        ~suspends_while_unwinding() { owner.suspend(1, owner.handles_); }
    };

    void throw_and_handle() {
        try {
            const suspends_while_unwinding one{*this};
            throw numbered_error{number_};
        } catch (const numbered_error& first) {
            handles_ = true;
            suspend(0, true);
            throw_again();
            suspend(0, true);
            expect(first.number == number_, "the exception that is handled");
        }
        handles_ = false;
    }
    void throw_again() {
        try {
            const suspends_while_unwinding two{*this};
            throw;
        } catch (const numbered_error& again) {
            suspend(0, true);
            expect(again.number == number_, "the exception that was thrown again");
        }
    }

    void suspend(int uncaught, bool handles) {
        set_errno(name());
        suspend_();
        const int found = get_errno();
        expect(found == name() || (promise_ == errno_promise::ours && found < first_name), "errno");
        expect(std::uncaught_exceptions() == uncaught, "the number of uncaught exceptions");
        expect((std::current_exception() != nullptr) == handles, "whether an exception is handled");
        expect(std::fegetround() == rounding(), "the rounding of floating point");
    }
    void expect(bool holds, const char* what) {
        if (!holds && lost_ == nullptr) {
            lost_ = what;
        }
    }

    static constexpr int first_name = 100'000;  // above the system's numbers
    int name() const { return first_name + number_; }
    int rounding() const {
        constexpr std::array modes{FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
        return modes[static_cast<std::size_t>(number_) % modes.size()];
    }

    Suspend suspend_;
    int number_;
    errno_promise promise_;
    bool handles_ = false;
    const char* lost_ = nullptr;
};

// nullptr, or what this unit lost.
template <class Suspend>
const char* lost_unit_state(int number, errno_promise promise, Suspend suspend) {
    return unit_state<Suspend>(number, promise, suspend).use();
}

// While it lives, SIGALRM comes every half a millisecond to whichever unit runs, on that unit's
// stack.
class timer_signals {
public:
    timer_signals() {
        struct sigaction action{};
        action.sa_handler = take;
        action.sa_flags = SA_RESTART;
        sigaction(SIGALRM, &action, &before_);
        set(500);
    }
    timer_signals(const timer_signals&) = delete;
    timer_signals& operator=(const timer_signals&) = delete;
    ~timer_signals() {
        set(0);
        sigaction(SIGALRM, &before_, nullptr);
    }

    int taken() const { return count().load(std::memory_order_relaxed); }

private:
    static std::atomic<int>& count() {
        static std::atomic<int> taken{0};
        return taken;
    }
    // As handlers must, it leaves errno as it was. It uses some of the stack, and none of the
    // exception's state.
    static void take(int) {
        const int error_number = get_errno();
        volatile char room[1024];
        room[0] = 1;
        room[sizeof room - 1] = 1;
        set_errno(EINTR);
        count().fetch_add(1, std::memory_order_relaxed);
        set_errno(error_number);
    }
    static void set(int microseconds) {
        const itimerval each{{0, microseconds}, {0, microseconds}};
        setitimer(ITIMER_REAL, &each, nullptr);
    }

    struct sigaction before_{};
};

}  // namespace lazult::support
