#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lazult run --posix, for programs as users have them; the table of names in docs/io.md; and that
no call of our own libraries looks like one of the program."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from command import BIN, command_test  # noqa: E402

ROOT = Path(__file__).parents[3]
LIBRARIES = (BIN / "../lib").resolve()
OURS = LIBRARIES / "lazult/posix/liblazult-posix.so"
GCC = shutil.which("gcc-12") or shutil.which("gcc")

# What each program prints is right only if the calls suspend: on one stream, the one that ends a
# wait runs after the one that waits.
NATIVE = """
#include <lazult/lazult.hpp>
#include <unistd.h>
#include <condition_variable>
#include <cstdio>
#include <mutex>
int main() {
    std::mutex m;
    std::condition_variable is_full;
    int ends[2];
    if (pipe(ends) != 0) return 1;
    bool full = false;
    lazult::thread waiter([&] {
        std::unique_lock hold(m);
        is_full.wait(hold, [&] { return full; });
        char c = 0;
        if (read(ends[0], &c, 1) == 1) std::printf("got %c\\n", c);
    });
    lazult::thread other([&] {
        { std::lock_guard hold(m); full = true; }
        is_full.notify_one();
        lazult::this_thread::yield();
        if (write(ends[1], "n", 1) != 1) std::puts("no write");
    });
    waiter.join();
    other.join();
}
"""
ARGOBOTS = """
#include <abt.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void reader(void *unused) {
    char c = 0;
    (void)unused;
    pthread_mutex_lock(&m);
    if (read(ends[0], &c, 1) == 1) printf("got %c\\n", c);
    pthread_mutex_unlock(&m);
}
static void writer(void *unused) {
    (void)unused;
    if (write(ends[1], "a", 1) != 1) puts("no write");
}
int main(int argc, char **argv) {
    ABT_xstream self;
    ABT_pool pool;
    ABT_thread all[3];
    if (ABT_init(argc, argv) != ABT_SUCCESS || pipe(ends) != 0) return 1;
    ABT_xstream_self(&self);
    ABT_xstream_get_main_pools(self, 1, &pool);
    ABT_thread_create(pool, reader, NULL, ABT_THREAD_ATTR_NULL, &all[0]);
    ABT_thread_create(pool, reader, NULL, ABT_THREAD_ATTR_NULL, &all[1]);
    ABT_thread_create(pool, writer, NULL, ABT_THREAD_ATTR_NULL, &all[2]);
    ABT_thread_join(all[2]);
    writer(NULL);
    for (int i = 0; i < 3; ++i) ABT_thread_free(&all[i]);
    return ABT_finalize();
}
"""
OPENMP = """
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        {
            char c = 0;
            if (read(ends[0], &c, 1) == 1) printf("got %c\\n", c);
        }
#pragma omp task
        if (write(ends[1], "o", 1) != 1) puts("no write");
    }
    return 0;
}
"""

