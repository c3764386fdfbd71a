// SPDX-License-Identifier: BSD-3-Clause
// Static probes for perf, bpftrace and SystemTap, provider `lazult`. Each is a no-operation
// instruction and a note in the library. A build without <sys/sdt.h> has none. docs/tracing.md
// lists them.
#pragma once

#ifndef LAZULT_USDT
#define LAZULT_USDT 0
#endif

#if LAZULT_USDT
#define _SDT_HAS_SEMAPHORES 1  // NOLINT(readability-identifier-naming)
#include <sys/sdt.h>
#define LAZULT_PROBE_SEMAPHORES(visit)                                                         \
    visit(create) visit(start) visit(suspend) visit(wake) visit(resume) visit(end) visit(idle) \
        visit(steal) visit(stream)
#define LAZULT_PROBE_DECLARE(name) \
    [[gnu::visibility("hidden")]] extern unsigned short lazult_##name##_semaphore;
extern "C" {
LAZULT_PROBE_SEMAPHORES(LAZULT_PROBE_DECLARE)
}

// True if a tool has attached to the probe; the kernel writes the semaphore.
#define LAZULT_PROBE_IS_ON(name) \
    (__builtin_expect(*const_cast<volatile unsigned short*>(&lazult_##name##_semaphore), 0) != 0)
#define LAZULT_PROBE2(name, a, b)            \
    do {                                     \
        if (LAZULT_PROBE_IS_ON(name)) {      \
            STAP_PROBE2(lazult, name, a, b); \
        }                                    \
    } while (false)
#define LAZULT_PROBE3(name, a, b, c)            \
    do {                                        \
        if (LAZULT_PROBE_IS_ON(name)) {         \
            STAP_PROBE3(lazult, name, a, b, c); \
        }                                       \
    } while (false)
#define LAZULT_PROBE4(name, a, b, c, d)            \
    do {                                           \
        if (LAZULT_PROBE_IS_ON(name)) {            \
            STAP_PROBE4(lazult, name, a, b, c, d); \
        }                                          \
    } while (false)
#else
#define LAZULT_PROBE_IS_ON(name) false
#define LAZULT_PROBE2(name, a, b) static_cast<void>(0)
#define LAZULT_PROBE3(name, a, b, c) static_cast<void>(0)
#define LAZULT_PROBE4(name, a, b, c, d) static_cast<void>(0)
#endif

namespace lazult::probe {

// Returns true if a tool is attached to a probe of units. The runtime asks when it starts.
bool units_are_probed() noexcept;

}  // namespace lazult::probe
