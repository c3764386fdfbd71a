// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/probe/usdt.hpp"

#if LAZULT_USDT
#define LAZULT_PROBE_DEFINE(name) \
    [[gnu::visibility("hidden"),  \
      gnu::section(".probes")]] unsigned short lazult_##name##_semaphore = 0;
extern "C" {
LAZULT_PROBE_SEMAPHORES(LAZULT_PROBE_DEFINE)
}
#endif

namespace lazult::probe {

bool units_are_probed() noexcept {
    return LAZULT_PROBE_IS_ON(create) || LAZULT_PROBE_IS_ON(start) || LAZULT_PROBE_IS_ON(suspend) ||
           LAZULT_PROBE_IS_ON(wake) || LAZULT_PROBE_IS_ON(resume) || LAZULT_PROBE_IS_ON(end);
}

}  // namespace lazult::probe
