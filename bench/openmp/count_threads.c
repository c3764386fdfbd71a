/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's calls of pthread_create() come here: the program's symbols are found before the
 * C library's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

#include "bench.h"

typedef int create_function(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

/* A number, and no data behind it: relaxed. */
static atomic_long created;

long omp_threads_created(void) { return atomic_load_explicit(&created, memory_order_relaxed); }

int pthread_create(pthread_t* id, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
    create_function* const real = (create_function*)dlsym(RTLD_NEXT, "pthread_create");
    atomic_fetch_add_explicit(&created, 1, memory_order_relaxed);
    return real(id, attributes, body, argument);
}
