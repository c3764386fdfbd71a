/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The C interface of Argobots 1.2 and the two functions that came after it
 * (ABT_eventual_timedwait and ABT_thread_get_stack), as Lazult's library libabt.so.1 offers it:
 * the same names, numbers and layouts, so that programs written for Argobots need no change and,
 * built for its default configuration, no new compilation. What Lazult has beyond it stands in
 * abtx.h.
 *
 * How to read the comments
 *   Returns     Every function but ABT_get_wtime returns ABT_SUCCESS, or one of the codes listed
 * after "Errors". ABT_ERR_MEM (no memory) and ABT_ERR_SYS (the system refused) stand there without
 * a reason. null        A handle is null when it is the ABT_..._NULL of its type or NULL. Functions
 * give out the former. Pointers to results may not be NULL unless a comment says so. On error What
 * results are set to. Those that are not mentioned stay as they were. Callers     ULT: a user-level
 * thread. Schedulers are ULTs, too, and so is the primary ULT, the one that called ABT_init. Unit:
 * a ULT or a tasklet. Any: a unit, or an external thread. That is an OS thread that is no execution
 * stream. May suspend The calling ULT may give way to other units meanwhile and go on later, on
 * another stream perhaps. A tasklet or an external thread blocks its OS thread instead. Other
 * functions do not suspend, but functions of the user's that they call may. Needs no ABT_init Works
 * before ABT_init and after ABT_finalize. All others need a living runtime: some find out and
 *               return ABT_ERR_UNINITIALIZED, which they list. Objects that are mere memory
 * (mutexes, conditions, locks, eventuals, futures, barriers, keys, attributes of mutexes,
 * configurations, pool definitions) may all the same be created and freed without it. Threads All
 * may be called at the same time, also on one object, unless a comment says otherwise. Nobody may
 *               use an object while or after it is freed. */
#ifndef ABT_H_INCLUDED
#define ABT_H_INCLUDED

#include "abt/config.h"
#include "abt/types.h"

#include "abt/error.h"
#include "abt/init.h"

#include "abt/xstream.h"
#include "abt/xstream_barrier.h"

#include "abt/sched.h"
#include "abt/sched_config.h"

#include "abt/pool.h"
#include "abt/pool_config.h"
#include "abt/pool_context.h"
#include "abt/pool_def.h"
#include "abt/pool_user_def.h"

#include "abt/key.h"
#include "abt/self.h"
#include "abt/task.h"
#include "abt/thread.h"
#include "abt/thread_attr.h"
#include "abt/unit.h"

#include "abt/barrier.h"
#include "abt/cond.h"
#include "abt/eventual.h"
#include "abt/future.h"
#include "abt/mutex.h"
#include "abt/rwlock.h"

#include "abt/info.h"
#include "abt/timer.h"
#include "abt/tool.h"

#endif /* ABT_H_INCLUDED */
