# SPDX-License-Identifier: BSD-3-Clause
"""LAZULT_WATCHDOG and LAZULT_DEADLOCK: what is stuck is reported, and what only looks so is not."""
import os
import re
import signal
import subprocess
import unittest
from pathlib import Path

BIN = Path(
    os.environ.get("LAZULT_BIN_DIR", Path(__file__).resolve().parents[2] / "build/release/bin")
)
TARGET = BIN / "watch_target"

TECHNIQUES = (
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
    "run_to_completion",
    "adaptive",
)
ALIVE = (
    "timer",
    "deadline",
    "other_thread",
    "reader",
    "event",
    "long_computation",
    "signal_handler",
)


def start(case, **settings):
    return subprocess.Popen(
        [TARGET, case],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, **settings),
    )


def end(process, timeout=60):
    try:
        out, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, errors = process.communicate()
        raise AssertionError(f"it did not end: {out}{errors}") from None
    return process.returncode, out, errors


def run(case, **settings):
    return end(start(case, **settings))


def kernel_tells():
    try:
        return bool(Path("/proc/thread-self/syscall").read_text(encoding="ascii"))
    except OSError:
        return False


# The portable switch leaves no frame to start from.
FRAMES = r"((?:    #\d+ .*\n)+|    no backtrace: the portable switch.*\n)"


@unittest.skipUnless(kernel_tells(), "the kernel does not say here what threads wait for")
class deadlock(unittest.TestCase):
    def assert_frame(self, name, text):
        if "no backtrace: the portable switch" not in text:
            self.assertIn(name, text)

    def aborted(self, case):
        code, out, errors = run(case, LAZULT_DEADLOCK="abort")
        self.assertEqual(code, -signal.SIGABRT, errors)
        self.assertEqual(
            errors.count("lazult: deadlock: nothing in this process can run any more"), 1, errors
        )
        return out, errors

    def test_two_mutexes_and_their_holders_are_named(self):
        out, errors = self.aborted("two_mutexes")
        mutexes = re.match(r"first (\S+) second (\S+)", out).groups()
        units = {}
        for hand in ("left hand", "right hand"):
            found = re.search(
                rf'ULT (\d+) "{hand}" \((\w+), entry .*\) waits for mutex (\S+), '
                r"held by ULT (\d+)\n" + FRAMES,
                errors,
            )
            self.assertTrue(found, errors)
            self.assert_frame("lock_in_order", found[5])
            units[hand] = found
        self.assertEqual({found[3] for found in units.values()}, set(mutexes), errors)
        self.assertEqual(units["left hand"][4], units["right hand"][1], errors)
        self.assertEqual(units["right hand"][4], units["left hand"][1], errors)
        one, two = sorted((int(found[1]) for found in units.values()))
        self.assertIn(f"  circle: ULT {one} -> ULT {two} -> ULT {one}\n", errors)

    def test_threads_that_join_each_other_are_named(self):
        _, errors = self.aborted("join_circle")
        ends = dict(re.findall(r"ULT (\d+) \(.*\) waits for the end of ULT (\d+)\n", errors))
        self.assertEqual(len(ends), 2, errors)
        self.assertTrue(all(ends[ends[one]] == one for one in ends), errors)
        self.assertEqual(errors.count("  circle:"), 1, errors)

    def test_condition_that_nobody_signals(self):
        out, errors = self.aborted("condition")
        where = out.split()[1]
        waiter = re.search(rf"ULT (\d+) \(.*\) waits for condition {where}\n", errors)
        self.assertTrue(waiter, errors)
        self.assertRegex(errors, rf"ULT \d+ \(.*\) waits for the end of ULT {waiter[1]}\n")
        self.assertNotIn("circle", errors)

    def test_eventual_that_nobody_sets_and_joiner_of_many(self):
        _, errors = self.aborted("eventual")
        self.assertEqual(
            len(re.findall(r"ULT \d+ \(.*\) waits for eventual 0x", errors)), 3, errors
        )
        self.assertRegex(
            errors, r"waits for the end of ULT \d+ or the end of ULT \d+ or the end of ULT \d+\n"
        )
        self.assert_frame("wait_for_it", errors)

    def test_thread_outside_that_joins_keeps_nobody_alive(self):
        _, errors = self.aborted("outside_joiner")
        self.assertRegex(errors, r"waits for eventual 0x")

    def test_choice_of_more_than_a_stack_has_room_for(self):
        _, errors = self.aborted("choice_of_many")
        self.assertRegex(errors, r"waits for (eventual 0x[0-9a-f]+ or ){6}3 more\n")

    def test_report_comes_once_and_ends_nothing(self):
        process = start("condition", LAZULT_DEADLOCK="report")
        with self.assertRaises(subprocess.TimeoutExpired):
            process.communicate(timeout=2)
        process.kill()
        _, errors = process.communicate()
        self.assertEqual(errors.count("lazult: deadlock:"), 1, errors)

    def test_thread_that_may_still_be_woken_is_left_alone(self):
        running = {case: start(case, LAZULT_DEADLOCK="abort") for case in ALIVE}
        for case, process in running.items():
            if case == "reader":
                with self.assertRaises(subprocess.TimeoutExpired, msg=case):
                    process.wait(timeout=1.2)
            code, _, errors = end(process)
            self.assertEqual((code, errors), (0, ""), case)

    def test_off_unless_asked_for(self):
        process = start("condition")
        with self.assertRaises(subprocess.TimeoutExpired):
            process.communicate(timeout=1)
        process.kill()
        self.assertEqual(process.communicate()[1], "")


class watchdog(unittest.TestCase):
    def test_spinning_units_of_each_technique_are_reported_once(self):
        running = {how: start(how, LAZULT_WATCHDOG="100ms") for how in TECHNIQUES}
        for how, process in running.items():
            code, _, errors = end(process)
            self.assertEqual(code, 0, errors)
            late = re.findall(
                r'lazult: watchdog: \w+ \d+ "spinner" \((\w+), entry .*\) on stream \d, '
                r"OS thread \d+ has not reached a scheduling point for (\S+) s\n"
                r"((?:  #\d+ .*\n)+)",
                errors,
            )
            self.assertEqual(len(late), 1, errors)
            self.assertTrue(how in (late[0][0], "adaptive"), errors)
            self.assertGreaterEqual(float(late[0][1]), 0.1)
            self.assertIn("spin_until", late[0][2], errors)

    def test_units_at_scheduling_points_and_idle_streams_are_not(self):
        running = {case: start(case, LAZULT_WATCHDOG="300ms") for case in ("yields_alone", "idle")}
        for case, process in running.items():
            code, _, errors = end(process)
            self.assertEqual((code, errors), (0, ""), case)


class settings(unittest.TestCase):
    def test_malformed_ones_are_ignored_and_named(self):
        for name, value, accepted in (
            ("LAZULT_WATCHDOG", "soon", "a time from 0 ns to 3600 s"),
            ("LAZULT_WATCHDOG", "2h", "a time from 0 ns to 3600 s"),
            ("LAZULT_DEADLOCK", "perhaps", "one of off report abort"),
        ):
            code, _, errors = run("idle", **{name: value})
            self.assertEqual(code, 0, errors)
            self.assertIn(f'{name}="{value}" is ignored', errors)
            self.assertIn(accepted, errors)


if __name__ == "__main__":
    unittest.main()
