// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of sched/: pools, schedulers, execution streams, idling, events, start and stop of the
// runtime. The components, lowest first; each includes only those before it:
//   sleepers, sleep, attention, events, idle,      sleep, and what ends it
//   port_pace
//   ready_pool, *_fifo, *_pool, steal_group        where ready units wait
//   pool_kinds                                     those that users can make, by name
//   stream_record                                  what the next ones know of a stream
//   lending                                        private pools of streams that are caught
//   scheduler, work_stealing_scheduler,            which unit runs next
//   spare_scheduler
//   stream_list, stream, stacked_scheduler         OS threads, and the schedulers that run on them
//   spares, process, runtime                       start and stop
#pragma once

#include "lazult/sched/attention.hpp"
#include "lazult/sched/biased_fifo.hpp"
#include "lazult/sched/events.hpp"
#include "lazult/sched/lendable_fifo.hpp"
#include "lazult/sched/lending.hpp"
#include "lazult/sched/pool_kinds.hpp"
#include "lazult/sched/private_fifo.hpp"
#include "lazult/sched/process.hpp"
#include "lazult/sched/quiet_work.hpp"
#include "lazult/sched/ready_pool.hpp"
#include "lazult/sched/runtime.hpp"
#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/shared_fifo.hpp"
#include "lazult/sched/stacked_scheduler.hpp"
#include "lazult/sched/staying_pool.hpp"
#include "lazult/sched/steal_group.hpp"
#include "lazult/sched/stealing_pool.hpp"
#include "lazult/sched/stream.hpp"
#include "lazult/sched/stream_list.hpp"
#include "lazult/sched/work_stealing_scheduler.hpp"
