/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Active messages between the ranks of an MPI program: each names a handler that runs at its
 * receiver.
 *
 * Interface: Illinois Fast Messages, as Karamcheti, Plevyak and Chien's "Runtime Mechanisms for
 * Efficient Dynamic Multithreading" has it (section 4.1.2), with two schemes of moving messages
 * (sections 4.1.2 and 4.3):
 *   pull  the sender keeps a message until its receiver fetches it, and waits when it keeps too
 * much; push  the sender puts a message into a slot at the receiver, and waits while there is none.
 * Guaranteed: no message is lost or doubled. Messages of one sender to one receiver on one queue
 * run in the order in which one thread of the sender sent them; between threads of the sender
 * there is no order. One handler of a queue runs at a time in a process. A message runs only
 * inside concert_extract(), concert_queue_extract() and concert_quiesce(), and inside
 * concert_finalize() and concert_queue_free(), which wait for quiescence. If a queue asks for
 * it, its messages also run on execution streams that look for events.
 *
 * Handlers may send, start ULTs and use what does not suspend. They must not suspend, extract,
 * or quiesce. Any thread and any ULT of the process may call all functions except the collective
 * ones. Collective functions may suspend. A send outside of handlers on a pull queue may suspend
 * while more than backlog_bytes wait. No other function suspends. All ranks call the collective
 * functions in the same order, from one thread of each rank.
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
    CONCERT_ERR_CONTEXT = 9 /**< in a handler, where it cannot be done; or somebody else is at it */
};

/** What went wrong in the last call of this OS thread that failed, or that an exception of a
 * handler's left: "lazult: <object>: <cause>; <cure>". */
CONCERT_API const char* concert_last_error(void);

/** Collective. Initialises MPI with MPI_THREAD_MULTIPLE unless the program has, and then
 * concert_finalize() ends it. All of MPI_COMM_WORLD takes part. ERR_STATE, ERR_MPI, ERR_MEMORY. */
CONCERT_API int concert_init(void);
/** Collective. Waits for quiescence, and frees all queues. */
CONCERT_API int concert_finalize(void);

/** This rank's number; -1 before concert_init(). */
CONCERT_API int concert_rank(void);
/** How many ranks there are; -1 before concert_init(). */
CONCERT_API int concert_size(void);

/** `source`: the sender's rank. The buffer is aligned to 8 bytes and the handler's until it
 * returns. */
typedef void (*concert_handler)(int source, const void* buffer, size_t bytes, void* context);
/** The same for messages of four numbers, which come as arguments. */
typedef void (*concert_handler4)(int source, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                                 void* context);

/** Collective: the same names in the same order on all ranks; functions and contexts are each
 * rank's own, and live until concert_finalize() has returned. *id is the same on all. At most
 * 1024. ERR_MISMATCH names both. */
CONCERT_API int concert_register(const char* name, concert_handler run, void* context, int* id);
/** The same for a handler of four numbers. */
CONCERT_API int concert_register4(const char* name, concert_handler4 run, void* context, int* id);

/** Which side moves messages: see the top of this file. */
enum { CONCERT_PULL = 0, CONCERT_PUSH = 1 };
/** Which way to a rank: within a node shared memory and one-sided calls between nodes; or one-sided
 * calls everywhere. */
enum { CONCERT_TIERS_AUTO = 0, CONCERT_TIERS_FAR = 1 };

/** Equal on all ranks. */
typedef struct concert_options {
    int scheme; /**< CONCERT_PULL or CONCERT_PUSH */
    int tiers;  /**< CONCERT_TIERS_AUTO or CONCERT_TIERS_FAR */
    /** Messages of up to a quarter of it wait for others to the same rank, until together they are
     * so long: from 256 to 1048576, or 0: every message goes at once. */
    size_t aggregate_bytes;
    /** How long one waits at most, in nanoseconds, as long as this process comes by: in calls of
     * this library, or on a stream that idles or schedules. Extracting nothing sends all of
     * them. */
    int64_t delay_ns;
    size_t max_message_bytes; /**< up to 64 MiB; push: up to half of its slots */
    size_t pool_bytes; /**< pull: each rank's window; what does not fit waits in ordinary memory. 64
                          KiB to 512 MiB. Shared memory that is reserved and, as far as the system
                          can, taken when it is touched */
    uint32_t slots; /**< push: at each receiver, from 4 to 1048576, and 512 MiB of them at most */
    int extract_when_idle; /**< handlers run on streams that look for events, too */
    /** pull: how many bytes of messages each rank keeps in ordinary memory, when its window is
     * full, before its senders wait: from 64 KiB, or 0: any number. */
    size_t backlog_bytes;
} concert_options;

/** Pull, auto, 4096, 50000, 65536, 32 MiB, 256, 0, 64 MiB; or what LAZULT_CONCERT_SCHEME (pull,
 * push), _TIERS (auto, far), _AGGREGATE, _DELAY, _MAX_MESSAGE, _POOL, _SLOTS, _BACKLOG say.
 * ERR_ARGUMENT: a variable is malformed. */
CONCERT_API int concert_default_options(concert_options* options);

/** A queue: messages in order from each sender, with options and counters of its own. */
typedef struct concert_queue concert_queue;

/** Collective. The queue of the functions without one: made by concert_init() with the default
 * options. */
CONCERT_API int concert_queue_create(const concert_options* options, concert_queue** queue);
/** Collective. Waits for quiescence. Not the default queue. */
CONCERT_API int concert_queue_free(concert_queue* queue);

/** The handler `handler` of rank `rank` gets these. The buffer may be reused at once. Pull, outside
 * of handlers: may suspend, or block a thread that is no ULT, until backlog_bytes allow it, and
 * takes in what comes meanwhile. Nobody is cancelled there. */
CONCERT_API int concert_send4(int rank, int handler, uint64_t a, uint64_t b, uint64_t c,
                              uint64_t d);
/** The same with a buffer. */
CONCERT_API int concert_send(int rank, int handler, const void* buffer, size_t bytes);
/** concert_send4() on this queue. */
CONCERT_API int concert_queue_send4(concert_queue* queue, int rank, int handler, uint64_t a,
                                    uint64_t b, uint64_t c, uint64_t d);
/** concert_send() on this queue. */
CONCERT_API int concert_queue_send(concert_queue* queue, int rank, int handler, const void* buffer,
                                   size_t bytes);

/** Runs up to `max` messages that have come (0: none). Returns how many it ran: 0 also where it is
 * called in a handler, while another thread extracts from this queue, or before concert_init().
 * concert_extract(): of all queues. */
CONCERT_API size_t concert_extract(size_t max);
/** concert_extract() of this queue alone. */
CONCERT_API size_t concert_queue_extract(concert_queue* queue, size_t max);

/** Sends what waits for others. */
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
/** How many epochs have ended. */
CONCERT_API uint32_t concert_epoch(void);

/** Of one rank, since the queue was made. */
typedef struct concert_counters {
    uint64_t sent;         /**< messages */
    uint64_t delivered;    /**< messages */
    uint64_t packets;      /**< sent */
    uint64_t waits;        /**< push: packets that waited for a slot */
    uint64_t backlogged;   /**< pull: packets that found the window full */
    uint64_t window_bytes; /**< pull: how far the window has been used */
} concert_counters;
/** NULL: the default queue. */
CONCERT_API int concert_count(concert_queue* queue, concert_counters* counters);

#ifdef __cplusplus
}
#endif

#endif
