// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/latent.hpp"

#include <atomic>

#include "lazult/core/host.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::core {
namespace {

// field   written by   read by         order
// known   set_asker    idle streams    relaxed: a function is there from the beginning
constinit ds::default_atomics::atomic<asker> known{nullptr};

}  // namespace

void set_asker(asker ask) noexcept { known.store(ask, std::memory_order_relaxed); }

std::int64_t ask_for_calls(worker& w, seeker does) noexcept {
    const asker ask = known.load(std::memory_order_relaxed);
    return ask == nullptr ? -1 : ask(w, does);
}

LAZULT_NOINLINE void host::give_kept_calls() noexcept {
    while (latent_ != nullptr) {
        latent_calls* const calls = latent_;
        latent_ = calls->below;
        calls->give_all(*calls);
    }
}

// What the calls become goes into pools, and may be run at once; so they come first, while all
// below is as it was.
LAZULT_NOINLINE void host::settle_below() noexcept {
    give_kept_calls();
    if (occupant_ != nullptr) {
        promote();
    }
}

}  // namespace lazult::core
