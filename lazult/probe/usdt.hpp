// SPDX-License-Identifier: BSD-3-Clause
// Static probes for perf, bpftrace and SystemTap, provider `lazult`: a no-operation instruction and
// a note in the library each. Where the build had no <sys/sdt.h> there are none. docs/tracing.md
// lists them.
#pragma once

#ifndef LAZULT_USDT
#define LAZULT_USDT 0
#endif

#if LAZULT_USDT
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#define LAZULT_PROBE_SEMAPHORES(visit)                                                         \
    visit(create) visit(start) visit(suspend) visit(wake) visit(resume) visit(end) visit(idle) \
        visit(steal) visit(stream)
#define LAZULT_PROBE_DECLARE(name) \
    [[gnu::visibility("hidden")]] extern unsigned short lazult_##name##_semaphore;
extern "C" {
LAZULT_PROBE_SEMAPHORES(LAZULT_PROBE_DECLARE)
}

// Whether anybody has attached to the probe: written by the kernel.
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
#else
#define LAZULT_PROBE_IS_ON(name) false
#define LAZULT_PROBE2(name, a, b) static_cast<void>(0)
#define LAZULT_PROBE3(name, a, b, c) static_cast<void>(0)
#endif

namespace lazult::probe {

// Whether somebody attached to a probe that units pass, before the runtime began.
bool units_are_probed() noexcept;

}  // namespace lazult::probe
