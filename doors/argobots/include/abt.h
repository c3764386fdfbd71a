/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The C interface of Argobots 1.2, as Lazult's library libabt.so.1 offers it, with two functions
 * of later versions (ABT_eventual_timedwait and ABT_thread_get_stack). Names, numbers and layouts
 * are those of Argobots. So programs that were written for Argobots need no change, and programs
 * that were built for its default configuration need not be compiled again. abtx.h has what Lazult
 * offers beyond Argobots.
 *
 * How to read the comments:
 * - Gets, Tests: the function writes its result through a pointer argument.
 * - Errors: each function except ABT_get_wtime returns ABT_SUCCESS or one of the listed codes. The
 *   words in parentheses say when. ABT_ERR_MEM (memory is exhausted) and ABT_ERR_SYS (the system
 *   refused) are listed without such words.
 * - null: a handle is null if it is the ABT_..._NULL of its type, or NULL. Functions return
 *   ABT_..._NULL. Pointers to results may not be NULL unless the comment allows it.
 * - On error: the values of results after an error. Results that are not mentioned stay as they
 *   were.
 * - Callers: ULT means a user-level thread; schedulers are ULTs, and so is the primary ULT, which
 *   called ABT_init. Unit means a ULT or a tasklet. Any means a unit or an external thread, which
 *   is an OS thread that is no execution stream.
 * - May suspend: the calling ULT may give way to other units and continue later, perhaps on
 *   another stream. A tasklet or an external thread blocks its OS thread instead. Other functions
 *   do not suspend, but functions of the user's that they call may.
 * - Needs no ABT_init: the function works before ABT_init and after ABT_finalize. All others need
 *   a running runtime; some check this, and list ABT_ERR_UNINITIALIZED. Objects that are mere
 *   memory (mutexes, conditions, locks, eventuals, futures, barriers, keys, attributes of mutexes,
 *   configurations, pool definitions) may be created and freed without a runtime all the same.
 * - Threads: all functions may be called concurrently, also on one object, unless a comment says
 *   otherwise. No caller may use an object while it is freed or afterwards. */
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