# The last call of each function is a jump at -O2, so the call seems to come from the runtime.
LAST_CALLS = """
#include <abt.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m;
static int ends[2], rounds;
static char got;
static void locks(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    usleep(2000);
    ++rounds;
    pthread_mutex_unlock(&m);
}
static void reads(void *unused) { (void)unused; (void)!read(ends[0], &got, 1); }
static void writes(void *unused) { (void)unused; (void)!write(ends[1], "l", 1); }
static void run(ABT_pool pool, int count, void (*function)(void *), void (*last)(void *)) {
    ABT_thread all[8];
    for (int i = 0; i < count; ++i)
        ABT_thread_create(pool, i < count - 1 ? function : last, NULL, ABT_THREAD_ATTR_NULL,
                          &all[i]);
    for (int i = 0; i < count; ++i) ABT_thread_free(&all[i]);
}
int main(int argc, char **argv) {
    ABT_xstream self;
    ABT_pool pool;
    pthread_mutexattr_t how;
    if (ABT_init(argc, argv) != ABT_SUCCESS || pipe(ends) != 0) return 1;
    ABT_xstream_self(&self);
    ABT_xstream_get_main_pools(self, 1, &pool);
    pthread_mutexattr_init(&how);
    for (int type = 0; type < 3; ++type) {
        pthread_mutexattr_settype(&how, type);
        pthread_mutex_init(&m, &how);
        run(pool, 4, locks, locks);
        if (pthread_mutex_destroy(&m) != 0) puts("still locked");
    }
    run(pool, 2, reads, writes);
    printf("%d rounds, got %c\\n", rounds, got);
    return ABT_finalize();
}
"""
LAST_CALLS_OF_TASKS = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int rounds;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task
        {
            pthread_mutex_lock(&m);
            usleep(500);
            ++rounds;
            pthread_mutex_unlock(&m);
        }
    }
    printf("%d rounds\\n", rounds);
    return 0;
}
"""

# The first thread has a port that watches the socket. It leaves its region while the second one
# still waits there.
TWO_REGIONS = """
#include <arpa/inet.h>
#include <lazult/io.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2];
static int connect_ends(void) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&at, size) != 0 || listen(listener, 1) != 0) return 0;
    if (getsockname(listener, (struct sockaddr *)&at, &size) != 0) return 0;
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(ends[1], (struct sockaddr *)&at, size) != 0) return 0;
    ends[0] = accept(listener, NULL, NULL);
    return lazult_io_adopt(ends[0]) == 0;
}
static void read_in_region(const char *who) {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        char some[8];
        if (lazult_io_read(ends[0], some, sizeof some, NULL) == 1)
            printf("%s has %c\\n", who, some[0]);
    }
}
static void *second(void *unused) {
    usleep(100000);
    read_in_region("second");
    return unused;
}
static void *writer(void *unused) {
    for (int i = 0; i < 2; ++i) {
        usleep(400000);
        if (write(ends[1], &"12"[i], 1) != 1) puts("no write");
    }
    return unused;
}
int main(void) {
    pthread_t threads[2];
    if (!connect_ends()) return 1;
    pthread_create(&threads[0], NULL, second, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    read_in_region("first");
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    return 0;
}
"""
# Whatever task a thread runs first, some wait for bytes that come from a task which runs later.
READERS_AND_WRITERS = """
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { pipes = 10 };
static int ends[pipes][2];
static int right;
static void receive(int i) {
    struct pollfd one = {ends[i][0], POLLIN, 0};
    char c = 0;
    if (i % 2 != 0 && poll(&one, 1, -1) != 1) printf("poll: %s\\n", strerror(errno));
    if (read(ends[i][0], &c, 1) != 1) printf("read: %s\\n", strerror(errno));
#pragma omp atomic
    right += c == 'a' + i;
}
static void put(int i) {
    char c = (char)('a' + i);
    if (write(ends[i][1], &c, 1) != 1) printf("write: %s\\n", strerror(errno));
}
int main(void) {
    for (int i = 0; i < pipes; ++i) if (pipe(ends[i]) != 0) return 1;
    for (int threads = 1; threads <= 3; ++threads) {
        for (int readers_first = 0; readers_first < 2; ++readers_first) {
#pragma omp parallel num_threads(threads)
#pragma omp single
            for (int i = 0; i < 2 * pipes; ++i) {
#pragma omp task firstprivate(i)
                if ((i < pipes) == readers_first) receive(i % pipes);
                else put(i % pipes);
            }
        }
    }
    printf("%d right\\n", right);
    return 0;
}
"""

# A pool of the program's own, behind a mutex of the C library, from which several streams take.
OWN_POOL = """
#include <abt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static ABT_thread ring[4096];
static unsigned head, tail;
static atomic_long ran;
static ABT_pool pool;
static ABT_unit create_unit(ABT_pool p, ABT_thread t) { (void)p; return (ABT_unit)t; }
static void free_unit(ABT_pool p, ABT_unit u) { (void)p; (void)u; }
static ABT_bool is_empty(ABT_pool p) {
    (void)p;
    pthread_mutex_lock(&m);
    ABT_bool empty = head == tail;
    pthread_mutex_unlock(&m);
    return empty;
}
static ABT_thread pop(ABT_pool p, ABT_pool_context c) {
    (void)p, (void)c;
    pthread_mutex_lock(&m);
    ABT_thread t = head == tail ? ABT_THREAD_NULL : ring[head++ % 4096];
    pthread_mutex_unlock(&m);
    return t;
}
static void push(ABT_pool p, ABT_unit u, ABT_pool_context c) {
    (void)p, (void)c;
    pthread_mutex_lock(&m);
    ring[tail++ % 4096] = (ABT_thread)u;
    pthread_mutex_unlock(&m);
}
static void leaf(void *unused) { (void)unused; ++ran; }
static void body(void *unused) {
    (void)unused;
    for (int i = 0; i < 100; ++i) {
        ABT_thread t;
        ABT_thread_create(pool, leaf, NULL, ABT_THREAD_ATTR_NULL, &t);
        ABT_thread_yield();
        ABT_thread_free(&t);
    }
}
int main(int argc, char **argv) {
    enum { streams = 4, units = 32 };
    ABT_pool_user_def def;
    ABT_xstream all[streams];
    ABT_thread threads[units];
    if (ABT_init(argc, argv) != ABT_SUCCESS) return 1;
    ABT_pool_user_def_create(create_unit, free_unit, is_empty, pop, push, &def);
    ABT_pool_create(def, ABT_POOL_CONFIG_NULL, &pool);
    for (int i = 0; i < streams; ++i)
        ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &all[i]);
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < units; ++i)
            ABT_thread_create(pool, body, NULL, ABT_THREAD_ATTR_NULL, &threads[i]);
        for (int i = 0; i < units; ++i) ABT_thread_free(&threads[i]);
    }
    printf("%ld ran\\n", ran);
    for (int i = 0; i < streams; ++i) ABT_xstream_free(&all[i]);
    return ABT_finalize();
}
"""

# A pool of few places: a push waits for room, but not for long. The pusher may be about to leave.
WAITING_POOL = (
    OWN_POOL.replace("#include <pthread.h>", "#include <pthread.h>\n#include <time.h>")
    .replace(
        "static ABT_thread ring",
        "static pthread_cond_t has_room = PTHREAD_COND_INITIALIZER;\nstatic ABT_thread ring",
    )
    .replace(
        "    ring[tail++ % 4096] =",
        """    if (tail - head > 8) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 20000;
        if (soon.tv_nsec >= 1000000000) ++soon.tv_sec, soon.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&has_room, &m, &soon);
    }
    ring[tail++ % 4096] =""",
    )
    .replace("head++ % 4096];", "head++ % 4096];\n    pthread_cond_signal(&has_room);")
)

# A pool and a scheduler of a C++ program, with mutexes that all streams want.
CUSTOM = """
#include <lazult/lazult.hpp>
#include <atomic>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>
static volatile int shown;
static void linger() {
    for (int i = 0; i < 5000; ++i) shown = i;
}
class own_pool final : public lazult::custom_pool {
public:
    void push(lazult::thread_id unit) noexcept override {
        const std::lock_guard hold(lock_);
        linger();
        units_.push_back(unit);
    }
    lazult::thread_id pop() noexcept override {
        const std::lock_guard hold(lock_);
        linger();
        if (units_.empty()) return {};
        const lazult::thread_id first = units_.front();
        units_.pop_front();
        return first;
    }
    std::size_t count() const noexcept override {
        const std::lock_guard hold(lock_);
        return units_.size();
    }
private:
    mutable std::mutex lock_;
    std::deque<lazult::thread_id> units_;
};
static std::mutex choosing;
class own_scheduler final : public lazult::custom_scheduler {
public:
    explicit own_scheduler(lazult::pool& from) : from_(from) {}
    lazult::thread_id next() noexcept override {
        const std::lock_guard hold(choosing);
        linger();
        return pop(from_);
    }
private:
    lazult::pool& from_;
};
int main(int argc, char**) {
    const lazult::runtime running;
    own_pool own;
    lazult::pool shared(lazult::pool_kind::shared_fifo);
    lazult::pool& pool = argc > 1 ? shared : static_cast<lazult::pool&>(own);
    std::vector<std::unique_ptr<own_scheduler>> schedulers;
    std::vector<lazult::execution_stream> streams;
    for (int i = 0; i < 3; ++i) {
        schedulers.push_back(std::make_unique<own_scheduler>(pool));
        const std::initializer_list<lazult::pool*> pools{&pool};
        if (argc > 1) streams.emplace_back(*schedulers.back(), pools);
        else streams.emplace_back(lazult::scheduler_kind::basic, pools);
    }
    std::atomic<int> ran{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 100; ++i)
        all.emplace_back(lazult::thread_attributes{.where = &pool}, [&] {
            for (int turn = 0; turn < 150; ++turn) lazult::this_thread::yield();
            ++ran;
        });
    lazult::join_many(all);
    for (lazult::execution_stream& each : streams) each.join();
    std::printf("%d ran\\n", ran.load());
}
"""

# A tool that counts events under a mutex, which each stream wants all the time.
TOOL = """
#include <abt.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long counted[4];
static volatile int busy;
static void hear(ABT_thread t, ABT_xstream x, uint64_t event, ABT_tool_context c, void *unused) {
    (void)t, (void)x, (void)c, (void)unused;
    pthread_mutex_lock(&m);
    for (int i = 0; i < 2000; ++i) busy = i;
    counted[0] += event == ABT_TOOL_EVENT_THREAD_CREATE;
    counted[1] += event == ABT_TOOL_EVENT_THREAD_RUN;
    counted[2] += event == ABT_TOOL_EVENT_THREAD_YIELD;
    counted[3] += event == ABT_TOOL_EVENT_THREAD_FINISH;
    pthread_mutex_unlock(&m);
}
static void body(void *unused) {
    (void)unused;
    for (int i = 0; i < 20; ++i) ABT_thread_yield();
}
int main(int argc, char **argv) {
    enum { streams = 3, units = 200 };
    ABT_xstream all[streams];
    ABT_pool pool;
    ABT_thread threads[units];
    if (ABT_init(argc, argv) != ABT_SUCCESS) return 1;
    ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &pool);
    for (int i = 0; i < streams; ++i)
        ABT_xstream_create_basic(ABT_SCHED_BASIC, 1, &pool, ABT_SCHED_CONFIG_NULL, &all[i]);
    ABT_tool_register_thread_callback(hear, ABT_TOOL_EVENT_THREAD_ALL, NULL);
    for (int i = 0; i < units; ++i)
        ABT_thread_create(pool, body, NULL, ABT_THREAD_ATTR_NULL, &threads[i]);
    for (int i = 0; i < units; ++i) ABT_thread_join(threads[i]);
    ABT_tool_register_thread_callback(NULL, ABT_TOOL_EVENT_THREAD_NONE, NULL);
    printf("%ld created, %ld finished, %d\\n", counted[0], counted[3],
           counted[2] >= 20 * units && counted[1] >= 21 * units);
    for (int i = 0; i < units; ++i) ABT_thread_free(&threads[i]);
    for (int i = 0; i < streams; ++i) ABT_xstream_free(&all[i]);
    ABT_pool_free(&pool);
    return ABT_finalize();
}
"""

# A library whose constructor waits for a thread, while dlopen() holds the linker's lock.
CONSTRUCTOR = """
#include <mutex>
#include <thread>
static std::mutex m;
struct at_load {
    at_load() { std::thread([] { std::lock_guard hold(m); }).join(); }
} loaded;
"""
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
    (void)argc;
    puts(dlopen(argv[1], RTLD_NOW) != NULL ? "loaded" : dlerror());
    return 0;
}
"""

