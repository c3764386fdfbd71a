// SPDX-License-Identifier: BSD-3-Clause
// Memory that fails. The functions of scarce_memory.c take the place of malloc, mmap,
// pthread_create and their like in the whole process.
#ifndef LAZULT_TESTS_SCARCE_MEMORY_H
#define LAZULT_TESTS_SCARCE_MEMORY_H

#include <pthread.h>
#include <stdbool.h>

// Call this first.
void find_replaced_functions(void);

// The n-th request for memory from now on fails; or that one and all after it.
void arm(long n, bool for_good);
// Requests succeed again. Returns whether the n-th was reached.
bool disarm(void);
// If memory failed for good, there is memory again from here on: units are about to run, and nobody
// could get their errors.
void relieve(void);

long live_blocks(void);  // of the heap
long mapped_bytes(void);

// pthread_create that does not fail.
int create_thread(pthread_t* made, void* (*entry)(void*), void* argument);

#endif
