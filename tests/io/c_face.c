/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "c_face.h"

#include <lazult/io.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define CHECK(condition)                                               \
    do {                                                               \
        if (!(condition)) {                                            \
            return "c_face.c:" TEXT(__LINE__) ": not so: " #condition; \
        }                                                              \
    } while (0)

enum { millisecond = 1000000 };
static const lazult_io_limits at_once = {0, NULL};
static const lazult_io_limits briefly = {20 * millisecond, NULL};
static const lazult_io_limits a_while = {20 * LAZULT_IO_SECOND, NULL};

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * LAZULT_IO_SECOND + now.tv_nsec;
}
static int64_t since(int64_t then) { return now_ns() - then; }

static void nap(int milliseconds) {
    const struct timespec span = {milliseconds / 1000, milliseconds % 1000 * millisecond};
    nanosleep(&span, NULL);
}

const char* c_face_pipes(void) {
    int ends[2];
    char got[8] = "";
    struct iovec in[2] = {{got, 2}, {got + 2, 3}};
    struct iovec out[2] = {{"ab", 2}, {"cde", 3}};
    CHECK(lazult_io_pipe(ends, O_CLOEXEC) == 0);
    CHECK(lazult_io_write(ends[1], "hello", 5, NULL) == 5);
    CHECK(lazult_io_read(ends[0], got, 8, NULL) == 5 && memcmp(got, "hello", 5) == 0);
    CHECK(lazult_io_writev(ends[1], out, 2, &a_while) == 5);
    CHECK(lazult_io_readv(ends[0], in, 2, &a_while) == 5 && memcmp(got, "abcde", 5) == 0);
    CHECK(lazult_io_write_all(ends[1], "12345678", 8, NULL) == 8);
    CHECK(lazult_io_read_all(ends[0], got, 8, NULL) == 8 && memcmp(got, "12345678", 8) == 0);
    CHECK(lazult_io_dup2(ends[0], ends[1], 0) == ends[1]); /* closes what was there */
    CHECK(lazult_io_is_nonblocking(ends[0]) == 0);
    CHECK(lazult_io_is_nonblocking(-1) == -EBADF);
    CHECK(lazult_io_dup2(-1, ends[1], 0) == -EBADF);
    CHECK(lazult_io_close(ends[1]) == 0);
    CHECK(lazult_io_read_all(ends[0], got, 8, NULL) == 0);
    CHECK(lazult_io_read(ends[0], got, 8, NULL) == 0);
    CHECK(lazult_io_close(ends[0]) == 0);
    return NULL;
}

/* Connects, and says "ping". */
static void* client(void* port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = *(in_port_t*)port};
    char got[4];
    int fd = lazult_io_socket(AF_INET, SOCK_STREAM, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    nap(10);
    const int is_good =
        fd >= 0 && lazult_io_connect(fd, (struct sockaddr*)&to, sizeof to, &a_while) == 0 &&
        lazult_io_send(fd, "ping", 4, 0, NULL) == 4 &&
        lazult_io_recv(fd, got, 4, MSG_WAITALL, &a_while) == 4 && memcmp(got, "pong", 4) == 0;
    lazult_io_close(fd);
    return is_good ? port : NULL;
}

const char* c_face_sockets(void) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    struct sockaddr_in from = {0};
    socklen_t size = sizeof at;
    pthread_t other;
    void* outcome = NULL;
    char got[4];
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listening = lazult_io_socket(AF_INET, SOCK_STREAM, 0);
    CHECK(listening >= 0);
    CHECK(bind(listening, (struct sockaddr*)&at, sizeof at) == 0 && listen(listening, 4) == 0);
    CHECK(getsockname(listening, (struct sockaddr*)&at, &size) == 0);
    CHECK(lazult_io_accept(listening, NULL, NULL, 0, &at_once) == -ETIMEDOUT);
    CHECK(pthread_create(&other, NULL, client, &at.sin_port) == 0);
    size = sizeof from;
    const int fd =
        lazult_io_accept(listening, (struct sockaddr*)&from, &size, SOCK_CLOEXEC, &a_while);
    CHECK(fd >= 0 && size == sizeof from && from.sin_family == AF_INET);
    CHECK(lazult_io_recv(fd, got, 4, MSG_WAITALL, &a_while) == 4 && memcmp(got, "ping", 4) == 0);
    CHECK(lazult_io_send(fd, "pong", 4, 0, NULL) == 4);
    CHECK(lazult_io_read(fd, got, 4, &a_while) == 0);
    CHECK(pthread_join(other, &outcome) == 0 && outcome != NULL);
    CHECK(lazult_io_close(fd) == 0 && lazult_io_close(listening) == 0);
    return NULL;
}

