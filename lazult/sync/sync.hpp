// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of the floor sync: what ULTs and OS threads wait for. A ULT suspends, an OS thread
// outside the streams sleeps, and a tasklet may call what cannot block. Lowest first, and each
// component includes those before it alone:
//   wait_kind, wait_names                          what waits are called
//   mutex_view, waiter, record_block               the record of a wait
//   timer_heap, wait_description, wait_trace       timers, and what reports and traces say
//   blocking, timers, claimed_wait, sleep          how a wait begins and ends
//   spinning, spinning_in_place, end_watch         spinning before a wait; waits for a unit's end
//   wait_queue, and the objects                    what is waited for
//   wait_any                                       waits for several objects
#pragma once

#include "lazult/sync/barrier.hpp"
#include "lazult/sync/channel.hpp"
#include "lazult/sync/condition.hpp"
#include "lazult/sync/eventual.hpp"
#include "lazult/sync/future.hpp"
#include "lazult/sync/latch.hpp"
#include "lazult/sync/mutex.hpp"
#include "lazult/sync/record_block.hpp"
#include "lazult/sync/recursive_mutex.hpp"
#include "lazult/sync/rwlock.hpp"
#include "lazult/sync/semaphore.hpp"
#include "lazult/sync/sleep.hpp"
#include "lazult/sync/timers.hpp"
#include "lazult/sync/wait_any.hpp"
#include "lazult/sync/wait_names.hpp"
#include "lazult/sync/wait_note.hpp"
