/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What Lazult offers beyond Argobots, for programs that use abt.h. Argobots itself does not have
 * this header, so include it only if __has_include(<abtx.h>) is true. abt.h explains how to read
 * the comments. */
#ifndef ABTX_H_INCLUDED
#define ABTX_H_INCLUDED

#include "abt.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/** How a ULT starts, and when it gets a stack. ULTs of all techniques may be in the same pool. If
 * the conditions of a technique are not met, the next one up in this list is used. */
enum ABTX_technique {
    ABTX_TECHNIQUE_ADAPTIVE,             /**< the best one for recent ULTs of the same function */
    ABTX_TECHNIQUE_FULL,                 /**< a stack from its creation on */
    ABTX_TECHNIQUE_LAZY_STACK,           /**< a stack from its start on, as in Argobots */
    ABTX_TECHNIQUE_RETURN_ON_COMPLETION, /**< as LAZY_STACK, but its end is a plain return unless it
                                            suspended */
    ABTX_TECHNIQUE_STACK_SEPARATION,   /**< a plain call on its own stack; the scheduler restarts if
                                          it suspends */
    ABTX_TECHNIQUE_SCHEDULER_CREATION, /**< a plain call on the scheduler's stack; it keeps that
                                          stack if it suspends */
    ABTX_TECHNIQUE_RUN_TO_COMPLETION   /**< a plain call that may never suspend */
};
typedef enum ABTX_technique ABTX_technique; /**< The same without `enum`. */

/** Sets the technique of ULTs that are created with these attributes. With a stack set by
 * ABT_thread_attr_set_stack, the ULT always has a stack of its own.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null), ABT_ERR_INV_ARG (no such technique).
 * Callers: any. Not at the same time as another use of these attributes. */
int ABTX_thread_attr_set_technique(ABT_thread_attr attr, ABTX_technique technique) ABT_API_PUBLIC;

/** Gets the technique that was set. If none was set, that is the setting LAZULT_TECHNIQUE, ADAPTIVE
 * by default.
 * Errors: ABT_ERR_INV_THREAD_ATTR (null).
 * Callers: any. Not while another caller sets it. */
int ABTX_thread_attr_get_technique(ABT_thread_attr attr, ABTX_technique* technique) ABT_API_PUBLIC;

/** A setting, of type int, for ABT_sched_config_create or ABT_sched_config_set. If it is not 0, a
 * user's scheduler is stateless. Then any call that runs a unit or suspends may never return to
 * the scheduler's run function; instead, run is called anew with the same scheduler. So over such
 * calls run may hold no lock, keep nothing in its own variables (ABT_sched_set_data can keep
 * things), and in C++ have no object with a destructor. STACK_SEPARATION and SCHEDULER_CREATION
 * work only under stateless schedulers and under the library's own.
 *     ABT_sched_config_create(&config, ABTX_sched_config_stateless, 1, ABT_sched_config_var_end);
 *     ABT_sched_create(&def, num_pools, pools, config, &sched); */
extern const ABT_sched_config_var ABTX_sched_config_stateless ABT_API_PUBLIC; /**< {-256, INT} */

/** Whether a ULT that has begun may continue on another stream, or stays where it began. */
enum ABTX_started {
    ABTX_STARTED_DEFAULT, /**< as the setting LAZULT_STARTED says */
    ABTX_STARTED_MOVE,    /**< any stream of the pool may continue it */
    ABTX_STARTED_STAY     /**< its stream alone does: addresses of errno and thread_local hold */
};
typedef enum ABTX_started ABTX_started; /**< The same without `enum`. */

/** Creates a pool as ABT_pool_create_basic does, and says whether its ULTs stay where they began.
 * ABT_pool_create_basic takes DEFAULT. With STAY, all streams of the pool take what has not begun.
 * A scheduler with such a pool can be pushed (ABT_pool_add_sched) only to a pool that would keep it
 * on its stream, too: one with STAY, or one for a single stream. Else the push gives
 * ABT_ERR_FEATURE_NA. A user's pool (ABT_pool_create) decides itself which stream gets a ULT.
 * Errors: those of ABT_pool_create_basic; ABT_ERR_INV_POOL_KIND (also: STAY and ABT_POOL_RANDWS,
 * from which ULTs that have begun are stolen), ABT_ERR_INV_ARG (no such value of started).
 * Callers: any. */
int ABTX_pool_create_basic(ABT_pool_kind kind, ABT_pool_access access, ABTX_started started,
                           ABT_bool automatic, ABT_pool* newpool) ABT_API_PUBLIC;

/** Sleeps for the given number of seconds or a little longer; other units run meanwhile. Returns at
 * once if seconds is not positive.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_INV_ARG (not a number).
 * Callers: ULT, external thread. May suspend. */
int ABTX_thread_sleep_for(double seconds) ABT_API_PUBLIC;

/** Sleeps until a time of CLOCK_REALTIME; other units run meanwhile. Returns at once if that time
 * has passed.
 * Errors: ABT_ERR_UNINITIALIZED, ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_INV_ARG (tv_nsec is not
 * from 0 to 999,999,999).
 * Callers: ULT, external thread. May suspend. */
