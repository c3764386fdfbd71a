#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ioservice runs in each mode, keeps its values when it is killed, and names damaged files."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(os.environ["LAZULT_BIN_DIR"])
PROGRAM = BIN / "ioservice"
PLAIN = BIN / "ioservice_plain"
SMALL = ("--grid", "66", "--steps", "100", "--rounds", "1", "--keys", "20", "--blocks", "2")
PLAIN_MODES = ["off", "threads", "private-plain", "shared-plain"]
MODES = PLAIN_MODES + ["private", "shared"]


def run(*arguments, program=PROGRAM):
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, timeout=50
    )


@unittest.skipUnless(PROGRAM.exists(), "apps/ioservice is not built")
class Ioservice(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name) / "store"

    def succeeded(self, *arguments, program=PROGRAM):
        done = run(*arguments, program=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, words, *arguments):
        done = run(*arguments)
        self.assertNotEqual(done.returncode, 0, arguments)
        self.assertIn(words, done.stderr + done.stdout)

    def wait_until_served(self, folder):
        """For half a second more than it takes to make the store."""
        path = folder / "blocks-3"
        first, end = None, time.monotonic() + 30
        while first is None or path.stat().st_mtime < first + 0.5:
            self.assertLess(time.monotonic(), end, path)
            time.sleep(0.01)
            if first is None and path.exists():
                first = path.stat().st_mtime

    def check(self):
        return self.succeeded("--check", "--folder", self.folder)

    def test_each_mode_is_measured(self):
        path = Path(self.temporary.name) / "found.json"
        shown = self.succeeded(*SMALL, "--sync", "--json", path)
        found = {each["mode"]: each for each in json.loads(path.read_text())["modes"]}
        self.assertEqual(list(found), MODES)
        for name, each in found.items():
            self.assertIn(f"| {name} ", shown)
            self.assertGreater(each["step_ms"]["least"], 0)
            self.assertEqual(each["requests_per_second"]["median"] > 0, name != "off", name)
        self.assertIn("Every answer of the service and every grid was right.", shown)

    def test_a_rate_is_kept(self):
        path = Path(self.temporary.name) / "found.json"
        few = ("--grid", "258", "--steps", "3000", "--rounds", "1", "--modes", "private")
        self.succeeded(*few, "--rate", "100", "--json", path)
        found = json.loads(path.read_text())["modes"][0]["requests_per_second"]["median"]
        self.assertLess(found, 200)

    def test_the_plain_program_uses_functions_of_argobots_alone(self):
        shown = self.succeeded(*SMALL, program=PLAIN)
        self.assertNotIn("| private ", shown)
        for name in PLAIN_MODES:
            self.assertIn(f"| {name} ", shown)
        for program, uses in ((PROGRAM, True), (PLAIN, False)):
            symbols = subprocess.run(
                ["nm", "--undefined-only", program], capture_output=True, text=True, check=True
            ).stdout
            self.assertIn("ABT_thread_create", symbols)
            self.assertEqual("ABTX_" in symbols, uses, program)
            self.assertNotIn("lazult", symbols)

    def test_a_run_goes_on_with_the_store_of_another(self):
        for modes in ("private", "threads", "shared"):
            self.succeeded(*SMALL, "--folder", self.folder, "--modes", modes)
        self.assertIn("The store had been closed; 0 blocks", self.check())

    def test_a_killed_store_has_whole_values(self):
        forever = ("--grid", "66", "--steps", "100000", "--keys", "40", "--blocks", "3")
        for mode in ("shared", "private", "threads"):
            for attempt in range(5):  # a quick run may have closed its store before the kill
                self.folder = Path(self.temporary.name) / f"{mode}{attempt}"
                arguments = [PROGRAM, *forever, "--folder", self.folder, "--modes", mode]
                with subprocess.Popen([*arguments, "--puts", "80"]) as running:
                    self.wait_until_served(self.folder)
                    running.send_signal(signal.SIGKILL)
                shown = self.check()
                if "The store had not been closed" in shown:
                    break
            self.assertIn("The store had not been closed", shown)
            self.assertGreater(int(shown.split()[0]), 20)
            self.assertIn("The store had been closed; 0 blocks", self.check())

    def test_direct_mode(self):
        done = run(*SMALL, "--folder", self.folder, "--direct")
        if done.returncode != 0:
            self.assertIn("this file system has no direct mode; leave out --direct", done.stderr)
        else:
            self.assertIn("The store had been closed", self.check())

    def test_damaged_files_are_named(self):
        self.succeeded(*SMALL, "--folder", self.folder, "--modes", "shared")
        path = self.folder / "blocks-2"
        blocks = path.read_bytes()
        check = ("--check", "--folder", self.folder)
        path.write_bytes(blocks[:-5000])
        self.refused("blocks-2: has ", *check)
        self.refused("blocks-2: has ", *SMALL, "--folder", self.folder)
        path.write_bytes(bytes([blocks[0] ^ 1]) + blocks[1:])
        self.refused("blocks-2: block 0 is damaged", *check)
        path.write_bytes(blocks)
        self.check()

    def test_bad_options_are_refused(self):
        self.refused("there is no mode 'fast'; there are off, threads", "--modes", "fast")
        self.refused("--check needs --folder", "--check")
        self.refused("there is no folder", "--check", "--folder", "/nowhere/store")
        self.refused("more than 100 percent", "--puts", "60", "--deletes", "50")
        self.refused("each client needs one", "--keys", "3")
        self.refused("--streams", "--streams", "0")
        self.refused("--rate", "--rate", "-1")
        self.refused("cannot be written", *SMALL, "--modes", "off", "--json", "/nowhere/out.json")


if __name__ == "__main__":
    unittest.main()