# Calls the function `take` of each library in turn, which reads a byte that comes after 20 ms.
# Says whether another ULT of the stream ran meanwhile. The libraries are loaded one after the
# other, as a rule at the same address.
CALLERS = """
#include <lazult/lazult.hpp>
#include <dlfcn.h>
#include <unistd.h>
#include <cstdio>
#include <thread>
int main(int count, char** libraries) {
    for (int i = 1; i < count; ++i) {
        int ends[2];
        if (pipe(ends) != 0) return 1;
        void* const library = dlopen(libraries[i], RTLD_NOW);
        const auto take = reinterpret_cast<int (*)(int)>(dlsym(library, "take"));
        bool begun = false, done = false, meanwhile = false;
        std::thread writer([&] { usleep(20000); if (write(ends[1], "x", 1) != 1) return; });
        lazult::thread reader([&] { begun = true; take(ends[0]); done = true; });
        lazult::thread other([&] {
            while (!begun) lazult::this_thread::yield();
            meanwhile = !done;
        });
        reader.join();
        other.join();
        writer.join();
        std::puts(meanwhile ? "suspends" : "blocks");
        dlclose(library);
    }
}
"""
TAKE = """
#include <unistd.h>
int take(int fd) { char c; return read(fd, &c, 1) == 1; }
"""