const char* c_face_messages(void) {
    int both[2];
    char got[4] = "";
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    struct iovec in = {got, 4};
    struct iovec out = {"ab", 2};
    struct msghdr message = {.msg_iov = &out, .msg_iovlen = 1};
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, both) == 0);
    CHECK(lazult_io_sendmsg(both[1], &message, 0, NULL) == 2);
    message.msg_iov = &in;
    CHECK(lazult_io_recvmsg(both[0], &message, 0, &a_while) == 2 && memcmp(got, "ab", 2) == 0);
    CHECK(lazult_io_sendto(both[1], "cde", 3, 0, NULL, 0, NULL) == 3);
    CHECK(lazult_io_recvfrom(both[0], got, 4, 0, (struct sockaddr*)&from, &size, &a_while) == 3 &&
          memcmp(got, "cde", 3) == 0);
    CHECK(lazult_io_recv(both[0], got, 4, MSG_DONTWAIT, NULL) == -EAGAIN);
    CHECK(lazult_io_recvfrom(both[0], got, 4, 0, NULL, NULL, &briefly) == -ETIMEDOUT);
    CHECK(lazult_io_recvmsg(both[0], &message, 0, &briefly) == -ETIMEDOUT);
    CHECK(lazult_io_close(both[0]) == 0 && lazult_io_close(both[1]) == 0);
    return NULL;
}

const char* c_face_polls(void) {
    int ends[2];
    CHECK(lazult_io_pipe(ends, 0) == 0);
    struct pollfd all[2] = {{ends[0], POLLIN, 0}, {-1, POLLIN, 0}};
    int64_t began = now_ns();
    CHECK(lazult_io_poll(all, 2, &briefly) == 0 && since(began) >= 20 * millisecond);
    began = now_ns();
    CHECK(lazult_io_await_readable(ends[0], &briefly) == -ETIMEDOUT);
    CHECK(since(began) >= 20 * millisecond);
    CHECK(lazult_io_await_writable(ends[1], &briefly) == 0);
    CHECK(lazult_io_write(ends[1], "x", 1, NULL) == 1);
    CHECK(lazult_io_poll(all, 2, NULL) == 1 && all[0].revents == POLLIN);
    CHECK(lazult_io_await_readable(ends[0], NULL) == 0);
    CHECK(lazult_io_close(ends[0]) == 0 && lazult_io_close(ends[1]) == 0);
    return NULL;
}

