// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/single_threaded.h>

#include <cstdint>

#include "lazult/sched/sched.hpp"
#include "tools/lazult/bench/measure.hpp"

namespace lazult::tool {

struct instant {
    std::int64_t ns;
    std::uint64_t cycles;

    static instant now() noexcept { return {os::now_ns(), arch::read_tsc()}; }
};

inline sample per_operation(instant begin, instant end, double operations) {
    const auto ns = static_cast<double>(end.ns - begin.ns);
    const auto cycles = static_cast<double>(end.cycles - begin.cycles);
    return {ns / operations, cycles / operations, ns, operations, {}};
}

// From `begin` to now.
inline sample per_operation(instant begin, double operations) {
    return per_operation(begin, instant::now(), operations);
}

// 1 or 0: where it is 1, the synchronisation floor takes no locked instructions, as the C library's
// own.
inline double process_has_one_thread() noexcept { return __libc_single_threaded != 0 ? 1 : 0; }

}  // namespace lazult::tool
