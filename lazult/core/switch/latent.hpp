// SPDX-License-Identifier: BSD-3-Clause
// Calls that a caller keeps to run them itself later, unless other threads need them before. This
// is what core/ knows of them.
//
// If the caller, or a unit that runs above it, suspends, the calls must become units: the caller
// would not come to them, and may wait for just what they do. So the host lists the callers that
// keep calls, the newest first, and gives all calls away before a suspension (host::settle). An
// idle stream also asks for calls.
#pragma once

#include <cstdint>

namespace lazult::core {

struct worker;

// The kept calls of one caller. Only the caller's OS thread touches this record.
struct latent_calls {
    using giver = void (*)(latent_calls& calls) noexcept;

    // makes units of the kept calls; the host's list does not hold this record any more
    giver give_all;
    latent_calls* below = nullptr;
};

// Why an idle stream calls the asker.
//   looks    asks callers for calls, then spins
//   sleeps   asks callers for calls, then sleeps
//   woke     has just slept; asks no caller, but may have to wake other streams
enum class seeker : std::uint8_t { looks, sleeps, woke };

// Called by an idle stream. With `sleeps`, returns the longest sleep in nanoseconds: 0 means look
// again, negative means no limit. Otherwise the result means nothing. Does nothing before
// set_asker().
using asker = std::int64_t (*)(worker& w, seeker does) noexcept;
std::int64_t ask_for_calls(worker& w, seeker does) noexcept;
void set_asker(asker ask) noexcept;

}  // namespace lazult::core
