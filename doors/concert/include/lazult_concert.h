/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Active messages between the ranks of an MPI program. A message names a handler, which runs at
 * the receiver.
 *
 * Interface: Illinois Fast Messages, as Karamcheti, Plevyak and Chien's "Runtime Mechanisms for
 * Efficient Dynamic Multithreading" has it (section 4.1.2), with two schemes of moving messages
 * (sections 4.1.2 and 4.3), and a third one that chooses between them:
 *   - pull: the sender keeps a message until its receiver fetches it, and waits while it keeps too
 *     many bytes
 *   - push: the sender puts a message into a slot at the receiver, and waits while no slot is free
 *   - auto: each packet goes by push while the sender's share of the receiver's slots has room and
 *     the packet fits into a slot, and by pull otherwise. The sender waits as with pull
 *
 * Guaranteed: no message is lost or doubled. Messages of one sender to one receiver on one queue
 * run in the order in which one thread of the sender sent them; between threads of the sender
 * there is no order. One handler of a queue runs at a time in a process. A message runs only
 * inside concert_extract(), concert_queue_extract() and concert_quiesce(), and inside
 * concert_finalize() and concert_queue_free(), which wait for quiescence. If a queue asks for
 * it, its messages also run on execution streams that look for events.
 *
 * Handlers may send, start ULTs and use what does not suspend. They must not suspend, extract,
 * or quiesce. Any thread and any ULT of the process may call all functions except the collective
 * ones. Collective functions may suspend. A send outside of handlers on a pull or auto queue may
 * suspend while more than backlog_bytes wait. No other function suspends. All ranks call the
 * collective functions in the same order, from one thread of each rank.
 *
 * An exception that leaves a handler also leaves the call that ran the handler, at the end of
 * that call. If a stream ran the handler, the exception leaves the next concert_extract(),
 * concert_queue_extract() or concert_quiesce(). concert_last_error() then names the handler and
 * the sender. The first exception of each handler is also printed to stderr.
 *
 * A function that returns int returns CONCERT_OK (0), or a CONCERT_ERR_ number; then
 * concert_last_error() says more. concert_rank() and concert_size() return numbers. */
#ifndef LAZULT_CONCERT_H
#define LAZULT_CONCERT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CONCERT_API __attribute__((visibility("default")))
#else
#define CONCERT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CONCERT_OK = 0,
    CONCERT_ERR_STATE = 1, /**< before concert_init(), after concert_finalize(), or twice; a release
                              without a hold */
    CONCERT_ERR_RANK = 2,
    CONCERT_ERR_HANDLER = 3,  /**< not registered, or of the other kind */
    CONCERT_ERR_SIZE = 4,     /**< longer than the queue's max_message_bytes */
    CONCERT_ERR_ARGUMENT = 5, /**< a null pointer, an option out of range */
    CONCERT_ERR_MEMORY = 6,
    CONCERT_ERR_MPI = 7,      /**< MPI does not give what is needed */
    CONCERT_ERR_MISMATCH = 8, /**< ranks disagree in a collective call */
    CONCERT_ERR_CONTEXT = 9   /**< a handler may not call it; or another thread is in such a call */
};

/** Returns what went wrong in this OS thread's last call that failed, or that a handler's exception
 * left: "lazult: <object>: <cause>; <cure>". */
CONCERT_API const char* concert_last_error(void);

/** Collective over MPI_COMM_WORLD. Initialises MPI with MPI_THREAD_MULTIPLE unless the program has.
 * If it does, concert_finalize() finalises MPI. ERR_STATE, ERR_MPI, ERR_MEMORY. */
CONCERT_API int concert_init(void);
/** Collective. Waits for quiescence, and frees all queues. */
CONCERT_API int concert_finalize(void);

/** Returns this rank's number; -1 before concert_init(). */
CONCERT_API int concert_rank(void);
/** Returns how many ranks there are; -1 before concert_init(). */
CONCERT_API int concert_size(void);

/** A handler. `source` is the sender's rank. The buffer is aligned to 8 bytes, and valid until the
 * handler returns. */
typedef void (*concert_handler)(int source, const void* buffer, size_t bytes, void* context);
/** A handler of messages of four numbers, which come as arguments. */
typedef void (*concert_handler4)(int source, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                 void* context);

/** Collective. Registers a handler; at most 1024. All ranks give the same names in the same order,
 * and get the same *id. `run` and `context` are each rank's own, and must live until
 * concert_finalize() has returned. The words of ERR_MISMATCH have both names. */
CONCERT_API int concert_register(const char* name, concert_handler run, void* context, int* id);
/** As concert_register(), for a handler of four numbers. */
CONCERT_API int concert_register4(const char* name, concert_handler4 run, void* context, int* id);

/** How messages move: see the top of this file. */
enum { CONCERT_PULL = 0, CONCERT_PUSH = 1, CONCERT_AUTO = 2 };
/** AUTO: messages go through shared memory within a node, and by one-sided calls between nodes.
 * FAR: by one-sided calls everywhere. */
enum { CONCERT_TIERS_AUTO = 0, CONCERT_TIERS_FAR = 1 };

