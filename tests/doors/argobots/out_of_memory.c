// SPDX-License-Identifier: BSD-3-Clause
// With memory failing at any point, calls return their error, leave what they promise behind the
// handle, lose nothing and never end the process. Each scenario runs in a child of its own for each
// n: its n-th request for memory fails, of whichever thread; or that one and all that follow it,
// until the scenario lets units run. Then the scenario must work, and several rounds of it must not
// keep more and more memory.
#define _GNU_SOURCE
#include <abt.h>
#include <abtx.h>

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scarce_memory.h"

// --- checks

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            _exit(3);                                                               \
        }                                                                           \
    } while (0)

// Whether it worked; else it says that memory is exhausted.
static bool done_as(int code, const char* call, int line) {
    if (code != ABT_SUCCESS && code != ABT_ERR_MEM && code != ABT_ERR_SYS) {
        fprintf(stderr, "%s:%d: %s says %d\n", __FILE__, line, call, code);
        _exit(3);
    }
    return code == ABT_SUCCESS;
}
#define DONE(call) done_as((call), #call, __LINE__)
#define MUST(call) CHECK((call) == ABT_SUCCESS)

#define RANDOM ((void*)(intptr_t)0x12345678)

static bool unmade_as(bool is_as_promised, const char* call, int line) {
    if (!is_as_promised) {
        fprintf(stderr, "%s:%d: after %s the handle is another one\n", __FILE__, line, call);
        _exit(3);
    }
    return false;
}
// Whether an object was made; else its handle is `otherwise`.
#define MADE(call, handle, otherwise) \
    (DONE(call) || unmade_as((handle) == (otherwise), #call, __LINE__))

static ABT_xstream self(void) {
    ABT_xstream x;
    MUST(ABT_self_get_xstream(&x));
    return x;
}

// --- scenarios; ABT_init has worked

static void nothing(void* argument) { (void)argument; }
static void give_way(void* argument) {
    (void)argument;
    MUST(ABT_self_yield());
}
static void migrated(ABT_thread thread, void* argument) {
    (void)thread;
    (void)argument;
}

enum { units = 6 };

static void free_threads(ABT_thread* threads, int count) {
    relieve();
    for (int i = 0; i < count; ++i) {
        if (threads[i] != ABT_THREAD_NULL) {
            MUST(ABT_thread_free(&threads[i]));
        }
    }
}

static void make_threads(ABT_pool pool, ABT_thread_attr attr, void (*entry)(void*)) {
    ABT_thread threads[units];
    for (int i = 0; i < units; ++i) {
        threads[i] = RANDOM;
        const bool done = DONE(ABT_thread_create(pool, entry, NULL, attr, &threads[i]));
        CHECK(done ? threads[i] != RANDOM : threads[i] == ABT_THREAD_NULL);
    }
    free_threads(threads, units);
}

static void threads_on_xstream(void) {
    ABT_thread t[3] = {ABT_THREAD_NULL, ABT_THREAD_NULL, ABT_THREAD_NULL};
    (void)DONE(ABT_thread_create_on_xstream(self(), give_way, NULL, ABT_THREAD_ATTR_NULL, &t[0]));
    (void)DONE(ABT_thread_create_on_xstream(self(), give_way, NULL, ABT_THREAD_ATTR_NULL, NULL));
    (void)DONE(ABT_task_create_on_xstream(self(), nothing, NULL, &t[1]));
    (void)DONE(ABT_task_create_on_xstream(self(), nothing, NULL, NULL));
    relieve();
    t[2] = RANDOM;
    ABT_pool pool;
    MUST(ABT_xstream_get_main_pools(self(), 1, &pool));
    if (!DONE(ABT_thread_create_to(pool, give_way, NULL, ABT_THREAD_ATTR_NULL, &t[2]))) {
        CHECK(t[2] == RANDOM);
        t[2] = ABT_THREAD_NULL;
    }
    free_threads(t, 3);
}

static void threads(void) {
    ABT_pool pool;
    MUST(ABT_xstream_get_main_pools(self(), 1, &pool));
    make_threads(pool, ABT_THREAD_ATTR_NULL, give_way);
}

static void threads_with_attributes(void) {
    ABT_pool pool;
    MUST(ABT_xstream_get_main_pools(self(), 1, &pool));
    ABT_thread_attr attr = RANDOM;
    if (!MADE(ABT_thread_attr_create(&attr), attr, ABT_THREAD_ATTR_NULL)) {
        return;
    }
    MUST(ABT_thread_attr_set_stacksize(attr, 300000));
    MUST(ABT_thread_attr_set_callback(attr, migrated, NULL));
    make_threads(pool, attr, give_way);
    static char memory[65536] __attribute__((aligned(64)));
    MUST(ABT_thread_attr_set_stack(attr, memory, sizeof memory));
    ABT_thread t = ABT_THREAD_NULL;
    (void)DONE(ABT_thread_create(pool, give_way, NULL, attr, &t));
    free_threads(&t, 1);
    MUST(ABT_thread_attr_free(&attr));
}

static void revive(void) {
    ABT_pool pools[2] = {ABT_POOL_NULL, ABT_POOL_NULL};
    MUST(ABT_xstream_get_main_pools(self(), 1, &pools[0]));
    ABT_thread t = ABT_THREAD_NULL;
    if (!DONE(ABT_thread_create(pools[0], nothing, NULL, ABT_THREAD_ATTR_NULL, &t))) {
        return;
    }
    MUST(ABT_thread_join(t));
    if (DONE(ABT_thread_revive(pools[0], nothing, NULL, &t))) {
        MUST(ABT_thread_join(t));
    }
    ABT_thread_attr attr = RANDOM;
    if (!DONE(ABT_thread_get_attr(t, &attr))) {
        CHECK(attr == RANDOM);
    } else {
        MUST(ABT_thread_attr_free(&attr));
    }
    free_threads(&t, 1);
}

static void use_pool(ABT_pool pool) {
    ABT_thread t[3] = {ABT_THREAD_NULL, ABT_THREAD_NULL, ABT_THREAD_NULL};
    (void)DONE(ABT_thread_create(pool, nothing, NULL, ABT_THREAD_ATTR_NULL, &t[0]));
    (void)DONE(ABT_task_create(pool, nothing, NULL, &t[1]));
    (void)DONE(ABT_thread_create(pool, nothing, NULL, ABT_THREAD_ATTR_NULL, &t[2]));
    ABT_pool mine;
    MUST(ABT_xstream_get_main_pools(self(), 1, &mine));
    relieve();
    for (;;) {
        ABT_thread next;
        MUST(ABT_pool_pop_thread(pool, &next));
        if (next == ABT_THREAD_NULL) {
            break;
        }
        if (!DONE(ABT_pool_push_thread(mine, next))) {
            MUST(ABT_pool_push_thread(pool, next));
        }
    }
    free_threads(t, 3);
}

static void pools(void) {
    static const ABT_pool_kind kinds[] = {ABT_POOL_FIFO, ABT_POOL_FIFO_WAIT, ABT_POOL_RANDWS};
    static const ABT_pool_access accesses[] = {ABT_POOL_ACCESS_PRIV, ABT_POOL_ACCESS_MPSC,
                                               ABT_POOL_ACCESS_MPMC};
    for (int i = 0; i < 9; ++i) {
        ABT_pool pool = RANDOM;
        if (MADE(ABT_pool_create_basic(kinds[i / 3], accesses[i % 3], ABT_FALSE, &pool), pool,
                 ABT_POOL_NULL)) {
            use_pool(pool);
            MUST(ABT_pool_free(&pool));
        }
    }
    ABT_pool_config config = RANDOM;
    if (MADE(ABT_pool_config_create(&config), config, RANDOM)) {
        const int yes = 1;
        for (int key = 0; key < 20; ++key) {
            (void)DONE(ABT_pool_config_set(config, key, ABT_POOL_CONFIG_INT, &yes));
        }
        MUST(ABT_pool_config_free(&config));
    }
}

// A user's pool: a stack, for one stream.
struct users_unit {
    ABT_thread thread;
    struct users_unit* below;
};
static ABT_unit users_create(ABT_pool pool, ABT_thread thread) {
    (void)pool;
    struct users_unit* const u = malloc(sizeof *u);
    if (u == NULL) {
        return ABT_UNIT_NULL;
    }
    *u = (struct users_unit){thread, NULL};
    return (ABT_unit)u;
}
static void users_free(ABT_pool pool, ABT_unit unit) {
    (void)pool;
    free(unit);
}
static struct users_unit* top_of(ABT_pool pool) {
    void* top;
    MUST(ABT_pool_get_data(pool, &top));
    return top;
}
static ABT_bool users_is_empty(ABT_pool pool) {
    return top_of(pool) == NULL ? ABT_TRUE : ABT_FALSE;
}
static ABT_thread users_pop(ABT_pool pool, ABT_pool_context context) {
    (void)context;
    struct users_unit* const top = top_of(pool);
    if (top == NULL) {
        return ABT_THREAD_NULL;
    }
    MUST(ABT_pool_set_data(pool, top->below));
    return top->thread;
}
static void users_push(ABT_pool pool, ABT_unit unit, ABT_pool_context context) {
    (void)context;
    struct users_unit* const u = (struct users_unit*)unit;
    u->below = top_of(pool);
    MUST(ABT_pool_set_data(pool, u));
}

// A user's code for "no unit" may be passed on.
static bool done_by_user(int code) {
    return code == ABT_ERR_UNIT || code == ABT_ERR_OTHER ? false : DONE(code);
}

static void users_pools(void) {
    ABT_pool_user_def def = RANDOM;
    if (!MADE(ABT_pool_user_def_create(users_create, users_free, users_is_empty, users_pop,
                                       users_push, &def),
              def, RANDOM)) {
        return;
    }
    ABT_pool pool = RANDOM;
    const bool made = DONE(ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &pool));
    MUST(ABT_pool_user_def_free(&def));
    if (!made) {
        CHECK(pool == ABT_POOL_NULL);
        return;
    }
    ABT_pool mine;
    MUST(ABT_xstream_get_main_pools(self(), 1, &mine));
    ABT_thread t[units];
    for (int i = 0; i < units; ++i) {
        t[i] = RANDOM;
        if (!done_by_user(ABT_thread_create(i % 2 == 0 ? pool : mine, nothing, NULL,
                                            ABT_THREAD_ATTR_NULL, &t[i]))) {
            CHECK(t[i] == ABT_THREAD_NULL);
        } else if (i % 2 != 0) {
            ABT_thread next;
            MUST(ABT_pool_pop_thread(mine, &next));
            if (!done_by_user(ABT_pool_push_thread(pool, next))) {
                MUST(ABT_pool_push_thread(mine, next));
            }
        }
    }
    relieve();
    for (;;) {
        ABT_thread next;
        MUST(ABT_pool_pop_thread(pool, &next));
        if (next == ABT_THREAD_NULL) {
            break;
        }
        while (!DONE(ABT_pool_push_thread(mine, next))) {
        }
    }
    free_threads(t, units);
    MUST(ABT_pool_free(&pool));
}

static void schedulers(void) {
    static const ABT_sched_predef kinds[] = {ABT_SCHED_BASIC, ABT_SCHED_PRIO, ABT_SCHED_RANDWS,
                                             ABT_SCHED_BASIC_WAIT};
    for (int i = 0; i < 4; ++i) {
        ABT_sched_config config = RANDOM;
        if (!MADE(ABT_sched_config_create(&config, ABT_sched_basic_freq, 10,
                                          ABT_sched_config_var_end),
                  config, RANDOM)) {
            continue;
        }
        ABT_sched sched = RANDOM;
        if (MADE(ABT_sched_create_basic(kinds[i], 0, NULL, config, &sched), sched,
                 ABT_SCHED_NULL)) {
            ABT_pool mine;
            MUST(ABT_xstream_get_main_pools(self(), 1, &mine));
            if (DONE(ABT_pool_add_sched(mine, sched))) {  // frees it, being automatic
                relieve();
                MUST(ABT_self_yield());
            } else {
                MUST(ABT_sched_free(&sched));
            }
        }
        MUST(ABT_sched_config_free(&config));
    }
}

static void main_schedulers(void) {
    if (DONE(ABT_xstream_set_main_sched_basic(self(), ABT_SCHED_PRIO, 0, NULL))) {
        threads();
    }
    if (DONE(ABT_xstream_set_main_sched(self(), ABT_SCHED_NULL))) {
        threads();
    }
}

static void xstreams(void) {
    ABT_xstream x[3];
    int made = 0;
    for (int i = 0; i < 3; ++i) {
        x[made] = RANDOM;
        const bool done =
            DONE(i == 0   ? ABT_xstream_create(ABT_SCHED_NULL, &x[made])
                 : i == 1 ? ABT_xstream_create_basic(ABT_SCHED_BASIC_WAIT, 0, NULL,
                                                     ABT_SCHED_CONFIG_NULL, &x[made])
                          : ABT_xstream_create_with_rank(ABT_SCHED_NULL, 7, &x[made]));
        CHECK(done || x[made] == ABT_XSTREAM_NULL);
        made += done;
    }
    for (int i = 0; i < made; ++i) {
        ABT_thread t = ABT_THREAD_NULL;
        (void)DONE(ABT_thread_create_on_xstream(x[i], give_way, NULL, ABT_THREAD_ATTR_NULL, &t));
        free_threads(&t, 1);
        MUST(ABT_xstream_join(x[i]));
        (void)DONE(ABT_xstream_revive(x[i]));
        MUST(ABT_xstream_free(&x[i]));
    }
}

static void wait_on(void* barrier) { MUST(ABT_barrier_wait(barrier)); }

static void locks(void) {
    ABT_mutex mutex = RANDOM;
    ABT_cond cond = RANDOM;
    const bool has_mutex = DONE(ABT_mutex_create(&mutex));
    const bool has_cond = DONE(ABT_cond_create(&cond));
    CHECK(has_mutex || mutex == ABT_MUTEX_NULL);
    CHECK(has_cond || cond == ABT_COND_NULL);
    if (has_mutex && has_cond) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 1000000;
        if (soon.tv_nsec >= 1000000000) {
            soon.tv_nsec -= 1000000000;
            ++soon.tv_sec;
        }
        MUST(ABT_mutex_lock(mutex));
        const int code = ABT_cond_timedwait(cond, mutex, &soon);
        CHECK(code == ABT_ERR_COND_TIMEDOUT || code == ABT_ERR_MEM);
        const int slept = ABTX_thread_sleep_for(1e-4);
        CHECK(slept == ABT_SUCCESS || slept == ABT_ERR_MEM);
        MUST(ABT_mutex_unlock(mutex));
    }
    if (has_mutex) {
        MUST(ABT_mutex_free(&mutex));
    }
    if (has_cond) {
        MUST(ABT_cond_free(&cond));
    }
    ABT_mutex_attr attr = RANDOM;
    if (MADE(ABT_mutex_attr_create(&attr), attr, RANDOM)) {
        MUST(ABT_mutex_attr_set_recursive(attr, ABT_TRUE));
        if (DONE(ABT_mutex_create_with_attr(attr, &mutex))) {
            MUST(ABT_mutex_free(&mutex));
        }
        MUST(ABT_mutex_attr_free(&attr));
    }
    ABT_rwlock rwlock = RANDOM;
    if (MADE(ABT_rwlock_create(&rwlock), rwlock, ABT_RWLOCK_NULL)) {
        MUST(ABT_rwlock_free(&rwlock));
    }
}

