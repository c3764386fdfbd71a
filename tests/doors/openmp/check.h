// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdio.h>
#include <stdlib.h>

// ThreadSanitizer has room for so many calls in each other.
#ifdef __SANITIZE_THREAD__
enum { deepest = 2000 };
#else
enum { deepest = 100000 };
#endif

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)
