# SPDX-License-Identifier: BSD-3-Clause
"""What a compiler and a linker say to programs that cannot work: of another language mode, of
another standard library, with wrong arguments. And to some that can."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
LIBRARIES = Path(os.environ.get("LAZULT_BUILD_DIR", SOURCE / "build/release")) / "lib"
COMPILERS = [path for path in map(shutil.which, ("g++", "clang++-19")) if path]
CLANG = shutil.which("clang++-19")

PROGRAM = """#include <lazult/lazult.hpp>
int main() {
    int answer = 0;
    lazult::thread one([&answer] { answer = 42; });
    one.join();
    return answer == 42 ? 0 : 1;
}
"""

# Wrong lines in a function, and the concept that an error names.
WRONG = {
    "lazult::thread t([](int) {});": "thread_callable",
    "lazult::thread t([](int) {}, \"four\");": "thread_callable",
    "lazult::thread t(lazult::thread_attributes{}, 7);": "thread_callable",
    "std::unique_ptr<int> p; lazult::thread t([](std::unique_ptr<int>) {}, p);": "can_be_kept",
    "lazult::thread t; t.revive([](int) {});": "thread_callable",
    "lazult::tasklet t([](int) {});": "thread_callable",
    "lazult::task_group g; g.run([](int) {});": "task_callable",
    "lazult::task_group g; g.run_and_wait(3);": "task_callable",
    "auto f = lazult::async([](int) {});": "callable_with",
    "lazult::parallel_for(0, 9, [](const char*) {});": "loop_body",
    "lazult::parallel_for(0.5, 9.5, [](double) {});": "loop_index",
    "std::vector<int> v; lazult::parallel_for(v, [] {});": "loop_body",
    "lazult::parallel_reduce(0, 9, 0, [](int i) { return i; }, [](int) { return 0; });": (
        "reduction_over"
    ),
    "std::vector<int> v; lazult::parallel_reduce(v, 0, [](int* i) { return *i; }, "
    "[](int a, int b) { return a + b; });": "reduction_over",
    "lazult::parallel_invoke([] {}, [](int) {});": "invocable",
    "struct may_throw { may_throw(may_throw&&) {} }; lazult::channel<may_throw> c(3);": (
        "moves_without_throwing"
    ),
    "lazult::eventual<int> e; e.set(\"four\");": "constructible_from",
    "lazult::promise<int> p; p.set_value(\"four\");": "constructible_from",
    "lazult::compartments<int> c(3); c.set(\"four\");": "constructible_from",
    "int i = 0; lazult::wait_any(i);": "waitable",
}
LINES = 60  # of what is said about one wrong line, at most


def run(*command):
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return done.returncode, done.stdout + done.stderr


def compile_text(compiler, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cpp"
        source.write_text(text)
        return run(compiler, f"-I{SOURCE / 'include'}", source, *options)


class language_modes(unittest.TestCase):
    def refused(self, words, *options):
        for compiler in COMPILERS:
            # Some headers are included alone, by those who need little.
            for header in ("lazult", "this_thread", "channel"):
                code, text = compile_text(
                    compiler, f"#include <lazult/{header}.hpp>\n", "-fsyntax-only", *options
                )
                self.assertNotEqual(code, 0)
                first = next(line for line in text.splitlines() if "error" in line)
                self.assertIn(words, first, f"{compiler} {header}")

    def test_older_language_is_refused_in_the_first_error(self):
        self.refused("lazult needs C++20: compile with -std=c++20", "-std=c++17")

    def test_no_exceptions_are_refused_in_the_first_error(self):
        self.refused(
            "lazult needs exceptions: omit -fno-exceptions", "-std=c++20", "-fno-exceptions"
        )

    def test_no_rtti_works(self):
        for compiler in COMPILERS:
            with tempfile.TemporaryDirectory() as folder:
                program = Path(folder) / "program"
                code, text = compile_text(
                    compiler,
                    PROGRAM,
                    "-std=c++20",
                    "-fno-rtti",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-pthread",
                    "-o",
                    program,
                    f"-L{LIBRARIES}",
                    "-llazult",
                    f"-Wl,-rpath,{LIBRARIES}",
                )
                self.assertEqual(code, 0, text)
                self.assertEqual(run(program), (0, ""))


@unittest.skipUnless((LIBRARIES / "liblazult.so").exists(), "no shared library here")
class standard_libraries(unittest.TestCase):
    def link(self, compiler, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            return compile_text(
                compiler,
                text,
                "-std=c++20",
                "-pthread",
                *options,
                "-o",
                Path(folder) / "program",
                f"-L{LIBRARIES}",
                "-llazult",
                f"-Wl,-rpath,{LIBRARIES}",
            )

    def test_same_library_links(self):
        for compiler in COMPILERS:
            for more in (
                (),
                ("-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"),
                ("-fno-pie", "-no-pie"),
            ):
                code, text = self.link(compiler, PROGRAM, *more)
                self.assertEqual(code, 0, text)

    def test_other_abi_of_the_same_library_does_not_link(self):
        for compiler in COMPILERS:
            code, text = self.link(
                compiler,
                "#include <lazult/mutex.hpp>\nint main() {}\n",
                "-D_GLIBCXX_USE_CXX11_ABI=0",
            )
            self.assertNotEqual(code, 0)
            self.assertIn("link_a_liblazult_that_was_built_with_GLIBCXX_USE_CXX11_ABI_0", text)

    @unittest.skipUnless(
        CLANG
        and compile_text(CLANG, "#include <vector>\n", "-fsyntax-only", "-stdlib=libc++")[0] == 0,
        "no libc++ here",
    )
    def test_other_library_does_not_link(self):
        code, text = self.link(CLANG, PROGRAM, "-stdlib=libc++", "-fexperimental-library")
        self.assertNotEqual(code, 0)
        self.assertIn("link_a_liblazult_that_was_built_with_libcxx", text)
        if (
            compile_text(
                CLANG,
                "#include <version>\nstatic_assert(__cpp_lib_jthread > 0);\n",
                "-std=c++20",
                "-fsyntax-only",
                "-stdlib=libc++",
            )[0]
            != 0
        ):
            code, text = self.link(CLANG, PROGRAM, "-stdlib=libc++")
            self.assertIn(
                "lazult needs std::stop_token: compile and link with -fexperimental-library", text
            )


class errors(unittest.TestCase):
    def test_a_right_program_compiles(self):
        for compiler in COMPILERS:
            code, text = compile_text(compiler, PROGRAM, "-std=c++20", "-fsyntax-only")
            self.assertEqual(code, 0, text)

    def test_they_name_the_concept_in_few_lines(self):
        """All wrong lines in one program. What is said about each goes from its own first error to
        the next one's."""
        head = ["#include <lazult/lazult.hpp>", "#include <memory>", "#include <vector>"]
        body = [f"void wrong_{number}() {{ {line} }}" for number, line in enumerate(WRONG)]
        for compiler in COMPILERS:
            code, text = compile_text(
                compiler,
                "\n".join(head + body) + "\n",
                "-std=c++20",
                "-fsyntax-only",
                "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0",
            )
            self.assertNotEqual(code, 0)
            said = {}
            for each in text.splitlines():
                if ": error: " in each:
                    at = re.match(r".*/program\.cpp:(\d+):", each)
                    self.assertTrue(at, f"{compiler}: {each}: this error is of a header")
                    current = said.setdefault(int(at[1]) - len(head) - 1, [])
                if said:
                    current.append(each)
            for number, (line, concept) in enumerate(WRONG.items()):
                with self.subTest(compiler=compiler, line=line):
                    self.assertIn(number, said)
                    self.assertIn(concept, "\n".join(said[number]))
                    self.assertLess(len(said[number]), LINES, "\n".join(said[number]))


if __name__ == "__main__":
    unittest.main()