static void synchronisation(void) {
    locks();
    ABT_eventual eventual = RANDOM;
    if (MADE(ABT_eventual_create(1000, &eventual), eventual, RANDOM)) {
        MUST(ABT_eventual_free(&eventual));
    }
    ABT_future future = RANDOM;
    if (MADE(ABT_future_create(100, NULL, &future), future, RANDOM)) {
        MUST(ABT_future_free(&future));
    }
    ABT_xstream_barrier streams = RANDOM;
    if (MADE(ABT_xstream_barrier_create(1, &streams), streams, ABT_XSTREAM_BARRIER_NULL)) {
        MUST(ABT_xstream_barrier_free(&streams));
    }
    ABT_barrier barrier = RANDOM;
    if (!MADE(ABT_barrier_create(2, &barrier), barrier, ABT_BARRIER_NULL)) {
        return;
    }
    ABT_thread t = ABT_THREAD_NULL;
    if (DONE(ABT_thread_create_on_xstream(self(), wait_on, barrier, ABT_THREAD_ATTR_NULL, &t))) {
        relieve();
        MUST(ABT_barrier_wait(barrier));
    }
    free_threads(&t, 1);
    MUST(ABT_barrier_free(&barrier));
}

static void keys_and_timers(void) {
    enum { count = 40 };
    static ABT_key keys[count];
    ABT_thread t = ABT_THREAD_NULL;
    (void)DONE(ABT_thread_create_on_xstream(self(), nothing, NULL, ABT_THREAD_ATTR_NULL, &t));
    int made = 0;
    for (int i = 0; i < count; ++i) {
        keys[made] = RANDOM;
        if (!DONE(ABT_key_create(NULL, &keys[made]))) {
            CHECK(keys[made] == RANDOM);
            continue;
        }
        (void)DONE(ABT_key_set(keys[made], keys));
        if (t != ABT_THREAD_NULL) {
            (void)DONE(ABT_thread_set_specific(t, keys[made], keys));
        }
        ++made;
    }
    free_threads(&t, 1);
    for (int i = 0; i < made; ++i) {
        MUST(ABT_key_free(&keys[i]));
    }
    ABT_timer timer = RANDOM;
    ABT_timer copy = RANDOM;
    if (MADE(ABT_timer_create(&timer), timer, ABT_TIMER_NULL)) {
        MUST(ABT_timer_start(timer));
        if (MADE(ABT_timer_dup(timer, &copy), copy, ABT_TIMER_NULL)) {
            MUST(ABT_timer_free(&copy));
        }
        MUST(ABT_timer_free(&timer));
    }
}