const char* c_face_files(const char* folder) {
    char got[8] = "";
    struct iovec in[2] = {{got, 1}, {got + 1, 3}};
    struct iovec out[2] = {{"uv", 2}, {"wx", 2}};
    const char* const backend = lazult_io_file_backend();
    const int at = lazult_io_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    CHECK(at >= 0);
    const int fd = lazult_io_openat(at, "file", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    CHECK(lazult_io_openat(at, "file", O_RDWR | O_CREAT | O_EXCL, 0600) == -EEXIST);
    CHECK(lazult_io_pwrite(fd, "hello", 5, 3, NULL) == 5);
    CHECK(lazult_io_pread(fd, got, 4, 4, NULL) == 4 && memcmp(got, "ello", 4) == 0);
    CHECK(lazult_io_pwritev(fd, out, 2, 0, NULL) == 4);
    CHECK(lazult_io_preadv(fd, in, 2, 0, NULL) == 4 && memcmp(got, "uvwx", 4) == 0);
    CHECK(lazult_io_fsync(fd) == 0 && lazult_io_fdatasync(fd) == 0);
    CHECK(lazult_io_read(fd, got, 8, NULL) == 8 && memcmp(got, "uvwxello", 8) == 0);
    CHECK(lazult_io_read(fd, got, 8, NULL) == 0);
    CHECK(lazult_io_close(fd) == 0);
    CHECK(lazult_io_openat(at, "no such file", O_RDONLY, 0) == -ENOENT);
    CHECK(unlinkat(at, "file", 0) == 0 && lazult_io_close(at) == 0);
    CHECK(strcmp(backend, "io_uring") == 0 || strcmp(backend, "helper threads") == 0);
    return NULL;
}

/* Every call on a descriptor that is none. */
static const char* bad_descriptors(void) {
    char c = 0;
    struct iovec one = {&c, 1};
    struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
    struct sockaddr_in to = {.sin_family = AF_INET};
    CHECK(lazult_io_read(-1, &c, 1, NULL) == -EBADF);
    CHECK(lazult_io_write(-1, &c, 1, NULL) == -EBADF);
    CHECK(lazult_io_readv(-1, &one, 1, NULL) == -EBADF);
    CHECK(lazult_io_writev(-1, &one, 1, NULL) == -EBADF);
    CHECK(lazult_io_pread(-1, &c, 1, 0, NULL) == -EBADF);
    CHECK(lazult_io_pwrite(-1, &c, 1, 0, NULL) == -EBADF);
    CHECK(lazult_io_preadv(-1, &one, 1, 0, NULL) == -EBADF);
    CHECK(lazult_io_pwritev(-1, &one, 1, 0, NULL) == -EBADF);
    CHECK(lazult_io_read_all(-1, &c, 1, NULL) == -EBADF);
    CHECK(lazult_io_write_all(-1, &c, 1, NULL) == -EBADF);
    CHECK(lazult_io_recv(-1, &c, 1, 0, NULL) == -EBADF);
    CHECK(lazult_io_send(-1, &c, 1, 0, NULL) == -EBADF);
    CHECK(lazult_io_recvfrom(-1, &c, 1, 0, NULL, NULL, NULL) == -EBADF);
    CHECK(lazult_io_sendto(-1, &c, 1, 0, NULL, 0, NULL) == -EBADF);
    CHECK(lazult_io_recvmsg(-1, &message, 0, NULL) == -EBADF);
    CHECK(lazult_io_sendmsg(-1, &message, 0, NULL) == -EBADF);
    CHECK(lazult_io_accept(-1, NULL, NULL, 0, NULL) == -EBADF);
    CHECK(lazult_io_connect(-1, (struct sockaddr*)&to, sizeof to, NULL) == -EBADF);
    CHECK(lazult_io_await_readable(-1, NULL) == -EBADF);
    CHECK(lazult_io_await_writable(-1, NULL) == -EBADF);
    CHECK(lazult_io_openat(-1, "file", O_RDONLY, 0) == -EBADF);
    CHECK(lazult_io_fsync(-1) == -EBADF && lazult_io_fdatasync(-1) == -EBADF);
    CHECK(lazult_io_adopt(-1) == -EBADF && lazult_io_release(-1) == -EBADF);
    CHECK(lazult_io_close(-1) == -EBADF);
    return NULL;
}

const char* c_face_errors(void) {
    char c = 0;
    int both[2];
    struct iovec one = {&c, 1};
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
    CHECK(lazult_io_readv(both[0], &one, -1, NULL) == -EINVAL);
    CHECK(lazult_io_writev(both[0], &one, -1, NULL) == -EINVAL);
    CHECK(lazult_io_preadv(both[0], &one, -1, 0, NULL) == -EINVAL);
    CHECK(lazult_io_pwritev(both[0], &one, -1, 0, NULL) == -EINVAL);
    CHECK(lazult_io_pread(both[0], &c, 1, -1, NULL) == -EINVAL);
    CHECK(lazult_io_pwrite(both[0], &c, 1, -1, NULL) == -EINVAL);
    CHECK(lazult_io_recv(both[0], &c, 1, MSG_WAITALL | MSG_PEEK, NULL) == -EOPNOTSUPP);
    CHECK(lazult_io_close(both[0]) == 0);
    CHECK(lazult_io_send(both[1], &c, 1, 0, NULL) == -EPIPE);
    CHECK(lazult_io_write(both[1], &c, 1, NULL) == -EPIPE);
    CHECK(lazult_io_close(both[1]) == 0);
    CHECK(lazult_io_open("/no/such/file", O_RDONLY, 0) == -ENOENT);
    CHECK(lazult_io_socket(-1, SOCK_STREAM, 0) == -EAFNOSUPPORT);
    both[0] = both[1] = -7;
    CHECK(lazult_io_pipe(both, -1) == -EINVAL && both[0] == -7 && both[1] == -7);
    return bad_descriptors();
}

const char* c_face_times(void) {
    const lazult_io_limits past = {-5, NULL};
    const lazult_io_limits endless = {LAZULT_IO_NO_TIMEOUT, NULL};
    int ends[2];
    char much[4096] = "";
    CHECK(lazult_io_pipe(ends, 0) == 0);
    int64_t began = now_ns();
    CHECK(lazult_io_read(ends[0], much, 1, &briefly) == -ETIMEDOUT);
    CHECK(since(began) >= 20 * millisecond && since(began) < LAZULT_IO_SECOND);
    began = now_ns();
    CHECK(lazult_io_read(ends[0], much, 1, &at_once) == -ETIMEDOUT);
    CHECK(lazult_io_read(ends[0], much, 1, &past) == -ETIMEDOUT);
    CHECK(since(began) < LAZULT_IO_SECOND);
    CHECK(lazult_io_write(ends[1], "x", 1, &past) == 1);
    CHECK(lazult_io_read(ends[0], much, 1, &past) == 1); /* what need not wait succeeds */
    CHECK(lazult_io_write(ends[1], "x", 1, NULL) == 1);
    CHECK(lazult_io_read(ends[0], much, 1, &endless) == 1);
    int64_t all = 0;
    ssize_t moved = 0;
    while ((moved = lazult_io_write(ends[1], much, sizeof much, &at_once)) > 0) {
        all += moved;
    }
    CHECK(moved == -ETIMEDOUT && all > 0);
    CHECK(lazult_io_close(ends[0]) == 0 && lazult_io_close(ends[1]) == 0);
    return NULL;
}

static void* request_soon(void* stop) {
    nap(10);
    lazult_io_stop_request(stop);
    return stop;
}

const char* c_face_stops(void) {
    lazult_io_stop* const stop = lazult_io_stop_create();
    const lazult_io_limits until_stop = {LAZULT_IO_NO_TIMEOUT, stop};
    const lazult_io_limits until_both = {1 * millisecond, stop};
    pthread_t other;
    int ends[2];
    char c;
    CHECK(stop != NULL && lazult_io_stop_requested(stop) == 0);
    CHECK(lazult_io_pipe(ends, 0) == 0);
    CHECK(lazult_io_read(ends[0], &c, 1, &until_both) == -ETIMEDOUT);
    CHECK(pthread_create(&other, NULL, request_soon, stop) == 0);
    CHECK(lazult_io_read(ends[0], &c, 1, &until_stop) == -ECANCELED);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(lazult_io_stop_requested(stop) == 1);
    lazult_io_stop_request(stop);
    struct pollfd one = {ends[0], POLLIN, 0};
    CHECK(lazult_io_poll(&one, 1, &until_stop) == -ECANCELED);
    CHECK(lazult_io_sleep(LAZULT_IO_NO_TIMEOUT, stop) == -ECANCELED);
    CHECK(lazult_io_write(ends[1], "x", 1, &until_stop) == 1);
    CHECK(lazult_io_read(ends[0], &c, 1, &until_stop) == 1);
    lazult_io_stop_free(stop);
    lazult_io_stop_free(NULL);
    CHECK(lazult_io_close(ends[0]) == 0 && lazult_io_close(ends[1]) == 0);
    return NULL;
}

struct to_free {
    lazult_io_stop* stop;
    int fd;
};

static void* free_then_write(void* what) {
    const struct to_free* const given = what;
    nap(10);
    lazult_io_stop_free(given->stop);
    return write(given->fd, "x", 1) == 1 ? what : NULL;
}

const char* c_face_a_stop_that_is_freed(void) {
    struct to_free given = {lazult_io_stop_create(), -1};
    const lazult_io_limits until_stop = {LAZULT_IO_NO_TIMEOUT, given.stop};
    pthread_t other;
    int ends[2];
    char c;
    CHECK(given.stop != NULL && lazult_io_pipe(ends, 0) == 0);
    given.fd = ends[1];
    CHECK(pthread_create(&other, NULL, free_then_write, &given) == 0);
    CHECK(lazult_io_read(ends[0], &c, 1, &until_stop) == 1);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(lazult_io_close(ends[0]) == 0 && lazult_io_close(ends[1]) == 0);
    return NULL;
}

const char* c_face_sleeps(void) {
    lazult_io_stop* const stop = lazult_io_stop_create();
    pthread_t other;
    int64_t began = now_ns();
    CHECK(lazult_io_sleep(20 * millisecond, NULL) == 0);
    CHECK(since(began) >= 20 * millisecond && since(began) < LAZULT_IO_SECOND);
    CHECK(lazult_io_sleep(0, NULL) == 0 && lazult_io_sleep(-1, stop) == 0);
    CHECK(lazult_io_sleep(1 * millisecond, stop) == 0);
    CHECK(pthread_create(&other, NULL, request_soon, stop) == 0);
    began = now_ns();
    CHECK(lazult_io_sleep(20 * LAZULT_IO_SECOND, stop) == -ECANCELED);
    CHECK(since(began) < 10 * LAZULT_IO_SECOND);
    CHECK(pthread_join(other, NULL) == 0);
    lazult_io_stop_free(stop);
    return NULL;
}

static void double_it(void* number) {
    nap(10);
    *(int*)number *= 2;
}

const char* c_face_calls(void) {
    int number = 21;
    lazult_io_call(double_it, &number);
    CHECK(number == 42);
    return NULL;
}

const char* c_face_ownership(void) {
    int ends[2];
    char c;
    CHECK(pipe(ends) == 0);
    CHECK(lazult_io_adopt(ends[0]) == 0 && lazult_io_adopt(ends[0]) == 0);
    CHECK(write(ends[1], "xy", 2) == 2);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == 1 && c == 'x');
    CHECK(lazult_io_release(ends[0]) == 0);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == 1 && c == 'y');
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    CHECK(lazult_io_adopt(ends[0]) == -EBADF);
    return NULL;
}

