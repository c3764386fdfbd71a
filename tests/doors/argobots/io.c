/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the kernel in ULTs, tasklets and external threads: ABTX_io_... */
#define _GNU_SOURCE
#include <abt.h>
#include <abtx.h>
#include <lazult/io.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)
#define MUST(call) CHECK((call) == ABT_SUCCESS)

enum { millisecond = 1000000, second = 1000000000 };

static struct timespec in_ms(long ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * millisecond;
    if (t.tv_nsec >= second) {
        t.tv_nsec -= second;
        ++t.tv_sec;
    }
    return t;
}
static double now(void) { return ABT_get_wtime(); }

static void nap(int milliseconds) {
    const struct timespec span = {0, milliseconds * (long)millisecond};
    nanosleep(&span, NULL);
}

static void make_pipe(int ends[2]) {
    CHECK(pipe(ends) == 0);
    MUST(ABTX_io_adopt(ends[0], NULL));
    MUST(ABTX_io_adopt(ends[1], NULL));
}
static void close_both(const int ends[2]) {
    MUST(ABTX_io_close(ends[0], NULL));
    MUST(ABTX_io_close(ends[1], NULL));
}

static ABT_pool main_pool(ABT_xstream of) {
    ABT_pool pool = ABT_POOL_NULL;
    MUST(ABT_xstream_get_main_pools(of, 1, &pool));
    return pool;
}
static ABT_pool own_pool(void) {
    ABT_xstream self = ABT_XSTREAM_NULL;
    MUST(ABT_xstream_self(&self));
    return main_pool(self);
}

/* Runs body(argument) in a ULT of this stream. */
static void in_ult(void (*body)(void*), void* argument) {
    ABT_thread unit = ABT_THREAD_NULL;
    MUST(ABT_thread_create(own_pool(), body, argument, ABT_THREAD_ATTR_NULL, &unit));
    MUST(ABT_thread_free(&unit));
}

static void transfers(void* unused) {
    (void)unused;
    int ends[2];
    int number = -1;
    char got[8] = "";
    ssize_t moved = -1;
    const struct timespec soon = in_ms(20000);
    make_pipe(ends);
    MUST(ABTX_io_write(ends[1], "hello", 5, NULL, &moved));
    CHECK(moved == 5);
    MUST(ABTX_io_read(ends[0], got, 8, &soon, &moved));
    CHECK(moved == 5 && memcmp(got, "hello", 5) == 0);
    MUST(ABTX_io_write(ends[1], "x", 1, &soon, NULL));
    struct pollfd one = {ends[0], POLLIN, 0};
    MUST(ABTX_io_poll(&one, 1, &soon, &number));
    CHECK(number == 1 && one.revents == POLLIN);
    close_both(ends);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    MUST(ABTX_io_send(ends[1], "abc", 3, 0, NULL, &moved));
    CHECK(moved == 3);
    MUST(ABTX_io_recv(ends[0], got, 8, 0, &soon, &moved));
    CHECK(moved == 3 && memcmp(got, "abc", 3) == 0);
    MUST(ABTX_io_close(ends[1], &number));
    CHECK(number == 0);
    MUST(ABTX_io_recv(ends[0], got, 8, 0, NULL, &moved));
    CHECK(moved == 0);
    CHECK(ABTX_io_send(ends[0], "abc", 3, 0, NULL, &moved) == ABT_ERR_SYS && moved == -EPIPE);
    MUST(ABTX_io_close(ends[0], NULL));
}

