// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/uncaught.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>

#include "lazult/core/observe/backtrace.hpp"
#include "lazult/core/worker/worker.hpp"

namespace lazult::core {
namespace {

// field      written by                 read by        order
// previous   name_units_at_terminate    on_terminate   its first call, at the runtime's start,
//                                                      comes before any unit runs
// reported   report_uncaught            on_terminate   relaxed: a flag that publishes no data
std::terminate_handler previous = nullptr;
constinit std::atomic<bool> reported{false};

// Returns ": what()" of the exception that is being handled; "" if that has no what().
std::string what_was_thrown() {
    try {
        throw;
    } catch (const std::exception& e) {
        return std::string(": ") + e.what();
    } catch (...) {
        return "";
    }
}

// Returns the running unit, or nullptr if it is not a user's: schedulers run no code of users, and
// the primary unit is the main thread.
const work_unit* unit_to_blame() noexcept {
    const worker* w = this_worker_or_null();
    const work_unit* u = w == nullptr ? nullptr : w->current;
    return u == nullptr || u->has(flag_host) || u->entry == nullptr ? nullptr : u;
}

[[noreturn]] void on_terminate() noexcept {
    if (const work_unit* u = unit_to_blame();
        u != nullptr && !reported.load(std::memory_order_relaxed)) {
        report_uncaught(describe_unit(*u),
                        std::current_exception() == nullptr
                            ? "std::terminate() is called in it"
                            : "an exception leaves it that nobody catches",
                        "catch it in the unit's function");
    }
    if (previous != nullptr) {
        previous();
    }
    std::abort();
}

}  // namespace

void name_units_at_terminate() noexcept {
    static const bool done = [] {
        previous = std::set_terminate(on_terminate);
        return true;
    }();
    static_cast<void>(done);
}

void report_uncaught(std::string_view unit, std::string_view cause,
                     std::string_view cure) noexcept {
    if (!reported.exchange(true, std::memory_order_relaxed)) {
        const bool is_thrown = std::current_exception() != nullptr;
        base::report_misuse(unit, std::string(cause) + (is_thrown ? what_was_thrown() : ""), cure);
    }
}

}  // namespace lazult::core
