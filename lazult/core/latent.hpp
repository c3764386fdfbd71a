// SPDX-License-Identifier: BSD-3-Clause
// Calls that a flow keeps to itself until it comes to them, or until others need them: what this floor has to know of them.
//
// Others need them when the flow, or a unit that runs above it, suspends: then nobody would come to them, and the flow may wait for
// just what they do. So the host has a list of the flows that keep calls, the newest first, and gives all away before a suspension
// (host::settle). They also need them when a stream has nothing to do: it asks.
#pragma once

#include <cstdint>

namespace lazult::core {

struct worker;

// Of one flow. Its OS thread alone touches it.
struct latent_calls {
    using giver = void (*)(latent_calls& calls) noexcept;

    giver give_all;  // makes units of the calls that are kept; the host's list has forgotten them
    latent_calls* below = nullptr;
};

// What a stream that has nothing to do is about to do.
//   looks   it asks flows for some of their calls, and spins meanwhile
//   sleeps  likewise, and then it sleeps
//   woke    it has slept. It asks nobody, but may have to wake others
enum class seeker : std::uint8_t { looks, sleeps, woke };

// By such a stream. If it is about to sleep, returns for how long it may at most, in nanoseconds; 0: it shall look again instead;
// negative: for ever. Otherwise the result means nothing. Does nothing until somebody has set who knows the flows.
using asker = std::int64_t (*)(worker& w, seeker does) noexcept;
std::int64_t ask_for_calls(worker& w, seeker does) noexcept;
void set_asker(asker ask) noexcept;

}  // namespace lazult::core
