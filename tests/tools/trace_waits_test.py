# SPDX-License-Identifier: BSD-3-Clause
"""LAZULT_TRACE: the end of a slice says what its unit waits for."""
import json
import os
import re
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from command import BIN

PROGRAM = BIN / "trace_waits"


def pattern(line):
    """What a line of the program means: any address for 0x*, any number for #."""
    return re.escape(line).replace(r"0x\*", "0x[0-9a-f]+").replace(r"\#", r"\d+")


class waits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace.json"
            clean = {k: v for k, v in os.environ.items() if not k.startswith("LAZULT_")}
            traced = {"LAZULT_TRACE": str(file), "LAZULT_TRACE_EVERY": "1"}
            # AddressSanitizer keeps some records apart from the stack, where nobody finds them.
            asan = clean.get("ASAN_OPTIONS", "") + ":detect_stack_use_after_return=0"
            traced["ASAN_OPTIONS"] = asan.lstrip(":")
            done = subprocess.run(
                [PROGRAM],
                env={**clean, **traced},
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            )
            cls.wanted = done.stdout.splitlines()
            events = json.loads(file.read_text())["traceEvents"]
        cls.events = [e for e in events if "ult" in e.get("args", {})]
        cls.ends = [e["args"] for e in cls.events if e["ph"] == "E"]
        cls.told = [a["for"] for a in cls.ends if "for" in a]

    def test_each_wait_has_its_words(self):
        self.assertEqual(len(self.wanted), 30)
        for line, times in Counter(self.wanted).items():
            with self.subTest(line):
                found = [words for words in self.told if re.fullmatch(pattern(line), words)]
                self.assertGreaterEqual(len(found), times, self.told)

    def test_only_waits_and_joins_have_words(self):
        for end in self.ends:
            if "for" in end:
                self.assertIn(end["left"], ("wait", "join"), end)

    def test_each_wait_and_join_has_words(self):
        silent = [e for e in self.ends if e["left"] in ("wait", "join") and "for" not in e]
        self.assertEqual(silent, [])

    def test_sleeps_last_as_long_as_they_say(self):
        told = [re.fullmatch(r"a sleep of (\d+) (m?s)", words) for words in self.told]
        spans = [int(m[1]) / (1000 if m[2] == "ms" else 1) for m in told if m]
        # What has passed when the unit suspends is not told.
        for asked, said in zip((0.25, 100, 0.15, 0.35), spans, strict=True):
            self.assertLessEqual(said, asked)
            self.assertGreater(said, asked - 0.1)

    def test_a_joiner_goes_on_when_the_unit_that_it_names_has_ended(self):
        joins = [i for i, e in enumerate(self.events) if e["args"].get("left") == "join"]
        self.assertGreaterEqual(len(joins), 20)
        for at in joins:
            joiner = self.events[at]["args"]["ult"]
            (child,) = re.findall(r"the end of ULT (\d+)", self.events[at]["args"]["for"])
            later = self.events[at + 1 :]
            back = next(
                i for i, e in enumerate(later) if e["ph"] == "B" and e["args"]["ult"] == joiner
            )
            ended = [e for e in later[:back] if e["args"].get("left") == "end"]
            self.assertIn(int(child), [e["args"]["ult"] for e in ended])


if __name__ == "__main__":
    unittest.main()