/** The options of a queue, which must be equal on all ranks. */
typedef struct concert_options {
    int scheme; /**< CONCERT_PULL, CONCERT_PUSH or CONCERT_AUTO */
    int tiers;  /**< CONCERT_TIERS_AUTO or CONCERT_TIERS_FAR */
    /** The size of a packet that collects messages to one rank: from 256 to 1048576, or 0: every
     * message goes at once. Messages longer than a quarter of a packet are not collected. */
    size_t aggregate_bytes;
    /** How many nanoseconds a collected message waits at most. This is checked by calls of this
     * library, and by streams that idle or schedule. An extract() that runs no message sends all
     * collected messages. */
    int64_t delay_ns;
    size_t max_message_bytes; /**< up to 64 MiB; push: up to half of the slots */
    size_t pool_bytes; /**< pull, auto: size of each rank's window, 64 KiB to 512 MiB. Messages that
                          do not fit wait in ordinary memory. The window is reserved; memory is
                          taken when it is touched, if the system can do that */
    /** push, auto: at each receiver, from 4 to 1048576, of 512 MiB in total at most. */
    uint32_t slots;
    int extract_when_idle; /**< handlers run on streams that look for events, too */
    /** pull, auto: how many bytes of messages a rank keeps in ordinary memory when its window is
     * full, before its senders wait: from 64 KiB, or 0: any number. */
    size_t backlog_bytes;
} concert_options;

/** Sets *options to: pull, auto, 4096, 50000, 65536, 32 MiB, 256, 0, 64 MiB. The variables
 * LAZULT_CONCERT_SCHEME (pull, push, auto), _TIERS (auto, far), _AGGREGATE, _DELAY, _MAX_MESSAGE,
 * _POOL, _SLOTS and _BACKLOG override these. ERR_ARGUMENT: a variable is malformed. */
CONCERT_API int concert_default_options(concert_options* options);

/** A queue keeps the order of each sender's messages, and has its own options and counters. */
typedef struct concert_queue concert_queue;

/** Collective. Makes a queue. concert_init() has made a default queue with the default options, for
 * the functions without a queue. */
CONCERT_API int concert_queue_create(const concert_options* options, concert_queue** queue);
/** Collective. Waits for quiescence, and frees a queue that is not the default queue. */
CONCERT_API int concert_queue_free(concert_queue* queue);

/** Sends four numbers to the handler `handler` of rank `rank`. On a pull or auto queue, outside of
 * handlers: while more than backlog_bytes wait, suspends the caller, or blocks a thread that is no
 * ULT. This is no cancellation point, and takes in what comes meanwhile. */
CONCERT_API int concert_send4(int rank, int handler, uint64_t a, uint64_t b, uint64_t c,
                              uint64_t d);
/** As concert_send4(), with a buffer, which may be reused at once. */
CONCERT_API int concert_send(int rank, int handler, const void* buffer, size_t bytes);
/** concert_send4() on this queue. */
CONCERT_API int concert_queue_send4(concert_queue* queue, int rank, int handler, uint64_t a,
                                    uint64_t b, uint64_t c, uint64_t d);
/** concert_send() on this queue. */
CONCERT_API int concert_queue_send(concert_queue* queue, int rank, int handler, const void* buffer,
                                   size_t bytes);

/** Runs up to `max` messages that have come, of all queues except those from which another thread
 * extracts. Returns how many it ran: 0 also in a handler, and before concert_init(). */
CONCERT_API size_t concert_extract(size_t max);
/** As concert_extract(), of this queue alone. */
CONCERT_API size_t concert_queue_extract(concert_queue* queue, size_t max);

/** Sends the collected messages of all queues. */
CONCERT_API int concert_flush(void);

/** Collective: extracts until every message that any rank sent on any queue before its call, or
 * that a handler or a held piece of work sent, has run. It ends an epoch: messages of ranks that
 * have returned already do not run here before this rank returns too. May suspend; other ULTs of
 * the stream run meanwhile.
 * Other work that sends, such as a ULT that a handler started, must be held. Call concert_hold()
 * before the work exists, from something that quiescence already waits for: a handler, held work,
 * or a caller that has not called concert_quiesce() yet. Call concert_release() at the end of the
 * work, on the same rank. A release on a rank that holds nothing, or nothing any more, returns
 * ERR_STATE and changes nothing. */
CONCERT_API int concert_quiesce(void);
/** Begins work for which quiescence waits: see concert_quiesce(). */
CONCERT_API int concert_hold(void);
/** Ends the work of one concert_hold(). */
CONCERT_API int concert_release(void);
/** Returns how many epochs have ended. */
CONCERT_API uint32_t concert_epoch(void);

/** What a queue has counted on this rank since it was made. */
typedef struct concert_counters {
    uint64_t sent;         /**< messages that were sent */
    uint64_t delivered;    /**< messages that were run */
    uint64_t packets;      /**< packets that were sent */
    uint64_t waits;        /**< push: packets that waited for a slot; auto: packets that would have
                              had to wait, and went by pull */
    uint64_t backlogged;   /**< pull, auto: packets that found the window full */
    uint64_t window_bytes; /**< pull, auto: how far the window has been used */
} concert_counters;
/** Sets *counters to those of a queue; NULL: of the default queue. */
CONCERT_API int concert_count(concert_queue* queue, concert_counters* counters);

#ifdef __cplusplus
}
#endif

#endif
