// SPDX-License-Identifier: BSD-3-Clause
// Umbrella header of ds/.
#pragma once

#include "lazult/ds/alone.hpp"
#include "lazult/ds/atomics.hpp"
#include "lazult/ds/coarse_count.hpp"
#include "lazult/ds/deque.hpp"
#include "lazult/ds/event_count.hpp"
#include "lazult/ds/inbox.hpp"
#include "lazult/ds/mpmc_queue.hpp"
#include "lazult/ds/mpsc_queue.hpp"
#include "lazult/ds/node_slab.hpp"
#include "lazult/ds/owned_fifo.hpp"
#include "lazult/ds/parker.hpp"
#include "lazult/ds/split_loop.hpp"
#include "lazult/ds/split_range.hpp"
