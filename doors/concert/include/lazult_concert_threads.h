/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Threads without stacks, futures and continuations, for C and for compilers that target them.
 * <lazult_concert_methods.hpp> is the face for people who write C++.
 *
 * Source: Karamcheti, Plevyak, Chien, "Runtime Mechanisms for Efficient Dynamic Multithreading",
 * section 3 and Table 1.
 *
 * A thread is a function and a block of memory, its data. The function is called from its
 * beginning each time that the thread can go on, so it keeps in its data where it was. It never
 * suspends: it returns CONCERT_WAITS, and is called again when the futures are there that it has
 * touched.
 *
 *     struct sum { int step; concert_slot left, right; };
 *
 *     int sum_code(concert_thread* self, void* data) {
 *         struct sum* s = data;
 *         if (s->step == 0) {
 *             s->step = 1;
 *             start_leaf(concert_make_future(self, &s->left));
 *             start_leaf(concert_make_future(self, &s->right));
 *         }
 *         concert_slot* both[] = {&s->left, &s->right};
 *         if (!concert_touch_many(self, both, 2)) return CONCERT_WAITS;
 *         ...
 *         return CONCERT_ENDS;
 *     }
 *
 * All functions but concert_resolve_future() and concert_run() are for code that runs inside
 * concert_run(): elsewhere they end the process with a report. No function but concert_run()
 * suspends. */
#ifndef LAZULT_CONCERT_THREADS_H
#define LAZULT_CONCERT_THREADS_H

#include <lazult_concert.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A thread: opaque. */
typedef struct concert_thread concert_thread;

/** What a thread's function returns. */
enum {
    CONCERT_ENDS = 0, /**< the thread is over, and its memory is given back */
    CONCERT_WAITS = 1 /**< it goes on when the futures are there that it has touched */
};

/** A thread's function. It gets the thread and its data. */
typedef int (*concert_code)(concert_thread* self, void* data);

/** Where a result of at most 16 bytes goes. It stands in the data of the thread that reads it.
 * Zero it before its first use. */
typedef struct concert_slot {
    uint8_t state;     /**< the library's */
    uint64_t value[2]; /**< the result, from its first byte on */
} concert_slot;

/** The right to fill a slot: a plain value. It is used exactly once, by any thread of the process.
 * A second use ends the process with a report. */
typedef struct concert_continuation {
    uint64_t words[2]; /**< the library's */
} concert_continuation;

/** The most bytes that a thread's data may have. */
#define CONCERT_MAX_DATA 3968
/** The most bytes that a result may have. */
#define CONCERT_MAX_RESULT 16

/** Makes a thread with a copy of `data`, and appends it to the ready list. It does not run before
 * the caller returns. NULL: `bytes` is more than CONCERT_MAX_DATA, or there is no memory. */
CONCERT_API concert_thread* concert_thread_create(concert_code code, const void* data,
                                                  size_t bytes);
/** The same, without the ready list: concert_thread_enqueue() starts it. */
CONCERT_API concert_thread* concert_thread_prepare(concert_code code, const void* data,
                                                   size_t bytes);
/** Appends a prepared thread to the ready list. */
CONCERT_API void concert_thread_enqueue(concert_thread* thread);
/** Runs the thread that has been ready longest. 0: none is ready. */
CONCERT_API int concert_thread_dequeue(void);
/** Gives a prepared thread back that has not been enqueued. */
CONCERT_API void concert_thread_delete(concert_thread* thread);
/** A thread's data, aligned to 16 bytes. Valid until the thread ends. */
CONCERT_API void* concert_thread_data(concert_thread* thread);

/** Empties a slot in the data of `thread`, and gives the right to fill it. */
CONCERT_API concert_continuation concert_make_future(concert_thread* thread, concert_slot* slot);
/** The same for a slot that is full when its continuation has been used `count` times. All these
 * uses are equal; they carry no value. */
CONCERT_API concert_continuation concert_make_counting(concert_thread* thread, concert_slot* slot,
                                                       uint32_t count);
/** Nonzero if the slot is full. 0: the thread shall return CONCERT_WAITS. */
CONCERT_API int concert_touch_future(concert_thread* thread, concert_slot* slot);
/** Nonzero if all these slots are full. 0: the thread shall return CONCERT_WAITS, and is called
 * again once, when the last of them is. */
CONCERT_API int concert_touch_many(concert_thread* thread, concert_slot* const* slots,
                                   size_t count);
/** Fills the slot with a copy of the value. CONCERT_ERR_SIZE: more than CONCERT_MAX_RESULT bytes.
 * CONCERT_ERR_MEMORY. May be called anywhere. */
CONCERT_API int concert_resolve_future(concert_continuation to, const void* value, size_t bytes);

/** Runs `code` as a thread, with a continuation that it may use or hand on, and waits until that
 * has been used. The value goes to `result`, which has CONCERT_MAX_RESULT bytes or is NULL. The
 * caller suspends until then. CONCERT_ERR_MEMORY. Not inside itself. */
CONCERT_API int concert_run(void (*code)(concert_continuation to, void* argument), void* argument,
                            void* result);

#ifdef __cplusplus
}
#endif

#endif
