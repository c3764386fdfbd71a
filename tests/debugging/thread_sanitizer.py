# SPDX-License-Identifier: BSD-3-Clause
"""ThreadSanitizer finds races between threads of one stream, by each technique, whether they
suspended (and so were promoted) or not, and none where there is none. Needs a build with it."""
import unittest
from pathlib import Path

from program import BIN, SUSPENDING, run

# Where threads suspend: never, before they share, and between two accesses.
PLACES = [(technique, place) for technique in SUSPENDING for place in ("none", "before", "between")]
PLACES.append(("run_to_completion", "none"))


def check(program, *arguments, limit=120):
    return run(BIN / program, *arguments, limit=limit, TSAN_OPTIONS="atexit_sleep_ms=0")


def most_mappings():
    return int(Path("/proc/sys/vm/max_map_count").read_text(encoding="ascii"))


class thread_sanitizer(unittest.TestCase):
    def find(self, how):
        for technique, place in PLACES:
            done = check("races", technique, place, how)
            self.assertIn("ThreadSanitizer: data race", done.text, (technique, place))
            self.assertIn("touch", done.text, (technique, place))
            self.assertNotEqual(done.returncode, 0)

    def find_nothing(self, how, total):
        for technique, place in PLACES:
            done = check("races", technique, place, how)
            self.assertEqual(done.returncode, 0, f"{technique} {place}: {done.text}")
            self.assertEqual(
                done.text, f"{total(2 if place == 'between' else 1)}\n", (technique, place)
            )

    def test_threads_that_share_without_a_lock_race(self):
        self.find("siblings_unlocked")

    def test_creator_races_with_its_child(self):
        self.find("creator_too_early")

    def test_creator_races_with_its_child_that_ran(self):
        self.find("creator_too_early_again")

    def test_lock_orders(self):
        self.find_nothing("siblings_locked", lambda accesses: 2 * accesses)

    def test_creation_and_join_order(self):
        self.find_nothing("one_after_another", lambda accesses: 100 * (2 + accesses))

    def test_eventual_orders(self):
        self.find_nothing("pass_on", lambda accesses: 1 + accesses)

    def test_stacks_used_again_are_no_race(self):
        self.find_nothing("many_locked", lambda accesses: 900 * accesses)

    def test_what_the_runtime_builds_for_itself_is_no_race(self):
        self.find_nothing("many_children", lambda accesses: 2 * accesses)

    def test_what_is_the_os_threads_is_no_race(self):
        self.find_nothing("errno_elsewhere", lambda accesses: accesses)

    def check_live(self, count):
        done = check("many_live", count)
        self.assertEqual((done.returncode, done.text), (0, f"{count}\n"))

    # The tool maps two blocks for each thread, and the kernel allows some 65,000 in a process
    # unless it is told otherwise.
    def test_as_many_live_threads_as_the_kernel_allows(self):
        self.check_live(min(30_000, most_mappings() // 2 - 2000))

    def test_hundred_thousand_live_threads(self):
        if most_mappings() < 250_000:
            self.skipTest(
                f"vm.max_map_count is {most_mappings()}; the tool needs 250,000: "
                "sysctl -w vm.max_map_count=262144"
            )
        self.check_live(100_000)


if __name__ == "__main__":
    unittest.main()
