# SPDX-License-Identifier: BSD-3-Clause
"""LAZULT_TRACE and LAZULT_STATS: what a program does is in the files, and nothing else."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

from command import BIN, COMMAND

TARGET = BIN / "trace_target"
WAITS = BIN / "trace_waits"
LIBRARY = BIN.parent / "lib" / "liblazult.so"
TECHNIQUES = (
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
    "run_to_completion",
    "adaptive",
)


def run(mode, program=(), **environment):
    """The finished process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LAZULT_")}
    return subprocess.run(
        [*map(str, program), str(TARGET), mode],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


class trace:
    """A file, and what must be true of every one."""

    def __init__(self, test, path):
        self.all = json.loads(Path(path).read_text())
        self.events = [e for e in self.all["traceEvents"] if e["ph"] != "M"]
        self.tracks = defaultdict(list)
        for event in self.events:
            self.tracks[event["tid"]].append(event)
        self.names = {
            e["tid"]: e["args"]["name"]
            for e in self.all["traceEvents"]
            if e["name"] == "thread_name"
        }
        self.dropped = self.all["otherData"]["dropped_events"]
        for events in self.tracks.values():
            self.check_track(test, events)
        self.lives = defaultdict(list)
        for event in self.events:
            if event.get("args", {}).get("ult"):
                self.lives[event["args"]["ult"]].append(event)
        for number, events in self.lives.items():
            events.sort(
                key=lambda e: e["ts"]
            )  # stable: in the file's order where one thread told them
            self.check_life(test, number, events)

    def check_track(self, test, events):
        depth, last = 0, 0
        for event in events:
            test.assertGreaterEqual(event["ts"], last, event)
            last = event["ts"]
            depth += {"B": 1, "E": -1}.get(event["ph"], 0)
            test.assertGreaterEqual(depth, 0, event)
        test.assertEqual(depth, 0)

    def check_life(self, test, number, events):
        """Created once, then it runs, leaves and is back in turns, and nothing after its end."""
        kinds = [e["name"] if e["ph"] == "i" else e["ph"] for e in events]
        begins = [e["args"]["how"] for e in events if e["ph"] == "B"]
        test.assertEqual(kinds.count("create"), 1, (number, events))
        test.assertEqual(kinds[0], "create", (number, events))
        running = [k for k in kinds if k in "BE"]
        test.assertEqual(running, ["B", "E"] * (len(running) // 2), (number, events))
        for first in begins[:1]:
            test.assertIn(first, ("starts", "starts in place"))
        test.assertFalse({"starts", "starts in place"} & set(begins[1:]), (number, events))
        test.assertLessEqual(kinds.count("promote"), 1)
        lefts = [e["args"]["left"] for e in events if e["ph"] == "E"]
        test.assertNotIn("end", lefts[:-1], (number, events))
        test.assertNotIn("unknown", lefts, (number, events))

    def creations(self):
        return [e for e in self.events if e["name"] == "create" and e["ph"] == "i"]

    def count(self, name):
        return sum(e["name"] == name and e["ph"] == "i" for e in self.events)

    def ended(self):
        """The lives that came to their end."""
        return [
            n
            for n, events in self.lives.items()
            if any(e["ph"] == "E" and e["args"]["left"] == "end" for e in events)
        ]

    def reasons(self):
        return Counter(e["args"]["left"] for e in self.events if e["ph"] == "E" and "args" in e)


class folder_test(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def succeed(self, *arguments, **environment):
        done = run(*arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


class tracing(folder_test):
    def traced(self, mode, **environment):
        """The trace of a run in which all units are traced, and how many the program made."""
        file = self.folder / "trace.json"
        done = self.succeed(
            mode,
            LAZULT_TRACE=str(file),
            **{"LAZULT_TRACE_EVERY": "1", "LAZULT_STREAMS": "1", **environment},
        )
        self.assertEqual(done.stderr, "")
        return trace(self, file), int(done.stdout)

    def check_counts(self, found, created):
        """The program's threads, and its main thread, which has no end."""
        self.assertEqual(found.dropped, 0)
        self.assertEqual(len(found.creations()), created + 1)
        self.assertEqual(len(found.ended()), created)

    def test_every_technique(self):
        found, created = self.traced("all")
        self.check_counts(found, created)
        planned = Counter(e["args"]["technique"] for e in found.creations())
        for technique in TECHNIQUES[:-1]:
            self.assertGreaterEqual(planned[technique], 30, planned)
        started = Counter(
            e["args"]["started"]
            for e in found.events
            if e["ph"] == "E" and e["args"].get("left") == "end"
        )
        for technique in ("return_on_completion", "stack_separation", "scheduler_creation"):
            self.assertGreater(started[technique] + started["in_place"], 0, started)
        self.assertGreaterEqual(found.reasons()["yield"], 6 * 10)
        self.assertGreaterEqual(found.reasons()["wait"], 6 * 10)
        self.assertGreaterEqual(found.count("wake"), 6 * 10)
        self.assertGreaterEqual(found.count("promote"), 3 * 10)

    def test_every_technique_on_two_streams(self):
        found, created = self.traced("all", LAZULT_STREAMS="2")
        self.check_counts(found, created)
        self.assertTrue({"stream 0", "stream 1"} <= set(found.names.values()), found.names)

    def test_in_place_and_deeper(self):
        for streams in ("1", "2"):
            with self.subTest(streams=streams):
                found, created = self.traced("nest", LAZULT_STREAMS=streams)
                self.check_counts(found, created)
                how = Counter(
                    e["args"]["how"] for e in found.events if e["ph"] == "B" and "args" in e
                )
                self.assertGreater(how["starts in place"], 0, how)

    def test_child_first(self):
        found, created = self.traced("child-first")
        self.check_counts(found, created)
        self.assertGreaterEqual(found.reasons()["child first"], 40)

    def test_stealing_and_idling(self):
        for _ in range(5):
            found, created = self.traced("steal", LAZULT_STREAMS="2", LAZULT_IDLE_SPIN="0")
            self.check_counts(found, created)
            self.assertEqual(found.count("stream begins"), 2)
            self.assertEqual(found.count("stream ends"), 2)
            self.assertTrue(any(e["name"] == "idle" for e in found.events))
            if found.count("steal") > 0:
                return
        self.skipTest("the second stream never came to steal")

    def test_arrows_lead_somewhere(self):
        found, _ = self.traced("all")
        for name in ("create", "wake"):
            sent = Counter(e["id"] for e in found.events if e["ph"] == "s" and e["name"] == name)
            came = Counter(e["id"] for e in found.events if e["ph"] == "f" and e["name"] == name)
            self.assertTrue(sent)
            self.assertLessEqual(
                sum(sent[i] for i in sent if i not in came), 0 if name == "create" else len(sent)
            )

    def test_revived_units_live_again(self):
        found, created = self.traced("revive")
        self.check_counts(found, created)

    def test_cancelled_before_it_starts(self):
        found, created = self.traced("cancel")
        self.assertEqual(len(found.creations()), created + 1)
        self.assertEqual(found.count("end"), 1)

    def test_one_unit_in_so_many(self):
        found, created = self.traced("many", LAZULT_TRACE_EVERY="100")
        self.assertEqual(created, 20_000)
        self.assertAlmostEqual(len(found.creations()), created / 100, delta=3)
        thread = found.all["otherData"]["threads"][0]
        self.assertGreaterEqual(thread["units_started"], created)
        self.assertEqual(thread["one_unit_in"], 100)

    def test_rate_adjusts_itself(self):
        found, created = self.traced("many", LAZULT_TRACE_EVERY="0")
        self.assertLessEqual(len(found.creations()), created + 1)
        self.assertGreaterEqual(len(found.creations()), 1000)

    def test_full_buffer_keeps_the_beginning_and_counts_the_rest(self):
        file = self.folder / "trace.json"
        self.succeed(
            "many",
            LAZULT_TRACE=str(file),
            LAZULT_TRACE_EVERY="1",
            LAZULT_TRACE_EVENTS="1000",
            LAZULT_STREAMS="1",
        )
        found = trace(self, file)
        self.assertGreater(found.dropped, 50_000)
        self.assertEqual(found.all["otherData"]["events_kept_of_each_thread"], 1000)
        self.assertGreater(len(found.creations()), 200)

    def test_by_the_command(self):
        file = self.folder / "trace-%p.json"
        done = self.succeed("cancel", (COMMAND, "run", "--trace", file, "--trace-every", 1, "--"))
        self.assertEqual(done.stderr, "")
        (written,) = self.folder.iterdir()
        self.assertRegex(written.name, r"trace-\d+\.json")
        trace(self, written)

    def test_usual_place(self):
        before = Path.cwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        self.succeed("cancel", LAZULT_TRACE="on")
        (written,) = self.folder.iterdir()
        self.assertRegex(written.name, r"lazult-trace-\d+\.json")

    def test_forked_child_writes_nothing(self):
        found, created = self.traced("fork")
        self.assertEqual(created, 1)
        self.check_counts(found, created)

    def test_file_that_cannot_be_written(self):
        done = self.succeed("cancel", LAZULT_TRACE=str(self.folder / "none" / "trace.json"))
        self.assertRegex(
            done.stderr,
            r'^lazult: warning: LAZULT_TRACE: the file ".*/none/trace.json" cannot be written '
            r"\(No such file or directory\): nothing is traced\n$",
        )

    def test_malformed_settings(self):
        for name, value in (
            ("TRACE", "onn"),
            ("TRACE_EVENTS", "3"),
            ("TRACE_EVERY", "-1"),
            ("STATS", "ture"),
        ):
            with self.subTest(name):
                done = self.succeed("cancel", **{f"LAZULT_{name}": value})
                self.assertRegex(
                    done.stderr, rf'^lazult: warning: LAZULT_{name}="{value}" is ignored: .*\n$'
                )
                self.assertEqual(list(self.folder.iterdir()), [])


class statistics(folder_test):
    def test_counts_of_every_technique(self):
        file = self.folder / "stats.json"
        done = self.succeed("all", LAZULT_STATS=str(file), LAZULT_STREAMS="1")
        found = json.loads(file.read_text())
        self.assertEqual(done.stderr, "")
        created = int(done.stdout) + 1  # and the main thread, a lazy_stack one
        self.assertEqual(found["all"]["created"], created)
        for technique in TECHNIQUES:
            row = found["techniques"][technique]
            self.assertEqual(row["created"], 31 if technique == "lazy_stack" else 30, technique)
        for technique in TECHNIQUES[:5]:
            self.assertGreaterEqual(found["techniques"][technique]["promoted"], 10, technique)
        self.assertEqual(found["techniques"]["run_to_completion"]["promoted"], 0)
        for name in (
            "created",
            "started",
            "promoted",
            "fallbacks",
            "suspensions",
            "steals",
            "sleeps",
            "idle_us",
            "stacks_made",
            "stacks_in_use",
        ):
            self.assertEqual(sum(t[name] for t in found["threads"]), found["all"][name])
        self.assertGreaterEqual(found["all"]["stacks_made"], found["all"]["stacks_in_use"])
        self.assertGreater(found["memory"]["peak"], 0)

    def test_with_a_trace_all_are_counted_still(self):
        stats, file = self.folder / "stats.json", self.folder / "trace.json"
        done = self.succeed(
            "many", LAZULT_STATS=str(stats), LAZULT_TRACE=str(file), LAZULT_TRACE_EVERY="50"
        )
        self.assertEqual(json.loads(stats.read_text())["all"]["created"], int(done.stdout) + 1)
        self.assertAlmostEqual(len(trace(self, file).creations()), 400, delta=10)

    def test_table(self):
        done = self.succeed("all", LAZULT_STATS="1", LAZULT_STREAMS="2")
        for words in (
            r"^lazult: statistics of process \d+$",
            r"^ +created +started +promoted +fallbacks ",
            r"^stream 0 ",
            r"^stream 1 ",
            r"^all ",
            r"^memory: ",
        ):
            self.assertRegex(done.stderr, re.compile(words, re.M))
        self.assertEqual(self.succeed("cancel", LAZULT_STATS="off").stderr, "")

    def test_in_a_file(self):
        file = self.folder / "stats.txt"
        self.assertEqual(self.succeed("cancel", LAZULT_STATS=str(file)).stderr, "")
        self.assertIn("statistics of process", file.read_text())

    def test_file_that_cannot_be_written(self):
        done = self.succeed("cancel", LAZULT_STATS=str(self.folder))
        self.assertRegex(
            done.stderr,
            r'LAZULT_STATS: the file ".*" cannot be written \(Is a directory\): here they are',
        )
        self.assertIn("statistics of process", done.stderr)

    def test_forked_child_prints_nothing(self):
        self.assertEqual(
            self.succeed("fork", LAZULT_STATS="1").stderr.count("statistics of process"), 1
        )


class probes(unittest.TestCase):
    NAMES = ("create", "start", "suspend", "wake", "resume", "end", "idle", "steal", "stream")

    def notes(self):
        if shutil.which("readelf") is None or not LIBRARY.exists():
            self.skipTest("no readelf, or no shared library")
        shown = subprocess.run(
            ["readelf", "-n", LIBRARY], capture_output=True, text=True, check=True
        ).stdout
        if "stapsdt" not in shown:
            self.skipTest("this build has no probes: sys/sdt.h was not there")
        return shown

    def test_notes_are_in_the_library(self):
        shown = self.notes()
        found = re.findall(
            r"Provider: lazult\s+Name: (\w+)\s+Location: \S+, Base: \S+, "
            r"Semaphore: (0x[0-9a-f]+)\s+Arguments: (.*)",
            shown,
        )
        self.assertEqual({name for name, _, _ in found}, set(self.NAMES))
        for name, semaphore, arguments in found:
            self.assertNotEqual(int(semaphore, 16), 0, name)
            counts = {"create": 3, "suspend": 4, "end": 3}
            self.assertEqual(len(arguments.split()), counts.get(name, 2), name)

    @unittest.skipUnless(shutil.which("gdb"), "no gdb here")
    def test_suspend_has_the_words_of_its_wait(self):
        self.notes()
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script"
            script.write_text(
                "set debuginfod enabled off\nset pagination off\nset breakpoint pending on\n"
                "tbreak -qualified main\nrun\nbreak -probe-stap lazult:suspend\ncommands\nsilent\n"
                'printf "PROBED %ld %s.\\n", $_probe_arg2, (char*)$_probe_arg3\n'
                "continue\nend\ncontinue\n"
            )
            done = subprocess.run(
                ["gdb", "-nx", "-batch", "-iex", "set auto-load no", "-x", script, WAITS],
                env={**os.environ, "LAZULT_PROBES": "1", "LAZULT_TRACE_EVERY": "1"},
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=200,
                check=False,
            )
        told = re.findall(r"PROBED (\d) (.*)\.", done.stdout)
        self.assertGreater(len(told), 30, done.stdout + done.stderr)
        yields, waits = ([words for why, words in told if why == which] for which in "02")
        self.assertEqual(set(yields), {""})
        self.assertNotIn("", waits)
        for words in (
            r"mutex 0x[0-9a-f]+",
            r"fd \d+, a pipe, to be readable",
            r"(eventual 0x[0-9a-f]+ or ){6}3 more",
            r"a sleep of \d+ ms",
        ):
            self.assertTrue(any(re.fullmatch(words, each) for each in waits), waits)


@unittest.skipUnless(
    shutil.which("perf") and os.geteuid() == 0,
    "perf is not there, or only root may place its probes",
)
class attached(folder_test):
    """A tool attaches before the program starts: its units pass the probes without any setting."""

    def perf(self, *arguments):
        home = {"HOME": str(self.folder), "LAZULT_STREAMS": "1"}
        done = subprocess.run(
            ["perf", "--buildid-dir", str(self.folder / "ids"), *map(str, arguments)],
            env={**os.environ, **home},
            cwd=self.folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=100,
            check=False,
        )
        if done.returncode != 0:
            self.skipTest(f"perf {arguments[0]}: {(done.stdout + done.stderr)[-200:]}")
        return done.stdout

    def test_suspensions(self):
        program = (
            self.folder / "trace_probes"
        )  # a name of its own, as perf's list of probes is the machine's
        shutil.copy(COMMAND, program)
        self.perf("buildid-cache", "--add", program)
        self.perf("probe", "--exec", program, "%sdt_lazult:suspend")
        self.addCleanup(
            subprocess.run,
            ["perf", "probe", "-q", "-d", "sdt_lazult:suspend*"],
            capture_output=True,
            check=False,
        )
        self.perf(
            "record",
            "-o",
            "data",
            "-e",
            "sdt_lazult:suspend",
            "--",
            program,
            "bench",
            "fork-join",
            "--callgrind-ops",
            "--iterations",
            3,
            "--technique",
            "scheduler_creation",
            "--suspend",
            50,
        )
        reasons = Counter(
            re.findall(r"sdt_lazult:suspend:.* arg3=(\d)", self.perf("script", "-i", "data"))
        )
        self.assertEqual(reasons["0"], 3 * 64, reasons)


class cost(folder_test):
    """Without tracing none of its functions is called, from the creation of units to their ends, by
    any technique."""

    OURS = re.compile(
        r"^c?fn=\(\d+\) lazult::core::(?:\(anonymous namespace\)::)?"
        r"(trace_\w+|observe_creation|finish_observed|tell_\w+|record|begin_life|began)\b",
        re.M,
    )

    def called(self, **environment):
        if shutil.which("valgrind") is None:
            self.skipTest("valgrind is not there")
        out = self.folder / "callgrind.out"
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith("LAZULT_")
        }
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={out}",
                "--compress-strings=yes",
                COMMAND,
                "bench",
                "fork-join",
                "--callgrind-ops",
                "--iterations",
                "2",
                "--n",
                "16",
                "--technique",
                "all",
                "--suspend",
                "0,50",
            ],
            env={**clean, **environment},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        if done.returncode != 0:
            self.skipTest("valgrind cannot run it: " + done.stderr[-200:])
        return set(self.OURS.findall(out.read_text()))

    def test_nothing_when_off(self):
        found = self.called()
        self.assertLessEqual(found, {"trace_stream", "trace_idling", "trace_theft", "record"})

    def test_the_look_would_find_something(self):
        found = self.called(LAZULT_TRACE=str(self.folder / "trace.json"))
        self.assertIn("trace_end", found)
        self.assertIn("finish_observed", found)


if __name__ == "__main__":
    unittest.main()
