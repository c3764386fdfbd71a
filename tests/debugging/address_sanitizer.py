# SPDX-License-Identifier: BSD-3-Clause
"""AddressSanitizer, with its leak checker, sees nothing wrong in threads of any technique, and
finds the mistakes that they make on stacks of Lazult's. Needs a build with it."""
import unittest

from program import BIN, SUSPENDING, TECHNIQUES, run


def check(technique, mistake):
    return run(
        BIN / "memory_errors",
        technique,
        mistake,
        LAZULT_STREAMS="2",
        ASAN_OPTIONS="detect_stack_use_after_return=1",
    )


class address_sanitizer(unittest.TestCase):
    def find(self, mistake, kind, techniques=TECHNIQUES, function=None):
        for technique in techniques:
            done = check(technique, mistake)
            self.assertNotEqual(done.returncode, 0, f"{technique}: {done.text}")
            self.assertIn(kind, done.text, technique)
            self.assertIn(function or mistake, done.text, technique)

    def find_nothing(self, mistake, techniques):
        for technique in techniques:
            done = check(technique, mistake)
            self.assertEqual((done.returncode, done.text), (0, ""), technique)

    def test_good_programs_are_quiet(self):
        self.find_nothing("clean", ("all",))

    def test_overrun_of_a_local_is_found(self):
        self.find("stack_overrun", "stack-buffer-overflow")

    def test_use_after_return_is_found(self):
        self.find("use_after_return", "stack-use-after-return")

    def test_overrun_of_a_block_is_found(self):
        self.find("heap_overrun", "heap-buffer-overflow")

    def test_overflow_is_found(self):
        self.find("overflow", "stack-overflow", function="overflow_from")

    def test_leak_is_found(self):
        self.find("leak", "LeakSanitizer: detected memory leaks", function="leak")

    def test_leak_of_a_suspended_thread_is_found(self):
        self.find(
            "leak_and_hold",
            "LeakSanitizer: detected memory leaks",
            techniques=SUSPENDING,
            function="leak",
        )

    def test_what_a_suspended_thread_holds_is_no_leak(self):
        self.find_nothing("held", SUSPENDING)

    def test_fake_stacks_end_with_their_threads(self):
        for technique in SUSPENDING:
            done = run(
                BIN / "fake_stacks", technique, ASAN_OPTIONS="detect_stack_use_after_return=1"
            )
            self.assertEqual(done.returncode, 0, f"{technique}: {done.text}")
            # MiB; it was 800 where loops left them behind
            self.assertLess(float(done.text), 64, technique)


if __name__ == "__main__":
    unittest.main()