static void files(void* unused) {
    (void)unused;
    char path[] = "/tmp/lazult-abt-io-XXXXXX";
    char got[8] = "";
    ssize_t moved = -1;
    int fd = mkstemp(path);
    int number = -1;
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(ABTX_io_open("/no/such/file", O_RDONLY, 0, &fd) == ABT_ERR_SYS && fd == -ENOENT);
    CHECK(ABTX_io_open(path, O_RDWR, 0, NULL) == ABT_ERR_INV_ARG);
    MUST(ABTX_io_open(path, O_RDWR | O_CLOEXEC, 0, &fd));
    MUST(ABTX_io_pwrite(fd, "hello", 5, 2, NULL, &moved));
    CHECK(moved == 5);
    MUST(ABTX_io_pread(fd, got, 3, 4, NULL, &moved));
    CHECK(moved == 3 && memcmp(got, "llo", 3) == 0);
    MUST(ABTX_io_fsync(fd, &number));
    CHECK(number == 0);
    MUST(ABTX_io_fdatasync(fd, NULL));
    MUST(ABTX_io_read(fd, got, 8, NULL, &moved));
    CHECK(moved == 7 && memcmp(got, "\0\0hello", 7) == 0);
    CHECK(ABTX_io_pread(fd, got, 1, -1, NULL, &moved) == ABT_ERR_SYS && moved == -EINVAL);
    CHECK(ABTX_io_pwrite(fd, got, 1, -1, NULL, &moved) == ABT_ERR_SYS && moved == -EINVAL);
    MUST(ABTX_io_close(fd, NULL));
    CHECK(unlink(path) == 0);
}

