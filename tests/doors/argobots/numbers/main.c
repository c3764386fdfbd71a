/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that the interface gives, and the codes of misuse: each is compared with what
 * Argobots 1.2 gave in its default configuration. With the argument "print" the program prints
 * all of them, so that one can compare two libraries line by line. */
#include "numbers.h"

#include <stdio.h>

long long seen;
static int prints;
static int failures;

void tell(const char* part, const char* what, long long value) {
    if (prints) {
        printf("%s: %s = %lld\n", part, what, value);
    }
}

void compare(const char* part, const char* what, long long value, long long here, long long there) {
    tell(part, what, value);
    if (!prints && value != here && value != there) {
        fprintf(stderr, "%s: %s = %lld, and %lld was expected\n", part, what, value, here);
        ++failures;
    }
}

int main(int argc, char** argv) {
    static void (*const parts[])(void) = {
        ids_of_units,
        ids_begin_anew,
        schedulers,
        scheduler_of_the_program,
        stacked_scheduler,
        streams,
        affinity,
        sizes_of_pools,
        sizes_while_units_wait,
        pools,
        stacks,
        answers,
        tools,
        names_of_codes,
        synchronization,
        misuse_of_units,
        keys,
        configurations,
        timers,
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    prints = argc > 1 && strcmp(argv[1], "print") == 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        parts[i]();
        fflush(stdout);
    }
    return failures != 0;
}