int ABTX_thread_sleep_until(const struct timespec* abstime) ABT_API_PUBLIC;

/* Timed waits. abstime is a time of CLOCK_REALTIME. A call that need not wait succeeds even if that
 * time has passed. */

/** Another name of ABT_eventual_timedwait, which Argobots has in versions after 1.2. */
#define ABTX_eventual_timedwait ABT_eventual_timedwait

/** Does what ABT_mutex_lock does, until a time at the latest.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over, and the caller does not have the mutex),
 * ABT_ERR_INV_MUTEX (null), ABT_ERR_INV_ARG (tv_nsec is not from 0 to 999,999,999).
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_mutex_timedlock(ABT_mutex mutex, const struct timespec* abstime) ABT_API_PUBLIC;

/** Does what ABT_thread_join does, until a time at the latest. If the time is over, the unit may be
 * joined again.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_THREAD (null; the caller; the
 * primary ULT; a main scheduler), ABT_ERR_INV_ARG (tv_nsec is not from 0 to 999,999,999).
 * Callers: any. May suspend. Only one caller at a time may join or free a unit. */
int ABTX_thread_timedjoin(ABT_thread thread, const struct timespec* abstime) ABT_API_PUBLIC;

/*
 * Waits for the first of several units or eventuals.
 */

/** What a caller waits for. */
enum ABTX_wait_kind { ABTX_WAIT_THREAD, ABTX_WAIT_EVENTUAL };
typedef enum ABTX_wait_kind ABTX_wait_kind; /**< The same without `enum`. */

/** One of several things to wait for: the end of a unit, or that an eventual becomes ready. An item
 * with a null handle is ignored. */
typedef struct {
    ABTX_wait_kind kind; /**< which member of handle is used */
    union {
        ABT_thread thread;     /**< for ABTX_WAIT_THREAD */
        ABT_eventual eventual; /**< for ABTX_WAIT_EVENTUAL */
    } handle;                  /**< of the unit or eventual */
} ABTX_wait_item;

/** Waits until one of num_threads units has ended, joins that unit and writes its position to
 * *index. If several have ended, takes the first one in the list. The other units are not joined.
 * Null handles are ignored, so after ABT_thread_free the same list can be used again:
 *     while (ABTX_thread_join_any(n, threads, &i) == ABT_SUCCESS) {
 *         use(results[i]);
 *         ABT_thread_free(&threads[i]);
 *     }
 * Errors: ABT_ERR_INV_ARG (num_threads < 0), ABT_ERR_INV_THREAD (all null; one is the caller, the
 * primary ULT or a main scheduler), ABT_ERR_MEM.
 * On error: *index = -1.
 * Callers: any. May suspend. Only one caller at a time may join or free each unit. */
int ABTX_thread_join_any(int num_threads, const ABT_thread* thread_list, int* index) ABT_API_PUBLIC;

/** Waits for the first of num_items units and eventuals, until a time at the latest; a NULL abstime
 * means no limit. If a unit is chosen, it is joined. If an eventual is chosen, it stays ready, and
 * ABT_eventual_test gets its value.
 * Errors: ABT_ERR_COND_TIMEDOUT (the time is over), ABT_ERR_INV_ARG (num_items < 0; all null; no
 * such kind; tv_nsec is not from 0 to 999,999,999), ABT_ERR_INV_THREAD (the caller, the primary
 * ULT or a main scheduler is among them), ABT_ERR_EVENTUAL (by a tasklet, with an eventual that is
 * not ready), ABT_ERR_MEM.
 * On error: *index = -1.
 * Callers: any. May suspend. Only one caller at a time may join or free each unit. */
int ABTX_wait_any(int num_items, const ABTX_wait_item* items, const struct timespec* abstime,
                  int* index) ABT_API_PUBLIC;

/*
 * Calls that would block in the kernel. They do what the functions of POSIX do that have their
 * names, and suspend the calling ULT instead, so that its stream goes on with others.
 * ABTX_thread_sleep_for and ABTX_thread_sleep_until are the sleep that goes with them.
 *
 * - abstime is a time of CLOCK_REALTIME. NULL means no limit. What can be done at once is done even
 *   if that time has passed.
 * - *result gets what the function of POSIX returns, or -errno, such as -EBADF. result may be NULL.
 * - These codes have one meaning in all of them: ABT_ERR_COND_TIMEDOUT (the time is over; *result =
 *   -ETIMEDOUT), ABT_ERR_INV_THREAD (a tasklet would have to wait; -EDEADLK), ABT_ERR_INV_ARG
 *   (tv_nsec is not from 0 to 999,999,999; -EINVAL), ABT_ERR_MEM (-ENOMEM), ABT_ERR_SYS (any other
 *   error). No call ends with -EINTR.
 * - A tasklet reads and writes files on its own OS thread, which may wait for the device.
 * - The result of a descriptor that was closed by ABTX_io_close while a ULT waited is -EBADF.
 * - Callers: any. Needs no ABT_init.
 *
 * libabt makes these calls by liblazult's <lazult/io.h>, which has more of them, stop handles, and
 * descriptors that "belong to lazult::io". ULTs may call that, too. Link it by -llazult.
 */

