// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/latent.hpp"

#include <atomic>

#include "lazult/ds/ds.hpp"

namespace lazult::core {
namespace {

// field   written by   read by         order
// known   set_asker    idle streams    relaxed: functions are there from the beginning
constinit ds::default_atomics::atomic<asker> known_asker{nullptr};

}  // namespace

void set_asker(asker ask) noexcept { known_asker.store(ask, std::memory_order_relaxed); }

std::int64_t ask_for_calls(worker& w, seeker does) noexcept {
    const asker ask = known_asker.load(std::memory_order_relaxed);
    return ask == nullptr ? -1 : ask(w, does);
}

}  // namespace lazult::core
