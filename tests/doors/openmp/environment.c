// SPDX-License-Identifier: BSD-3-Clause
// OMP_DISPLAY_AFFINITY has each thread of a new team say where it is; absurd places cost neither
// time nor memory.
#include <fcntl.h>
#include <omp.h>
#include <string.h>

#include "check.h"
#include "with_environment.h"

static char written[1 << 16];

// Not to be seen by gcc, which leaves empty regions out.
__attribute__((noipa)) static void nothing(void) {}

static int lines_with(const char* text) {
    int count = 0;
    for (const char* at = written; (at = strstr(at, text)) != NULL; ++at) {
        ++count;
    }
    return count;
}

int main(int count, char** arguments) {
    (void)count;
    start_again_with("OMP_DISPLAY_AFFINITY", "true", arguments);
    start_again_with("OMP_AFFINITY_FORMAT", "level %L thread %n!", arguments);
    start_again_with("OMP_PLACES", "{0:2000000000}:2000000000", arguments);
    const int before = dup(2);
    char name[] = "/tmp/omp-environment-XXXXXX";
    const int file = mkstemp(name);
    unlink(name);
    dup2(file, 2);
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(3)
        nothing();
    }
#pragma omp parallel num_threads(2)
    nothing();
    dup2(before, 2);
    CHECK(pread(file, written, sizeof written - 1, 0) > 0);
    CHECK(lines_with("level 1 thread 0!") == 2);
    CHECK(lines_with("level 1 thread 1!") == 2);
    CHECK(lines_with("level 1 thread 2!") == 1);
    CHECK(omp_get_num_places() == 0);
    return 0;
}