static void* close_soon(void* fd) {
    nap(10);
    return lazult_io_close(*(int*)fd) == 0 ? fd : NULL;
}

const char* c_face_close(void) {
    int ends[2];
    pthread_t other;
    void* outcome = NULL;
    char c;
    CHECK(lazult_io_pipe(ends, 0) == 0);
    CHECK(pthread_create(&other, NULL, close_soon, &ends[0]) == 0);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == -EBADF);
    CHECK(pthread_join(other, &outcome) == 0 && outcome != NULL);
    CHECK(lazult_io_close(ends[1]) == 0);
    return NULL;
}

const char* c_face_without_waiting(const char* folder) {
    int ends[2];
    char c;
    struct pollfd one = {-1, POLLIN, 0};
    CHECK(lazult_io_pipe(ends, 0) == 0);
    one.fd = ends[0];
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == -EDEADLK);
    CHECK(lazult_io_read(ends[0], &c, 1, &briefly) == -EDEADLK);
    CHECK(lazult_io_await_readable(ends[0], NULL) == -EDEADLK);
    CHECK(lazult_io_poll(&one, 1, NULL) == -EDEADLK);
    CHECK(lazult_io_sleep(1, NULL) == -EDEADLK && lazult_io_sleep(0, NULL) == 0);
    CHECK(lazult_io_write(ends[1], "x", 1, NULL) == 1);
    CHECK(lazult_io_poll(&one, 1, NULL) == 1);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == 1);
    CHECK(lazult_io_close(ends[0]) == 0 && lazult_io_close(ends[1]) == 0);
    const int fd = lazult_io_open(folder, O_RDONLY | O_DIRECTORY, 0);
    CHECK(fd >= 0);
    CHECK(lazult_io_fsync(fd) == -EDEADLK);
    CHECK(lazult_io_close(fd) == 0);
    return c_face_calls();
}

