# SPDX-License-Identifier: BSD-3-Clause
"""valgrind's memcheck sees nothing wrong in threads of any technique, and finds the mistakes that
they make."""
import shutil
import unittest

from program import BIN, SUSPENDING, run

ERRORS = 99


def check(technique, mistake):
    return run(
        "valgrind",
        "--quiet",
        f"--error-exitcode={ERRORS}",
        "--leak-check=full",
        "--show-possibly-lost=no",
        "--errors-for-leak-kinds=definite",
        BIN / "memory_errors",
        technique,
        mistake,
        LAZULT_STREAMS="2",
    )


@unittest.skipUnless(shutil.which("valgrind"), "no valgrind here")
class valgrind(unittest.TestCase):
    def find(self, mistake, *words, techniques=SUSPENDING):
        for technique in techniques:
            done = check(technique, mistake)
            self.assertEqual(done.returncode, ERRORS, f"{technique}: {done.text}")
            for word in words:
                self.assertIn(word, done.text, technique)

    def find_nothing(self, mistake, techniques):
        for technique in techniques:
            done = check(technique, mistake)
            self.assertEqual(done.returncode, 0, f"{technique}: {done.text}")
            self.assertNotIn("==", done.text, technique)

    def test_good_programs_are_quiet(self):
        self.find_nothing("clean", ("all",))

    def test_overrun_is_found(self):
        self.find(
            "heap_overrun",
            "Invalid write of size 1",
            "heap_overrun",
            techniques=("full", "scheduler_creation"),
        )

    def test_uninitialised_value_is_found(self):
        self.find("uninitialised", "uninitialised value", techniques=("stack_separation",))

    def test_leak_is_found(self):
        self.find(
            "leak", "definitely lost", "(anonymous namespace)::leak", techniques=("lazy_stack",)
        )

    def test_what_a_suspended_thread_holds_is_no_leak(self):
        self.find_nothing("held", ("scheduler_creation",))


if __name__ == "__main__":
    unittest.main()