static void migration(void) {
    ABT_pool pool = ABT_POOL_NULL;
    if (!DONE(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool))) {
        return;
    }
    ABT_thread t = ABT_THREAD_NULL;
    if (DONE(ABT_thread_create_on_xstream(self(), give_way, NULL, ABT_THREAD_ATTR_NULL, &t))) {
        (void)DONE(ABT_thread_set_callback(t, migrated, NULL));
        if (DONE(ABT_thread_migrate_to_pool(t, pool))) {
            relieve();
            MUST(ABT_self_yield());
            use_pool(pool);
        }
    }
    free_threads(&t, 1);
    MUST(ABT_pool_free(&pool));
}

static void* live_outside(void* unused) {
    (void)unused;
    ABT_mutex mutex = ABT_MUTEX_NULL;
    if (DONE(ABT_mutex_create(&mutex))) {
        MUST(ABT_mutex_lock(mutex));
        MUST(ABT_mutex_unlock(mutex));
        MUST(ABT_mutex_free(&mutex));
    }
    return NULL;
}

struct outside_job {
    ABT_xstream stream;
};
static void* create_outside(void* argument) {
    const struct outside_job* const job = argument;
    ABT_thread t = ABT_THREAD_NULL;
    (void)DONE(ABT_thread_create_on_xstream(job->stream, give_way, NULL, ABT_THREAD_ATTR_NULL, &t));
    free_threads(&t, 1);
    return live_outside(NULL);
}