static void* write_late(void* fd) {
    nap(20);
    return write(*(int*)fd, "x", 1) == 1 ? fd : NULL;
}

const char* c_face_late_read(void) {
    int ends[2];
    pthread_t other;
    void* outcome = NULL;
    char c;
    CHECK(lazult_io_pipe(ends, 0) == 0);
    CHECK(pthread_create(&other, NULL, write_late, &ends[1]) == 0);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == 1);
    CHECK(pthread_join(other, &outcome) == 0 && outcome != NULL);
    CHECK(lazult_io_close(ends[0]) == 0 && lazult_io_close(ends[1]) == 0);
    return NULL;
}

static const char* cancelled_in(const int ends[2]) {
    char c;
    CHECK(lazult_io_read(ends[0], &c, 1, &a_while) == -ECANCELED);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == -ECANCELED);
    CHECK(lazult_io_sleep(20 * LAZULT_IO_SECOND, NULL) == -ECANCELED);
    CHECK(lazult_io_write(ends[1], "x", 1, NULL) == 1);
    CHECK(lazult_io_read(ends[0], &c, 1, NULL) == 1);
    return NULL;
}

void c_face_is_cancelled(const char** words) {
    int ends[2];
    *words = "there is no pipe";
    if (lazult_io_pipe(ends, 0) == 0) {
        *words = cancelled_in(ends);
        lazult_io_close(ends[0]);
        lazult_io_close(ends[1]);
    }
}
