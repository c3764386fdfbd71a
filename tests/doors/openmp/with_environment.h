// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdlib.h>
#include <unistd.h>

// The library reads variables when it is loaded.
static inline void start_again_with(const char* variable, const char* value, char** arguments) {
    const char* now = getenv(variable);
    if (now == NULL || __builtin_strcmp(now, value) != 0) {
        setenv(variable, value, 1);
        execv("/proc/self/exe", arguments);
        abort();
    }
}