static void outside_threads(void) {
    ABT_xstream x = ABT_XSTREAM_NULL;
    if (!DONE(ABT_xstream_create(ABT_SCHED_NULL, &x))) {
        return;
    }
    struct outside_job job = {x};
    pthread_t thread;
    if (create_thread(&thread, create_outside, &job) == 0) {
        CHECK(pthread_join(thread, NULL) == 0);
    }
    relieve();
    MUST(ABT_xstream_free(&x));
}

static struct timespec in_a_millisecond(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        ++t.tv_sec;
    }
    return t;
}
static void count_one(void* number) { ++*(int*)number; }
static void calls_of_the_kernel(void) {
    int ends[2];
    int fd = -1;
    int number = 0;
    char c = 0;
    CHECK(pipe(ends) == 0);
    struct pollfd one = {ends[0], POLLIN, 0};
    for (int i = 0; i < 2; ++i) {
        const struct timespec soon = in_a_millisecond();
        int code = ABTX_io_read(ends[0], &c, 1, &soon, NULL);
        CHECK(code == ABT_ERR_COND_TIMEDOUT || !DONE(code));
        code = ABTX_io_poll(&one, 1, &soon, NULL);
        CHECK(code == ABT_ERR_COND_TIMEDOUT || !DONE(code));
    }
    MUST(ABTX_io_write(ends[1], &c, 1, NULL, NULL));
    MUST(ABTX_io_read(ends[0], &c, 1, NULL, NULL));
    MUST(ABTX_io_call(count_one, &number));
    CHECK(number == 1);
    if (DONE(ABTX_io_open("/dev/null", O_RDONLY, 0, &fd))) {
        MUST(ABTX_io_close(fd, NULL));
    }
    MUST(ABTX_io_close(ends[0], NULL));
    MUST(ABTX_io_close(ends[1], NULL));
    relieve();
}