def output(*command):
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True
    ).stdout


def names_of_the_library():
    return {line.split()[-1] for line in output("nm", "-D", "--defined-only", OURS).splitlines()}


@unittest.skipUnless(OURS.exists() and GCC, "needs the POSIX door and gcc")
class run_posix(command_test):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, name, text, *arguments):
        source = self.folder / name
        source.write_text(text)
        program = source.with_suffix("")
        compiler = GCC.replace("gcc", "g++") if name.endswith("cpp") else GCC
        output(compiler, source, "-O2", *arguments, "-o", program)
        return program

    def run_it(self, program, *options, **environment):
        command = ["run", "--posix", "--streams", "1", *options, "--", str(program)]
        done = self.succeed(*command, **environment)
        return done.stdout.splitlines()

    def test_native(self):
        libraries = ["-L", LIBRARIES, "-llazult", f"-Wl,-rpath,{LIBRARIES}"]
        program = self.build("native.cpp", NATIVE, "-std=c++20", "-I", ROOT / "include", *libraries)
        self.assertEqual(self.run_it(program), ["got n"])

    def argobots(self):
        includes = ["-I", ROOT / "doors/argobots/include"]
        return includes + ["-L", LIBRARIES, "-labt", f"-Wl,-rpath,{LIBRARIES}"]

    @unittest.skipUnless((LIBRARIES / "libabt.so").exists(), "needs the Argobots door")
    def test_argobots(self):
        program = self.build("argobots.c", ARGOBOTS, *self.argobots())
        self.assertEqual(self.run_it(program), ["got a", "got a"])

    @unittest.skipUnless((LIBRARIES / "lazult/openmp").exists(), "needs the OpenMP door")
    def test_openmp(self):
        program = self.build("openmp.c", OPENMP, "-fopenmp")
        self.assertEqual(self.run_it(program, "--openmp"), ["got o"])

    def test_libraries_that_are_left_alone(self):
        found = []
        for name in ("ours", "left", "mpi"):
            library = self.folder / f"lib{name}.so"
            (self.folder / "take.c").write_text(TAKE)
            output(GCC, "-shared", "-fPIC", self.folder / "take.c", "-o", library)
            found.append(library)
        program = self.build(
            "callers.cpp",
            CALLERS,
            *["-std=c++20", "-I", ROOT / "include", "-L", LIBRARIES, "-llazult"],
            f"-Wl,-rpath,{LIBRARIES}",
        )
        ours, left, mpi = found
        command = ["run", "--posix", "--streams", "1", "--", program, ours, left, mpi, ours, mpi]
        seen = self.succeed(*command, LAZULT_POSIX_LEAVE="libnone:libleft").stdout.split()
        self.assertEqual(seen, ["suspends", "blocks", "blocks", "suspends", "blocks"])
        seen = self.succeed(*command).stdout.split()
        self.assertEqual(seen, ["suspends", "suspends", "blocks", "suspends", "blocks"])

    @unittest.skipUnless((LIBRARIES / "libabt.so").exists(), "needs the Argobots door")
    def test_last_calls_of_functions(self):
        program = self.build("last_calls.c", LAST_CALLS, *self.argobots())
        self.assertEqual(self.run_it(program), ["12 rounds, got l"])

    @unittest.skipUnless((LIBRARIES / "lazult/openmp").exists(), "needs the OpenMP door")
    def test_last_calls_of_tasks(self):
        program = self.build("tasks.c", LAST_CALLS_OF_TASKS, "-fopenmp")
        self.assertEqual(self.run_it(program, "--openmp"), ["20 rounds"])

    def test_a_region_that_waits_when_another_has_ended(self):
        libraries = ["-L", LIBRARIES, "-llazult", f"-Wl,-rpath,{LIBRARIES}"]
        options = ["-fopenmp", "-pthread", "-I", ROOT / "include", *libraries]
        program = self.build("regions.c", TWO_REGIONS, *options)
        self.assertEqual(self.run_it(program, "--openmp"), ["first has 1", "second has 2"])

    def test_tasks_that_wait_for_each_other(self):
        program = self.build("readers.c", READERS_AND_WRITERS, "-fopenmp")
        for policy in ("active", "passive"):
            with self.subTest(policy), mock.patch.dict(os.environ, OMP_WAIT_POLICY=policy):
                self.assertEqual(self.run_it(program, "--openmp"), ["60 right"])

    @unittest.skipUnless((LIBRARIES / "libabt.so").exists(), "needs the Argobots door")
    def test_a_pool_of_the_program(self):
        program = self.build("own_pool.c", OWN_POOL, *self.argobots())
        self.assertEqual(self.run_it(program), ["32000 ran"])

    @unittest.skipUnless((LIBRARIES / "libabt.so").exists(), "needs the Argobots door")
    def test_a_pool_of_the_program_that_waits_for_a_condition(self):
        program = self.build("waiting_pool.c", WAITING_POOL, *self.argobots())
        self.assertEqual(self.run_it(program), ["32000 ran"])

    def test_a_pool_and_a_scheduler_of_a_native_program(self):
        libraries = ["-L", LIBRARIES, "-llazult", f"-Wl,-rpath,{LIBRARIES}"]
        program = self.build("custom.cpp", CUSTOM, "-std=c++20", "-I", ROOT / "include", *libraries)
        for what in ([], ["scheduler"]):
            with self.subTest(what):
                seen = self.succeed("run", "--posix", "--", str(program), *what).stdout
                self.assertEqual(seen, "100 ran\n")

    @unittest.skipUnless((LIBRARIES / "libabt.so").exists(), "needs the Argobots door")
    def test_a_tool_with_a_mutex(self):
        program = self.build("tool.c", TOOL, *self.argobots())
        seen = self.run_it(program, LAZULT_ABT_TOOLS="on")
        self.assertEqual(seen, ["200 created, 200 finished, 1"])

    def test_a_constructor_that_waits_for_a_thread(self):
        library = self.folder / "libconstructor.so"
        (self.folder / "constructor.cpp").write_text(CONSTRUCTOR)
        compiler = GCC.replace("gcc", "g++")
        output(
            compiler,
            *["-std=c++20", "-shared", "-fPIC", self.folder / "constructor.cpp", "-o", library],
        )
        program = self.build("loader.c", LOADER)
        done = self.succeed("run", "--posix", "--", program, library)
        self.assertEqual(done.stdout.split(), ["loaded"])

    def test_a_static_program_is_refused(self):
        program = self.build("static.c", "int main(void) { return 0; }", "-static")
        self.refuse("run", "--posix", "--", str(program), words=["--posix", "statically"])


