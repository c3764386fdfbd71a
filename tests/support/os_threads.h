// SPDX-License-Identifier: BSD-3-Clause
// The OS threads of this process that run its work. Those that the library keeps for its own
// service (timers, memory that goes back) do not count: each starts with the first need of it,
// which may be at any moment, and serves until the library ends.
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static inline int is_service_thread(const char* id) {
    static const char* const all[] = {"lazult timers\n", "lazult memory\n", "lazult watch\n",
                                      "lazult mpi\n"};
    char path[64];
    char name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", id);
    FILE* file = fopen(path, "re");
    if (file != NULL) {
        if (fgets(name, sizeof name, file) == NULL) {
            name[0] = '\0';
        }
        fclose(file);
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (strcmp(name, all[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static inline int os_threads(void) {
    DIR* all = opendir("/proc/self/task");
    int count = 0;
    for (const struct dirent* each = readdir(all); each != NULL; each = readdir(all)) {
        count += each->d_name[0] != '.' && !is_service_thread(each->d_name);
    }
    closedir(all);
    return count;
}

// A thread that ends is listed for a moment, and one that begins to serve has no name yet: looks
// for a second.
static inline int os_threads_are(int wanted) {
    const struct timespec pause = {0, 1000000};
    for (int look = 0; look < 1000 && os_threads() != wanted; ++look) {
        nanosleep(&pause, NULL);
    }
    return os_threads() == wanted;
}