static void many_units(void) {
    enum { count = 3000 };
    static ABT_thread t[count];
    ABT_pool pool = ABT_POOL_NULL;
    if (!DONE(ABT_pool_create_basic(ABT_POOL_RANDWS, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pool))) {
        return;
    }
    if (DONE(ABT_xstream_set_main_sched_basic(self(), ABT_SCHED_RANDWS, 1, &pool))) {
        for (int i = 0; i < count; ++i) {
            t[i] = ABT_THREAD_NULL;
            (void)DONE(ABT_thread_create(pool, nothing, NULL, ABT_THREAD_ATTR_NULL, &t[i]));
        }
        free_threads(t, count);
    } else {
        MUST(ABT_pool_free(&pool));
    }
}

static void hear(ABT_thread thread, ABT_xstream x, uint64_t event, ABT_tool_context context,
                 void* argument) {
    (void)thread;
    (void)x;
    (void)event;
    (void)context;
    (void)argument;
}
static void tools(void) {
    (void)DONE(ABT_tool_register_thread_callback(hear, ABT_TOOL_EVENT_THREAD_ALL, NULL));
    threads();
    MUST(ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL));
}

static void nothing_more(void) {}

static const struct scenario {
    const char* name;
    void (*run)(void);
} scenarios[] = {
    {"init", nothing_more},
    {"threads", threads},
    {"threads_on_xstream", threads_on_xstream},
    {"threads_with_attributes", threads_with_attributes},
    {"revive", revive},
    {"pools", pools},
    {"users_pools", users_pools},
    {"schedulers", schedulers},
    {"main_schedulers", main_schedulers},
    {"xstreams", xstreams},
    {"synchronisation", synchronisation},
    {"keys_and_timers", keys_and_timers},
    {"migration", migration},
    {"outside_threads", outside_threads},
    {"calls_of_the_kernel", calls_of_the_kernel},
    {"many_units", many_units},
    {"tools", tools},
};