@unittest.skipUnless(OURS.exists(), "needs the POSIX door")
class interposed_names(unittest.TestCase):
    def test_the_page_has_them_all(self):
        page = (ROOT / "docs/io.md").read_text()
        section = page[page.index("## Programs that know nothing") :]
        rows = [line for line in section.split("\n## ")[0].splitlines() if line.startswith("| `")]
        named = set(re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in rows)))
        shown = names_of_the_library()
        self.assertEqual(named | {"setsockopt"}, shown)

    def test_each_has_a_test(self):
        texts = "".join(p.read_text() for p in Path(__file__).parent.glob("*_test.cpp"))
        texts += CALLERS.replace("dlclose", "::dlclose")
        without = [n for n in names_of_the_library() if not re.search(rf"::{n}\b", texts)]
        self.assertEqual(without, [])

    # A call at the end of a function may be a jump, which leaves no trace of the function. It would
    # look as if the function's caller made it: as a call of the program, perhaps. That does no harm
    # to pthread_mutex_unlock, which only looks once more whether a ULT waits.
    def test_our_libraries_do_not_jump_to_them(self):
        names = names_of_the_library() - {"pthread_mutex_unlock"}
        libraries = [p for p in LIBRARIES.rglob("lib*.so") if p.exists()]
        self.assertGreater(len(libraries), 1)
        for library in libraries:
            jumps = re.findall(
                r"\bjmp\b.*<(\w+)@", output("objdump", "-d", "--no-show-raw-insn", library)
            )
            self.assertEqual([j for j in jumps if j in names], [], library)


if __name__ == "__main__":
    unittest.main()