static void errors(void* unused) {
    (void)unused;
    const struct timespec none = {1, second};
    struct sockaddr_in at = {.sin_family = AF_INET};
    struct pollfd one = {-1, POLLIN, 0};
    char c = 0;
    ssize_t moved = 7;
    int number = 7;
    CHECK(ABTX_io_read(-1, &c, 1, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
    CHECK(ABTX_io_write(-1, &c, 1, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
    CHECK(ABTX_io_pread(-1, &c, 1, 0, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
    CHECK(ABTX_io_pwrite(-1, &c, 1, 0, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
    CHECK(ABTX_io_recv(-1, &c, 1, 0, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
    CHECK(ABTX_io_send(-1, &c, 1, 0, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
    CHECK(ABTX_io_accept(-1, NULL, NULL, 0, NULL, &number) == ABT_ERR_SYS && number == -EBADF);
    CHECK(ABTX_io_accept(-1, NULL, NULL, 0, NULL, NULL) == ABT_ERR_INV_ARG);
    CHECK(ABTX_io_connect(-1, (struct sockaddr*)&at, sizeof at, NULL, &number) == ABT_ERR_SYS &&
          number == -EBADF);
    CHECK(ABTX_io_fsync(-1, &number) == ABT_ERR_SYS && number == -EBADF);
    CHECK(ABTX_io_fdatasync(-1, &number) == ABT_ERR_SYS && number == -EBADF);
    CHECK(ABTX_io_close(-1, &number) == ABT_ERR_SYS && number == -EBADF);
    CHECK(ABTX_io_adopt(-1, &number) == ABT_ERR_SYS && number == -EBADF);
    CHECK(ABTX_io_read(-1, &c, 1, NULL, NULL) == ABT_ERR_SYS);
    CHECK(ABTX_io_read(-1, &c, 1, &none, &moved) == ABT_ERR_INV_ARG && moved == -EINVAL);
    CHECK(ABTX_io_poll(&one, 1, &none, &number) == ABT_ERR_INV_ARG && number == -EINVAL);
}

static void times(void* unused) {
    (void)unused;
    const struct timespec past = {1, 0};
    char much[4096] = "";
    int ends[2];
    int number = 7;
    ssize_t moved = 7;
    double began = now();
    struct timespec soon = in_ms(20);
    make_pipe(ends);
    CHECK(ABTX_io_read(ends[0], much, 1, &soon, &moved) == ABT_ERR_COND_TIMEDOUT);
    CHECK(moved == -ETIMEDOUT && now() - began >= 0.019 && now() - began < 1);
    CHECK(ABTX_io_read(ends[0], much, 1, &past, NULL) == ABT_ERR_COND_TIMEDOUT);
    struct pollfd one = {ends[0], POLLIN, 0};
    began = now();
    soon = in_ms(20);
    CHECK(ABTX_io_poll(&one, 1, &soon, &number) == ABT_ERR_COND_TIMEDOUT && number == -ETIMEDOUT);
    CHECK(now() - began >= 0.019 && now() - began < 1);
    MUST(ABTX_io_write(ends[1], much, 1, &past, NULL));
    MUST(ABTX_io_poll(&one, 1, &past, &number));
    CHECK(number == 1);
    MUST(ABTX_io_read(ends[0], much, 1, &past, &moved)); /* what need not wait succeeds */
    CHECK(moved == 1);
    do {
        number = ABTX_io_write(ends[1], much, sizeof much, &past, &moved);
    } while (number == ABT_SUCCESS && moved > 0);
    CHECK(number == ABT_ERR_COND_TIMEDOUT && moved == -ETIMEDOUT);
    close_both(ends);
}

static void double_it(void* number) {
    nap(10);
    *(int*)number *= 2;
}
static void calls(void* unused) {
    (void)unused;
    int number = 21;
    MUST(ABTX_io_call(double_it, &number));
    CHECK(number == 42);
}

static void in_tasklet(void* ran) {
    const struct timespec past = {1, 0};
    const struct timespec soon = in_ms(20000);
    int ends[2];
    int number = 7;
    char c = 0;
    ssize_t moved = 7;
    make_pipe(ends);
    struct pollfd one = {ends[0], POLLIN, 0};
    CHECK(ABTX_io_read(ends[0], &c, 1, NULL, &moved) == ABT_ERR_INV_THREAD && moved == -EDEADLK);
    CHECK(ABTX_io_read(ends[0], &c, 1, &soon, &moved) == ABT_ERR_INV_THREAD && moved == -EDEADLK);
    CHECK(ABTX_io_read(ends[0], &c, 1, &past, &moved) == ABT_ERR_COND_TIMEDOUT);
    CHECK(ABTX_io_poll(&one, 1, NULL, &number) == ABT_ERR_INV_THREAD && number == -EDEADLK);
    CHECK(ABTX_io_fsync(ends[0], &number) == ABT_ERR_INV_THREAD && number == -EDEADLK);
    CHECK(ABTX_io_open("/dev/null", O_RDONLY, 0, &number) == ABT_ERR_INV_THREAD);
    CHECK(ABTX_io_call(double_it, &number) == ABT_ERR_INV_THREAD && number == -EDEADLK);
    MUST(ABTX_io_write(ends[1], "x", 1, NULL, &moved));
    MUST(ABTX_io_poll(&one, 1, NULL, &number));
    MUST(ABTX_io_read(ends[0], &c, 1, NULL, &moved));
    CHECK(moved == 1 && c == 'x');
    close_both(ends);
    *(int*)ran = 1;
}

static void tasklets(void) {
    ABT_task task = ABT_TASK_NULL;
    int ran = 0;
    MUST(ABT_task_create(own_pool(), in_tasklet, &ran, &task));
    MUST(ABT_task_free(&task));
    CHECK(ran == 1);
}

/* The calls of <lazult/io.h> in a unit: a ULT suspends, and a tasklet blocks its stream. */
static void native_call(void* ran) {
    const lazult_io_limits briefly = {20 * millisecond, NULL};
    int ends[2];
    char c = 0;
    make_pipe(ends);
    const double began = now();
    CHECK(lazult_io_read(ends[0], &c, 1, &briefly) == -ETIMEDOUT && now() - began >= 0.019);
    CHECK(lazult_io_write(ends[1], "x", 1, NULL) == 1);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == 1);
    close_both(ends);
    ++*(int*)ran;
}
static void native_calls(void) {
    ABT_task task = ABT_TASK_NULL;
    int ran = 0;
    MUST(ABT_task_create(own_pool(), native_call, &ran, &task));
    in_ult(native_call, &ran);
    MUST(ABT_task_free(&task));
    CHECK(ran == 2);
}

static void* write_late(void* fd) {
    nap(20);
    CHECK(write(*(int*)fd, "x", 1) == 1);
    return NULL;
}
/* Reads a pipe that an OS thread writes to 20 ms after the ULT has begun. */
static void late_read(void* done) {
    pthread_t other;
    int ends[2];
    char c = 0;
    make_pipe(ends);
    CHECK(pthread_create(&other, NULL, write_late, &ends[1]) == 0);
    MUST(ABTX_io_read(ends[0], &c, 1, NULL, NULL));
    CHECK(pthread_join(other, NULL) == 0);
    close_both(ends);
    ++*(int*)done;
}

/* One after another they would take 64 times 20 ms. */
static void ults_of_a_stream_wait_together(void) {
    enum { count = 64 };
    ABT_thread all[count];
    int done = 0;
    const ABT_pool pool = own_pool();
    const double began = now();
    for (int i = 0; i < count; ++i) {
        MUST(ABT_thread_create(pool, late_read, &done, ABT_THREAD_ATTR_NULL, &all[i]));
    }
    MUST(ABT_thread_free_many(count, all));
    const double took = now() - began;
    printf("%d reads of 20 ms took %.0f ms\n", count, took * 1e3);
    CHECK(done == count && took >= 0.019 && took < count * 0.02 / 2);
}

struct reading {
    int ends[2];
    int done;
};
static void read_one(void* what) {
    struct reading* const mine = what;
    char c = 0;
    MUST(ABTX_io_read(mine->ends[0], &c, 1, NULL, NULL));
    mine->done = 1;
}
/* A ULT that waits counts in its pool, and its stream does not end before it. */
static void a_stream_waits_for_its_ults(void) {
    ABT_xstream stream = ABT_XSTREAM_NULL;
    ABT_thread unit = ABT_THREAD_NULL;
    struct reading mine = {.done = 0};
    pthread_t other;
    size_t size = 0;
    make_pipe(mine.ends);
    MUST(ABT_xstream_create(ABT_SCHED_NULL, &stream));
    MUST(ABT_thread_create(main_pool(stream), read_one, &mine, ABT_THREAD_ATTR_NULL, &unit));
    nap(20);
    MUST(ABT_pool_get_total_size(main_pool(stream), &size));
    CHECK(size == 1);
    CHECK(pthread_create(&other, NULL, write_late, &mine.ends[1]) == 0);
    MUST(ABT_xstream_join(stream));
    CHECK(mine.done == 1);
    CHECK(pthread_join(other, NULL) == 0);
    MUST(ABT_thread_free(&unit));
    MUST(ABT_xstream_free(&stream));
    close_both(mine.ends);
}

static void read_and_yield(void* went) {
    const struct timespec soon = in_ms(20);
    int ends[2];
    char c = 0;
    make_pipe(ends);
    ABTX_io_read(ends[0], &c, 1, &soon, NULL);
    close_both(ends);
    ++*(int*)went;
    ABT_thread_yield();
    ++*(int*)went;
}
/* As a wait for a mutex does, a call goes to its end; then the ULT ends. */
static void a_cancelled_ult_ends_afterwards(void) {
    ABT_thread unit = ABT_THREAD_NULL;
    int went = 0;
    MUST(ABT_thread_create(own_pool(), read_and_yield, &went, ABT_THREAD_ATTR_NULL, &unit));
    ABT_thread_yield();
    MUST(ABT_thread_cancel(unit));
    MUST(ABT_thread_free(&unit));
    CHECK(went == 1);
}

static void read_closed(void* fd) {
    char c = 0;
    ssize_t moved = 7;
    CHECK(ABTX_io_read(*(int*)fd, &c, 1, NULL, &moved) == ABT_ERR_SYS && moved == -EBADF);
}
static void a_close_ends_a_wait(void) {
    ABT_thread unit = ABT_THREAD_NULL;
    int ends[2];
    make_pipe(ends);
    MUST(ABT_thread_create(own_pool(), read_closed, &ends[0], ABT_THREAD_ATTR_NULL, &unit));
    ABT_thread_yield();
    MUST(ABTX_io_close(ends[0], NULL));
    MUST(ABT_thread_free(&unit));
    MUST(ABTX_io_close(ends[1], NULL));
}

/* A service: a ULT for each connection. */
enum { clients = 32 };
static struct sockaddr_in address;

static void echo(void* connection) {
    const int fd = (int)(intptr_t)connection;
    char text[64];
    ssize_t got = 0;
    for (;;) {
        MUST(ABTX_io_recv(fd, text, sizeof text, 0, NULL, &got));
        if (got == 0) {
            break;
        }
        MUST(ABTX_io_send(fd, text, (size_t)got, 0, NULL, NULL));
    }
    MUST(ABTX_io_close(fd, NULL));
}
static void serve(void* listening) {
    ABT_thread all[clients];
    for (int i = 0; i < clients; ++i) {
        const struct timespec limit = in_ms(20000);
        int fd = -1;
        MUST(ABTX_io_accept(*(int*)listening, NULL, NULL, SOCK_CLOEXEC, &limit, &fd));
        CHECK(fd >= 0);
        MUST(ABT_thread_create(own_pool(), echo, (void*)(intptr_t)fd, ABT_THREAD_ATTR_NULL,
                               &all[i]));
    }
    MUST(ABT_thread_free_many(clients, all));
}
static void ask(void* done) {
    const struct timespec limit = in_ms(20000);
    char text[6];
    ssize_t got = 0;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(fd >= 0);
    MUST(ABTX_io_adopt(fd, NULL));
    MUST(ABTX_io_connect(fd, (struct sockaddr*)&address, sizeof address, &limit, NULL));
    for (int i = 0; i < 50; ++i) {
        MUST(ABTX_io_send(fd, "hello", 6, 0, &limit, NULL));
        MUST(ABTX_io_recv(fd, text, sizeof text, MSG_WAITALL, &limit, &got));
        CHECK(got == 6 && memcmp(text, "hello", 6) == 0);
    }
    MUST(ABTX_io_close(fd, NULL));
    ++*(int*)done;
}

static int make_listener(void) {
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr*)&address, size) == 0 && listen(fd, clients) == 0);
    CHECK(getsockname(fd, (struct sockaddr*)&address, &size) == 0);
    MUST(ABTX_io_adopt(fd, NULL));
    return fd;
}

static void a_service_answers(void) {
    ABT_xstream stream = ABT_XSTREAM_NULL;
    ABT_thread server = ABT_THREAD_NULL;
    ABT_thread all[clients];
    int done = 0;
    int number = 0;
    int listening = make_listener();
    const struct timespec past = {1, 0};
    CHECK(ABTX_io_accept(listening, NULL, NULL, 0, &past, &number) == ABT_ERR_COND_TIMEDOUT);
    MUST(ABT_xstream_create(ABT_SCHED_NULL, &stream));
    MUST(ABT_thread_create(main_pool(stream), serve, &listening, ABT_THREAD_ATTR_NULL, &server));
    for (int i = 0; i < clients; ++i) {
        MUST(ABT_thread_create(own_pool(), ask, &done, ABT_THREAD_ATTR_NULL, &all[i]));
    }
    MUST(ABT_thread_free_many(clients, all));
    MUST(ABT_thread_free(&server));
    CHECK(done == clients);
    MUST(ABT_xstream_free(&stream));
    MUST(ABTX_io_close(listening, NULL));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(ABTX_io_connect(fd, (struct sockaddr*)&address, sizeof address, NULL, &number) ==
              ABT_ERR_SYS &&
          number == -ECONNREFUSED);
    MUST(ABTX_io_close(fd, NULL));
}

static void in_any_thread(void) {
    transfers(NULL);
    files(NULL);
    errors(NULL);
    times(NULL);
    calls(NULL);
}
static void* external(void* unused) {
    in_any_thread();
    return unused;
}

int main(void) {
    pthread_t other;
    in_any_thread(); /* before ABT_init */
    MUST(ABT_init(0, NULL));
    in_any_thread(); /* in the primary ULT */
    CHECK(pthread_create(&other, NULL, external, NULL) == 0 && pthread_join(other, NULL) == 0);
    in_ult(transfers, NULL);
    in_ult(files, NULL);
    in_ult(errors, NULL);
    in_ult(times, NULL);
    in_ult(calls, NULL);
    tasklets();
    native_calls();
    ults_of_a_stream_wait_together();
    a_stream_waits_for_its_ults();
    a_cancelled_ult_ends_afterwards();
    a_close_ends_a_wait();
    a_service_answers();
    MUST(ABT_finalize());
    in_any_thread(); /* and after ABT_finalize */
    return 0;
}