// --- rounds

// True when the n-th request was reached.
static bool round_of(const struct scenario* s, long n, bool for_good, bool with_init) {
    if (!with_init) {
        MUST(ABT_init(0, NULL));
    }
    arm(n, for_good);
    const bool is_up = !with_init || DONE(ABT_init(0, NULL));
    if (is_up) {
        s->run();
        MUST(ABT_finalize());
    }
    return disarm();
}

enum { rounds = 6, reached = 0, not_reached = 1 };

// In a child. The first round fails in a fresh process; the others, where caches have been filled,
// too.
static int child(const struct scenario* s, long n, bool for_good, bool with_init) {
    long blocks[rounds];
    long bytes[rounds];
    const bool was_reached = round_of(s, n, for_good, with_init);
    round_of(s, LONG_MAX, false, with_init);
    for (int i = 0; i < rounds; ++i) {
        round_of(s, n, for_good, with_init);
        blocks[i] = live_blocks();
        bytes[i] = mapped_bytes();
    }
    bool grows_always = true;
    bool maps_always = true;
    for (int i = 2; i < rounds; ++i) {
        grows_always = grows_always && blocks[i] > blocks[i - 1];
        maps_always = maps_always && bytes[i] > bytes[i - 1];
    }
    CHECK(!grows_always);
    CHECK(!maps_always);
    MUST(ABT_init(0, NULL));
    s->run();
    MUST(ABT_finalize());
    return was_reached ? reached : not_reached;
}

// Whether requests may come that late: reached, not_reached, or 2: it went wrong.
static int attempt(const struct scenario* s, long n, bool for_good, bool with_init) {
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        _exit(child(s, n, for_good, with_init));
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return 2;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) <= not_reached) {
        return WEXITSTATUS(status);
    }
    fprintf(stderr, "%s: request %ld fails%s%s: %s %d\n", s->name, n,
            for_good ? ", and all after it" : "", with_init ? ", counted from ABT_init" : "",
            WIFSIGNALED(status) ? "signal" : "exit",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 2;
}

static int try_all(const struct scenario* s, bool for_good, bool with_init) {
    int bad = 0;
    long n = 0;
    for (; n < 2000 && bad < 5; ++n) {
        const int result = attempt(s, n, for_good, with_init);
        bad += result == 2;
        if (result == not_reached) {
            break;
        }
    }
    printf("%s%s%s: %ld requests, %d bad\n", s->name, for_good ? ", for good" : "",
           with_init ? ", with init" : "", n, bad);
    return bad;
}

// Arguments: names of scenarios; none: all. Or NAME N once|good in|after, to look at one.
int main(int argc, char** argv) {
    find_replaced_functions();
    setenv("LAZULT_ABT_TOOLS", "on", 1);
    int bad = 0;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
        const struct scenario* const s = &scenarios[i];
        if (argc > 1 && strcmp(argv[1], s->name) != 0) {
            continue;
        }
        if (argc == 5) {
            return child(s, atol(argv[2]), strcmp(argv[3], "good") == 0,
                         strcmp(argv[4], "in") == 0);
        }
        for (int for_good = 0; for_good < 2; ++for_good) {
            if (s->run == nothing_more) {
                bad += try_all(s, for_good, true);
            } else {
                bad += try_all(s, for_good, false);
            }
        }
    }
    return bad == 0 ? 0 : 1;
}
