// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of floor 6: pools, schedulers, execution streams, idling, events, the runtime's life.
#pragma once

#include "lazult/sched/attention.hpp"
#include "lazult/sched/biased_fifo.hpp"
#include "lazult/sched/deadlock.hpp"
#include "lazult/sched/events.hpp"
#include "lazult/sched/private_fifo.hpp"
#include "lazult/sched/ready_pool.hpp"
#include "lazult/sched/runtime.hpp"
#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/shared_fifo.hpp"
#include "lazult/sched/steal_group.hpp"
#include "lazult/sched/stealing_pool.hpp"
#include "lazult/sched/stream.hpp"
