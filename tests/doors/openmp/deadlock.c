// SPDX-License-Identifier: BSD-3-Clause
// Reports of deadlocks say which thread waits for what at OpenMP's constructs. This program runs
// itself in each way of getting stuck.
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

static omp_lock_t lock;

// Thread 0 holds the lock and waits for the others, which want it.
static void stick_at_lock_and_barrier(void) {
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
        }
#pragma omp barrier
        if (omp_get_thread_num() != 0) {
            omp_set_lock(&lock);
        }
#pragma omp barrier
    }
}

static void stick_at_tasks_and_event(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event __attribute__((unused));
        int begun = 0;
#pragma omp task detach(event) shared(begun)
        begun = 1;
#pragma omp taskwait
        CHECK(begun == 1);
    }
}

static void stick_in_turn(void) {
    omp_set_lock(&lock);
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        if (i == 0) {
            omp_set_lock(&lock);
        }
#pragma omp ordered
        (void)i;
    }
}

static const struct {
    const char* name;
    void (*stick)(void);
    const char* words[2];
} cases[] = {
    {"lock-and-barrier", stick_at_lock_and_barrier, {"waits for lock 0x", "waits for barrier 0x"}},
    {"tasks-and-event", stick_at_tasks_and_event, {"waits for tasks 0x", "waits for barrier 0x"}},
    {"turn", stick_in_turn, {"waits for lock 0x", "waits for turn 0x"}},
};
enum { case_count = sizeof cases / sizeof cases[0] };

static void check_report(const char* program, int which) {
    char command[4096];
    snprintf(command, sizeof command, "LAZULT_DEADLOCK=abort timeout 60 '%s' %s 2>&1", program,
             cases[which].name);
    FILE* child = popen(command, "r");
    CHECK(child != NULL);
    static char text[1 << 16];
    const size_t length = fread(text, 1, sizeof text - 1, child);
    text[length] = '\0';
    pclose(child);
    const bool is_right = strstr(text, "nothing in this process can run any more") != NULL &&
                          strstr(text, cases[which].words[0]) != NULL &&
                          strstr(text, cases[which].words[1]) != NULL &&
                          strstr(text, "nobody knows") == NULL;
    if (!is_right) {
        fprintf(stderr, "%s: the report is\n%s\n", cases[which].name, text);
    }
    CHECK(is_right);
}

static bool kernel_tells_what_threads_wait_for(void) {
    FILE* file = fopen("/proc/thread-self/syscall", "r");
    const bool tells = file != NULL && fgetc(file) != EOF;
    if (file != NULL) {
        fclose(file);
    }
    return tells;
}

int main(int argc, char** argv) {
    omp_init_lock(&lock);
    for (int i = 0; argc > 1 && i < case_count; ++i) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            const struct rlimit no_core = {0, 0};
            setrlimit(RLIMIT_CORE, &no_core);
            cases[i].stick();
        }
    }
    // Sanitizers keep threads of their own awake.
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    for (int i = 0; argc == 1 && kernel_tells_what_threads_wait_for() && i < case_count; ++i) {
        char program[4000];
        const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        CHECK(length > 0);
        program[length] = '\0';
        check_report(program, i);
    }
#endif
    omp_destroy_lock(&lock);
    return argc > 1;
}
