# SPDX-License-Identifier: BSD-3-Clause
"""make concert-figures: from small real runs come all figures and a page, and an interrupted run
goes on."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = pathlib.Path(os.environ["LAZULT_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["LAZULT_BUILD_DIR"])
RUN = SOURCE / "bench/concert/figures/run.py"
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "bench/concert/figures"), str(SOURCE / "tools/plots")]

import concert_page as page  # noqa: E402
import concert_panels as panels  # noqa: E402
import concert_paper as paper  # noqa: E402
import programs  # noqa: E402
import run as driver  # noqa: E402
import steps  # noqa: E402
import store  # noqa: E402

HAS_CEDAR = any((BUILD / "bin" / mpi / "iccedar-concert").exists() for mpi in ("openmpi", "mpich"))
VERSIONS = ("base", "stack", "pull", "stack+pull")


def row(tau, efficiency):
    return {"version": "base", "tau_us": tau, "efficiency": efficiency, "pattern": "random"}


class results_of_rounds(unittest.TestCase):
    def test_medians_and_spread(self):
        found = store.merge([row(1, value) for value in (0.3, 0.1, 0.2)])
        self.assertEqual(len(found), 1)
        self.assertEqual([found[0][key] for key in ("efficiency", "low", "high")], [0.2, 0.1, 0.3])
        self.assertEqual(found[0]["rounds"], 3)

    def test_the_least_of_a_spread_is_kept(self):
        ends = ((5, 9, 20), (4, 8, 30))
        rows = [{"benchmark": "b", "low": a, "median": b, "high": c} for a, b, c in ends]
        (found,) = store.merge(rows)
        self.assertEqual([found[key] for key in ("least", "low", "median")], [4, 8, 8.5])

    def test_simulated_rows_get_the_names_of_measured_ones(self):
        (found,) = store.merge([{"pattern": "random", "bytes": 16, "source_us": 2.5}])
        self.assertEqual((found["harmonic_mean"], found["low"]), (2500, 2500))
        (found,) = store.merge([{"version": "base", "local": 20, "efficiency": 0.5}])
        self.assertEqual(found["local_percent"], 20)

    def test_an_interrupted_run_goes_on(self):
        with tempfile.TemporaryDirectory() as name:
            ran = []

            def one(number):
                ran.append(number)
                if number == 2 and ran.count(2) == 1:
                    raise KeyboardInterrupt
                return [row(number, 0.5)]

            wanted = [steps.step("part", str(i), 1, lambda i=i: one(i)) for i in range(1, 4)]
            kept = store.store(pathlib.Path(name) / "parts", {"rounds": 1})
            self.assertFalse(kept.begin(False))
            with self.assertRaises(KeyboardInterrupt):
                driver.measure(wanted, kept, 1)
            self.assertTrue(kept.begin(False))
            driver.measure(wanted, kept, 1)
            self.assertEqual(ran, [1, 2, 2, 3])
            self.assertEqual(len(driver.parts_of(wanted, kept)["part"]["rows"]), 3)
            other = store.store(pathlib.Path(name) / "parts", {"rounds": 2})
            self.assertFalse(other.begin(False))
            self.assertFalse(other.has(wanted[0]))


class simulation_of_this_machine(unittest.TestCase):
    def simulate(self, rows_so_far):
        """The costs that the program gets."""
        given = []

        def rows_of(command):
            given.extend(json.loads(pathlib.Path(command[-1]).read_text(encoding="utf-8")))
            return []

        of = mock.Mock()
        of.bench = lambda *words: list(words)
        plan = steps.planner(of, steps.quick(), pathlib.Path(), rows_so_far)
        with mock.patch.object(steps, "rows_of", rows_of):
            plan.simulate("kernel", "here", ())
        return given

    def test_it_gets_what_was_measured(self):
        given = self.simulate(lambda part: [{"benchmark": part, "median": 9, "least": 1}])
        self.assertEqual([row["benchmark"] for row in given], list(steps.COSTS))
        self.assertEqual({row["median"] for row in given}, {1})

    def test_without_measurements_it_says_what_is_missing(self):
        with self.assertRaisesRegex(programs.failed, "primitives, schemas, objects"):
            self.simulate(lambda part: [])

    def test_rows_of_an_earlier_run_serve(self):
        with tempfile.TemporaryDirectory() as name:
            kept = store.store(pathlib.Path(name), {})
            before = {"schemas": {"rows": [{"benchmark": "old", "median": 1}]}}
            found = driver.rows_so_far("schemas", kept, before)
            self.assertEqual(found[0]["benchmark"], "old")
            one = steps.step("schemas", "all", 1, None)
            result = {"date": "", "load": [0], "rows": [{"benchmark": "new", "median": 2}]}
            kept.put(one, result)
            found = driver.rows_so_far("schemas", kept, before)
            self.assertEqual([row["benchmark"] for row in found], ["new"])


class simulation_of_molecules(unittest.TestCase):
    def rows(self, has, found=()):
        of = mock.Mock()
        of.has = lambda name: has
        of.simulated = lambda *words: list(words)
        given = []

        def rows_of(command):
            given.append(command)
            return list(found)

        plan = steps.planner(of, steps.amounts(), pathlib.Path(), None)
        with mock.patch.object(steps, "rows_of", rows_of):
            return plan.simulate_molecules(), given

    def test_it_runs_without_a_launcher_and_keeps_seconds(self):
        row = {"version": "base", "ranks": 8, "speedup": 5, "checksum": "1", "messages": 2}
        row |= {"bytes": 3, "contexts": 4, "elapsed_us": 5e6}
        row |= {"computed_us": 3e6, "most_computed_us": 1e6}
        ((kept,), (command,)) = self.rows(True, [row])
        self.assertEqual((kept["seconds"], kept["seconds_computed"]), (5, 3))
        self.assertEqual(command[:3], ["iccedar-concert", "--simulate", "t3d"])
        (merged,) = store.merge([kept])
        self.assertEqual((merged["low"], merged["speedup"]), (5, 5))

    def test_a_build_without_it_says_so(self):
        with self.assertRaisesRegex(programs.failed, "no iccedar-concert"):
            self.rows(False)


@unittest.skipUnless(
    (BUILD / "bin/openmpi/radiosity-concert").exists()
    or (BUILD / "bin/mpich/radiosity-concert").exists(),
    "the programs are not built",
)
class small_runs(unittest.TestCase):
    def test_figures_and_page(self):
        with tempfile.TemporaryDirectory() as name:
            report = pathlib.Path(name)
            has_plots = driver.python_with_matplotlib() is not None
            command = [sys.executable, RUN, "--quick", "--build", BUILD, "--report", report]
            done = subprocess.run(
                [*map(str, command), *([] if has_plots else ["--no-plots"])],
                capture_output=True,
                text=True,
                timeout=200,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            results = json.loads((report / "concert-figures.json").read_text(encoding="utf-8"))
            self.check_rows(results)
            self.check_words(page.page(results, {}), results)
            if has_plots:
                self.check_files(report)

    def check_rows(self, results):
        parts = results["parts"]
        for part in ("kernel-2", "kernel-4"):
            found = {
                (each["version"], each["tau_us"], each["local_percent"])
                for each in parts[part]["rows"]
            }
            self.assertEqual(len(found), len(VERSIONS) * 2 * 2)
        found = {each["version"] for each in parts["patterns-4"]["rows"]}
        self.assertEqual(found, {"stack", "stack+pull"})
        found = {(each["version"], each["ranks"]) for each in parts["radiosity"]["rows"]}
        self.assertEqual(len(found), 1 + 2 * len(VERSIONS))
        checksums = {each["checksum"] for each in parts["radiosity"]["rows"]}
        self.assertEqual(len(checksums), 1)
        self.assertGreater(len(parts["sends-2"]["rows"]), 10)
        self.assertGreater(panels.heap_call_us(results), 0)

        self.check_simulated_molecules(parts.get("iccedar-simulated-t3d", {}).get("rows", []))

    def check_simulated_molecules(self, rows):
        found = {(each["version"], each["ranks"]) for each in rows}
        wanted = {(version, ranks) for version in VERSIONS for ranks in (2, 4)}
        self.assertEqual(found, wanted if HAS_CEDAR else set())
        self.assertLessEqual(len({each["checksum"] for each in rows}), 1)
        for each in rows:
            self.assertGreater(each["seconds"], each["seconds_of_slowest"])

    def check_words(self, text, results):
        self.assertIn(results["machine"]["processor"], text)
        self.assertIn("The load of the machine", text)
        self.assertIn("This was a short run", text)
        for title in page.TITLES.values():
            self.assertIn(title, text)
        for said in paper.SAYS.values():
            self.assertIn(said, text)

    def check_files(self, report):
        for figure in ("table1", "table4", *(f"fig{i}" for i in range(10, 15))):
            plot = report / f"concert-{figure}.png"
            self.assertGreater(plot.stat().st_size, 1000, plot)
        self.assertEqual((report / "radiosity.png").read_bytes()[:4], b"\x89PNG")
        outcomes = json.loads((report / "concert-outcomes.json").read_text(encoding="utf-8"))
        self.assertIn("concert-fig13.png", (report / "concert-figures.md").read_text())
        if HAS_CEDAR:
            self.assertGreater((report / "concert-fig15-simulated.png").stat().st_size, 1000)
        titles = {name: title for name, title in page.TITLES.items() if name != "fig15"}
        self.assertLessEqual(set(titles.values()), {each["figure"] for each in outcomes})
        self.assertFalse([each for each in outcomes if each["here"].startswith(page.ABSENT)])

    def test_a_build_without_mpi_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, str(RUN), "--build", folder, "--report", folder],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("was built without MPI", done.stderr)


if __name__ == "__main__":
    unittest.main()
