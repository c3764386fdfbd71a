// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/attention.hpp"

#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {
namespace {

// field     written by       read by           order
// calls     call_attention   streams           release / acquire: what the caller did before;
//                                              lock-free, for handlers
// function  on_attention     attend            release / acquire
constinit ds::default_atomics::atomic<std::uint32_t> calls{0};
constinit ds::default_atomics::atomic<void (*)()> function{nullptr};

}  // namespace

void on_attention(void (*wanted)()) noexcept {
    sleepers();                                         // made here, not in a signal handler
    function.store(wanted, std::memory_order_release);  // pairs with: attend(), load of function
}

void call_attention() noexcept {
    calls.fetch_add(1, std::memory_order_release);  // pairs with: attention_calls(), load of calls
    sleepers().wake_all();
}

std::uint32_t attention_calls() noexcept {
    // pairs with: call_attention(), fetch_add of calls
    return calls.load(std::memory_order_acquire);
}

void attend() noexcept {
    // pairs with: on_attention(), store of function
    if (void (*wanted)() = function.load(std::memory_order_acquire); wanted != nullptr) {
        wanted();
    }
}

}  // namespace lazult::sched
