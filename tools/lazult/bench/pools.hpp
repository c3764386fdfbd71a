// SPDX-License-Identifier: BSD-3-Clause
// Where a benchmark that runs on one stream puts its units.
#pragma once

#include <memory>

#include "tools/lazult/bench/drivers.hpp"
#include "tools/lazult/bench/options.hpp"

namespace lazult::tool {

// Calls body(pool) on stream 0, or for the shared pool in a ULT on a stream that serves it alone.
template <class Body>
void with_pool(pool_kind kind, Body&& body) {
    switch (kind) {
        case pool_kind::private_fifo: body(*sched::this_stream()->pinned()); return;
        case pool_kind::work_stealing: body(sched::this_stream()->default_pool()); return;
        case pool_kind::shared_fifo: break;
    }
    // as the program's own: LAZULT_STARTED says whether units stay
    const std::unique_ptr<sched::ready_pool> shared(sched::make_pool("shared_fifo"));
    on_streams_sharing(*shared, 1, [&] { body(*shared); });
}

}  // namespace lazult::tool
