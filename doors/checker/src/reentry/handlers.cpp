// SPDX-License-Identifier: BSD-3-Clause
#include "reentry/handlers.hpp"

#include <array>
#include <atomic>

namespace lazult::checker {
namespace {

thread_local volatile int depth = 0;

// field              written by       read by          order
// function           keep_handler()   run_handler()    release / acquire: what the program did
// before takes_information  keep_handler()   handler_of()     relaxed: the program orders its own
// calls
struct kept_handler {
    std::atomic<decltype(handler::function)> function{nullptr};
    std::atomic<bool> takes_information{false};
};

constinit std::array<kept_handler, NSIG> kept{};

kept_handler& place_of(int number) noexcept { return kept[static_cast<std::size_t>(number)]; }

}  // namespace

handler handler_of(int number) noexcept {
    const kept_handler& place = place_of(number);
    return {place.function.load(std::memory_order_relaxed),
            place.takes_information.load(std::memory_order_relaxed)};
}

void keep_handler(int number, handler of_program) noexcept {
    kept_handler& place = place_of(number);
    place.takes_information.store(of_program.takes_information, std::memory_order_relaxed);
    // pairs with: run_handler(), load
    place.function.store(of_program.function, std::memory_order_release);
}

void run_handler(int number, siginfo_t* info, void* context) {
    depth = depth + 1;
    // pairs with: keep_handler(), store of function
    const auto function = place_of(number).function.load(std::memory_order_acquire);
    function(number, info, context);
    depth = depth - 1;
}

bool is_in_signal_handler() noexcept { return depth != 0; }

}  // namespace lazult::checker
