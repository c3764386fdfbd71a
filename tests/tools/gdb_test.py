# SPDX-License-Identifier: BSD-3-Clause
"""tools/gdb in gdb: on a live program and on its core file."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BIN = Path(os.environ.get("LAZULT_BIN_DIR", SOURCE / "build/release/bin"))
SCRIPT = SOURCE / "tools/gdb/lazult_gdb.py"
TARGET = BIN / "gdb_target"

TECHNIQUES = (
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
)


def gdb(*arguments):
    """What gdb printed, of both kinds."""
    done = subprocess.run(
        [
            "gdb",
            "-nx",
            "-batch",
            "-ex",
            "set debuginfod enabled off",
            "-ex",
            "set width 0",
            "-iex",
            "set auto-load no",
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=200,
        check=False,
    )
    return done.stdout + done.stderr


def commands(*lines):
    return [word for line in lines for word in ("-ex", line)]


def rows_of(text):
    """Of `lazult ults`: number, state, technique, entry, pool, what it waits for; and names by
    number."""
    lines = text[text.index("ID ") :].splitlines()
    rows = [re.split(r"  +", line.strip()) for line in lines[1:] if "  " in line]
    return [row[:1] + row[2:] for row in rows], {row[0]: row[1] for row in rows}


class common:
    """On a live program and on a core file alike. `ask` gives what gdb prints for some commands."""

    @classmethod
    def setUpClass(cls):
        cls.open()
        list_text, all_text = cls.ask("lazult ults"), cls.ask("lazult apply all bt")
        cls.rows, cls.names = rows_of(list_text)
        cls.traces = {part.split()[0]: part for part in all_text.split("\nULT ")[1:]}

    def ids(self, state):
        return [row[0] for row in self.rows if row[1].startswith(state)]

    def test_list_has_every_unit_with_state_and_technique(self):
        blocked = [row[2] for row in self.rows if row[1] == "blocked"]
        for technique in TECHNIQUES:
            self.assertIn(technique, blocked, self.rows)
        self.assertEqual(
            sum(row[1].startswith("running (thread") for row in self.rows), 1, self.rows
        )
        self.assertTrue(
            any(len(row) > 5 and row[5].startswith("end of ") for row in self.rows), self.rows
        )
        self.assertTrue(
            all("fifo" in row[4] or "pool" in row[4] for row in self.rows if row[2] in TECHNIQUES)
        )

    def awaited(self, name):
        """What the unit of that name waits for."""
        which = next((number for number, its in self.names.items() if its == name), None)
        self.assertIsNotNone(which, self.names)
        return which, next(row[5] if len(row) > 5 else "" for row in self.rows if row[0] == which)

    def test_names_and_what_each_waits_for(self):
        holder, _ = self.awaited("holder")
        self.assertRegex(self.awaited("locker")[1], rf"^mutex 0x[0-9a-f]+ held by {holder}$")
        self.assertRegex(self.awaited("holder")[1], r"^eventual 0x[0-9a-f]+$")
        self.assertRegex(self.awaited("sleeper")[1], rf"^{self.sleep}$")
        self.assertRegex(self.awaited("receiver")[1], rf"^channel 0x[0-9a-f]+ \(for {self.span}\)$")
        self.assertRegex(self.awaited("picker")[1], r"^(eventual 0x[0-9a-f]+, ){6}2 more$")
        self.assertRegex(
            self.awaited("poller")[1], rf"^(fd \d+{self.kind}, to be readable, ){{6}}3 more$"
        )
        self.assertEqual(self.awaited("dormant")[1], "to be resumed")
        self.assertRegex(self.awaited("reader")[1], rf"^fd \d+{self.kind}, to be readable$")
        self.assertRegex(self.awaited("writer")[1], rf"^fd \d+{self.kind}, to be writable$")
        which, end = self.awaited("joiner")
        self.assertRegex(end, r"^end of \d+$")
        both = self.awaited("chooser")[1]
        self.assertRegex(both, r"end of \d+")
        self.assertRegex(both, r"channel 0x")

    def test_backtrace_begins_in_the_units_own_code(self):
        for name, function in (
            ("locker", "lock_it"),
            ("sleeper", "sleep_long"),
            ("receiver", "receive_late"),
            ("dormant", "lie_down"),
        ):
            which, _ = self.awaited(name)
            self.assertRegex(
                self.traces[which].split("\n", 1)[1], rf"\A#0 .*\b{function}\b", self.traces[which]
            )
        which, _ = self.awaited("locker")
        self.assertRegex(self.ask(f"lazult bt {which} 1"), r"#0 .*lock_it")
        whole = self.ask("set lazult-library-frames on", f"lazult bt {which}")
        self.assertRegex(whole, r"#0 .*(lazult|libl)")
        self.assertRegex(whole, r"#[1-9]\d* .*lock_it")

    def test_commands_run_in_the_units_own_frame(self):
        which, _ = self.awaited("locker")
        self.assertIn("lock_it", self.ask(f"lazult apply {which} frame"))

    def test_every_suspended_unit_unwinds_to_its_function(self):
        self.assertGreater(len(self.ids("blocked")), 7)
        for which in self.ids("blocked"):
            text = self.traces[which]
            self.assertRegex(
                text,
                r"\n#\d+ .*(wait_deep<|join_child|call_child|hold_it|lock_it|sleep_long"
                r"|receive_late|lie_down|choose|join_it|read_late|write_late|pick_late|poll_late)",
                which,
            )
            self.assertRegex(text, r"\n#0 ")
            self.assertNotIn("stop_here", text)

    def test_depth_of_the_calls_is_seen(self):
        deep = [text for text in self.traces.values() if re.search(r"\n#\d+ .*wait_deep<", text)]
        self.assertGreater(len(deep), 6)
        for text in deep:
            self.assertEqual(len(re.findall(r"\n#\d+ .*wait_deep<", text)), 3, text)

    def test_child_in_place_stands_above_its_joiner(self):
        child = next(row for row in self.rows if "in place" in row[2])
        joiner = next(row for row in self.rows if len(row) > 5 and row[5] == f"end of {child[0]}")
        self.assertEqual(joiner[1], "running", self.rows)
        for which in (child[0], joiner[0]):
            frames = self.traces[which].split("\n", 1)[1]
            self.assertLess(frames.index("wait_deep<"), frames.index("call_child ()"), frames)

    def test_yielding_and_fresh_units(self):
        texts = [self.traces[which] for which in self.ids("ready")]
        self.assertTrue(any("yield_for_long" in text for text in texts), texts)
        self.assertTrue(any("has not started" in text for text in texts), texts)

    def test_running_unit_is_its_threads_backtrace(self):
        which = next(row[0] for row in self.rows if "(thread" in row[1])
        self.assertRegex(self.traces[which], r"stop_here(.|\n)*main")

    def test_one_unit_and_then_the_thread_as_it_was(self):
        which = next(row[0] for row in self.rows if row[1] == "blocked" and row[2] == "full")
        text = self.ask(f"lazult bt {which} 3", "echo AFTER\\n", "bt")
        one, after = text.split("AFTER")
        self.assertLess(len(re.findall(r"\n#\d", one)), 5)
        self.assertIn("stop_here", after)
        self.assertNotIn("wait_deep", after)

    def test_refusals(self):
        text = "".join(
            self.ask(line) for line in ("lazult bt 99999", "lazult bt", "lazult ults asleep")
        )
        for words in ("no unit that exists", "say which unit", "is no state"):
            self.assertIn(words, text)


@unittest.skipUnless(shutil.which("gdb"), "no gdb here")
class live(common, unittest.TestCase):
    kind = ", a pipe"
    span = r"[0-9.]+ s more"
    sleep = rf"sleep of {span}"

    @classmethod
    def open(cls):
        pass

    @classmethod
    def ask(cls, *lines, then="kill"):
        text = gdb(
            *commands(
                "break stop_here", "run", f"source {SCRIPT}", "echo \\nASKED\\n", *lines, then
            ),
            "--args",
            TARGET,
        )
        return text[text.index("\nASKED") :]

    def test_program_goes_on_unharmed(self):
        self.assertIn("exited normally", self.ask("lazult apply all bt", then="continue"))

    def test_other_programs_are_refused_clearly(self):
        text = gdb(
            *commands("break main", "run", f"source {SCRIPT}", "lazult ults", "kill"),
            "--args",
            sys.executable,
        )
        self.assertIn("no liblazult", text)


@unittest.skipUnless(shutil.which("gdb"), "no gdb here")
class core_file(common, unittest.TestCase):
    # A core file does not say these.
    kind = ""
    span = "a time"
    sleep = "sleep"

    @classmethod
    def open(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.core = Path(cls.folder.name) / "core"
        # gdb 13 leaves out a mapping of which it cannot read all, as one with guards by madvise.
        text = gdb(
            *commands(
                "set environment LAZULT_GUARD mprotect",
                "break stop_here",
                "run",
                f"generate-core-file {cls.core}",
                "kill",
            ),
            "--args",
            TARGET,
        )
        if not cls.core.exists():
            raise AssertionError(text)

    @classmethod
    def ask(cls, *lines):
        text = gdb(TARGET, cls.core, *commands(f"source {SCRIPT}", "echo \\nASKED\\n", *lines))
        return text[text.index("\nASKED") :]


if __name__ == "__main__":
    unittest.main()
