// SPDX-License-Identifier: BSD-3-Clause
// Calls that a caller keeps to itself until it comes to them, or until others need them: what this
// floor has to know of them.
//
// Others need them when the caller, or a unit that runs above it, suspends: then nobody would come
// to them, and the caller may wait for just what they do. So the host has a list of the callers
// that keep calls, the newest first, and gives all away before a suspension (host::settle). They
// also need them when a stream has nothing to do: it asks.
#pragma once

#include <cstdint>

namespace lazult::core {

struct worker;

// Of one caller. Its OS thread alone touches it.
struct latent_calls {
    using giver = void (*)(latent_calls& calls) noexcept;

    giver give_all;  // makes units of the calls that are kept; the host's list has forgotten them
    latent_calls* below = nullptr;
};

// Why an idle stream calls the asker.
//   looks    asks callers for calls, then spins
//   sleeps   asks callers for calls, then sleeps
//   woke     has just slept; asks no caller, but may have to wake other streams
enum class seeker : std::uint8_t { looks, sleeps, woke };

// Called by an idle stream. With `sleeps`, returns the longest sleep in nanoseconds: 0 means look
// again, negative means no limit. Otherwise the result has no meaning. Does nothing before
// set_asker().
using asker = std::int64_t (*)(worker& w, seeker does) noexcept;
std::int64_t ask_for_calls(worker& w, seeker does) noexcept;
void set_asker(asker ask) noexcept;

}  // namespace lazult::core