/** Reads from a file, a pipe or a socket. 0 means the end.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_read(int fd, void* into, size_t bytes, const struct timespec* abstime,
                 ssize_t* result) ABT_API_PUBLIC;

/** Writes all bytes. If an error or the time ends it after some bytes, it succeeds with their
 * number. To a pipe that the other side has closed it also raises SIGPIPE.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_write(int fd, const void* from, size_t bytes, const struct timespec* abstime,
                  ssize_t* result) ABT_API_PUBLIC;

/** Reads from a file at an offset. The file's own position stays.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno; -EINVAL: the offset is negative.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_pread(int fd, void* into, size_t bytes, off_t offset, const struct timespec* abstime,
                  ssize_t* result) ABT_API_PUBLIC;

/** Writes to a file at an offset. The file's own position stays.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno; -EINVAL: the offset is negative.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_pwrite(int fd, const void* from, size_t bytes, off_t offset,
                   const struct timespec* abstime, ssize_t* result) ABT_API_PUBLIC;

/** Receives from a socket. 0 means that the other side has closed, or an empty datagram.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno; -EAGAIN: flags has MSG_DONTWAIT.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_recv(int fd, void* into, size_t bytes, int flags, const struct timespec* abstime,
                 ssize_t* result) ABT_API_PUBLIC;

/** Sends all bytes, as ABTX_io_write does. If the other side has closed, no signal is raised.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno; -EPIPE: the other side has closed.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_send(int fd, const void* from, size_t bytes, int flags, const struct timespec* abstime,
                 ssize_t* result) ABT_API_PUBLIC;

/** Accepts a connection: *result is the new descriptor, which must be closed by ABTX_io_close.
 * flags: SOCK_CLOEXEC, SOCK_NONBLOCK, or 0. address and address_bytes may be NULL.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG (also: result is NULL),
 * ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_accept(int fd, struct sockaddr* address, socklen_t* address_bytes, int flags,
                   const struct timespec* abstime, int* result) ABT_API_PUBLIC;

/** Connects a socket. After ABT_ERR_COND_TIMEDOUT or ABT_ERR_INV_THREAD the connection may still
 * come about: close the descriptor.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_connect(int fd, const struct sockaddr* address, socklen_t address_bytes,
                    const struct timespec* abstime, int* result) ABT_API_PUBLIC;

/** Waits until one of several descriptors is ready. *result is how many are.
 * Errors: ABT_ERR_COND_TIMEDOUT, ABT_ERR_INV_THREAD, ABT_ERR_INV_ARG, ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. May suspend. */
int ABTX_io_poll(struct pollfd* descriptors, nfds_t num_descriptors, const struct timespec* abstime,
                 int* result) ABT_API_PUBLIC;

/** Opens a file: *result is its descriptor, which must be closed by ABTX_io_close. mode counts
 * where a file is made.
 * Errors: ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_INV_ARG (result is NULL), ABT_ERR_MEM,
 * ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: ULT, external thread. Needs no ABT_init. May suspend. */
int ABTX_io_open(const char* path, int flags, mode_t mode, int* result) ABT_API_PUBLIC;

/** Has the device keep what was written to a file.
 * Errors: ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: ULT, external thread. Needs no ABT_init. May suspend. */
int ABTX_io_fsync(int fd, int* result) ABT_API_PUBLIC;

/** Does what ABTX_io_fsync does, without what is only known about the file, such as its times.
 * Errors: ABT_ERR_INV_THREAD (a tasklet), ABT_ERR_MEM, ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: ULT, external thread. Needs no ABT_init. May suspend. */
int ABTX_io_fdatasync(int fd, int* result) ABT_API_PUBLIC;

/** Closes a descriptor. ULTs that wait for it get ABT_ERR_SYS and -EBADF. External threads that
 * block in it go on.
 * Errors: ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. */
int ABTX_io_close(int fd, int* result) ABT_API_PUBLIC;

/** Makes known that a descriptor, such as one that socket() has made, will be closed by
 * ABTX_io_close and by nothing else. Then the calls above take fewer system calls. Descriptors that
 * ABTX_io_accept and ABTX_io_open have made are known already.
 * Errors: ABT_ERR_SYS.
 * On error: *result = -errno.
 * Callers: any. Needs no ABT_init. */
int ABTX_io_adopt(int fd, int* result) ABT_API_PUBLIC;

/** Calls function(arg) on a helper thread and waits until it has returned: for other functions that
 * block in the kernel, such as getaddrinfo. It must not wait for a unit.
 * Errors: ABT_ERR_INV_THREAD (a tasklet).
 * Callers: ULT, external thread. Needs no ABT_init. May suspend. */
int ABTX_io_call(void (*function)(void*), void* arg) ABT_API_PUBLIC;

#if defined(__cplusplus)
}
#endif

#endif /* ABTX_H_INCLUDED */
