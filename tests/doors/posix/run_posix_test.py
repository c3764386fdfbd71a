#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lazult run --posix, for programs as users have them; the table of names in docs/io.md; and that
no call of our own libraries looks like one of the program."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

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

    def run_it(self, program, *options):
        done = self.succeed("run", "--posix", "--streams", "1", *options, "--", str(program))
        return done.stdout.splitlines()

    def test_native(self):
        libraries = ["-L", LIBRARIES, "-llazult", f"-Wl,-rpath,{LIBRARIES}"]
        program = self.build("native.cpp", NATIVE, "-std=c++20", "-I", ROOT / "include", *libraries)
        self.assertEqual(self.run_it(program), ["got n"])

    @unittest.skipUnless((LIBRARIES / "libabt.so").exists(), "needs the Argobots door")
    def test_argobots(self):
        includes = ["-I", ROOT / "doors/argobots/include"]
        libraries = ["-L", LIBRARIES, "-labt", f"-Wl,-rpath,{LIBRARIES}"]
        program = self.build("argobots.c", ARGOBOTS, *includes, *libraries)
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
