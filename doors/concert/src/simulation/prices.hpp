// SPDX-License-Identifier: BSD-3-Clause
// A machine's costs, in picoseconds of virtual time: whole numbers, so that sums do not depend on
// their order.
#pragma once

#include <lazult_concert_simulation.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lazult::concert {

using picoseconds = std::int64_t;
inline constexpr picoseconds never = std::numeric_limits<picoseconds>::max();

inline picoseconds ps_of(double ns) noexcept {
    return static_cast<picoseconds>(std::llround(ns * 1000));
}
inline double ns_of(picoseconds ps) noexcept { return static_cast<double>(ps) / 1000; }

// Of one message.
struct message_price {
    picoseconds source = 0;
    picoseconds destination = 0;
    picoseconds wire = 0;
};

// On the line between two sizes. Smaller ones cost what the smallest does, longer ones go on as the
// last two say.
inline message_price price_of(const std::vector<message_cost>& table, std::size_t size) {
    const auto bytes = static_cast<double>(size);
    if (table.size() < 2 || bytes <= table.front().bytes) {
        const message_cost& least = table.front();
        return {ps_of(least.source_ns), ps_of(least.destination_ns), ps_of(least.wire_ns)};
    }
    std::size_t above = 1;
    while (above + 1 < table.size() && table[above].bytes < bytes) {
        ++above;
    }
    const message_cost& a = table[above - 1];
    const message_cost& b = table[above];
    const double share = (bytes - a.bytes) / (b.bytes - a.bytes);
    const auto between = [share](double low, double high) {
        return ps_of(low + share * (high - low));
    };
    return {between(a.source_ns, b.source_ns), between(a.destination_ns, b.destination_ns),
            between(a.wire_ns, b.wire_ns)};
}

// What the runtime has counted in a strand since `before`. A call that a message brings begins in a
// context of its own if all calls do. Contexts beyond those of calls belong to methods that wait;
// in a heap call they are part of its price.
inline picoseconds price_of(const machine& m, const simulated_version& v,
                            const detail::counters& before, const detail::counters& now) {
    const auto since = [&](std::uint64_t detail::counters::* which) {
        return static_cast<double>(now.*which - before.*which);
    };
    const double heap_calls = since(&detail::counters::heap_calls);
    const double served = since(&detail::counters::served) + since(&detail::counters::served_later);
    if (!v.calls_on_stack) {
        return ps_of((heap_calls + served) * m.heap_call_ns);
    }
    const double others = since(&detail::counters::contexts) - heap_calls;
    return ps_of(heap_calls * m.heap_call_ns + others * m.context_ns +
                 since(&detail::counters::fallbacks) * m.fallback_ns +
                 since(&detail::counters::sent_calls) * m.future_ns + served * m.stack_call_ns);
}

}  // namespace lazult::concert
