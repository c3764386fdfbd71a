# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of make concert-figures are right about results that are known."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["LAZULT_SOURCE_DIR"])
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "bench/concert/figures"), str(SOURCE / "tools/plots")]

import concert_costs as costs  # noqa: E402
import concert_fig15 as fig15  # noqa: E402
import concert_page as page  # noqa: E402
import concert_regions as regions  # noqa: E402
import concert_verdicts as verdicts  # noqa: E402
import instructions  # noqa: E402
import run as driver  # noqa: E402

VERSIONS = ("base", "stack", "pull", "stack+pull")


def row(version, tau, local, efficiency, spread=0.0, **more):
    found = {
        "version": version,
        "tau_us": tau,
        "local_percent": local,
        "efficiency": efficiency,
        "low": efficiency - spread,
        "high": efficiency + spread,
        "pattern": "random",
        "sigma": 0.5,
    }
    return {**found, **more}


def as_in_the_paper(spread=0.0):
    """A grid in which each version is better than those that it must be better than."""
    added = {"base": 0, "stack": 0.1, "pull": 0.15, "stack+pull": 0.3}
    return [
        row(version, tau, local, 0.1 + 0.1 * i + local / 500 + added[version], spread)
        for version in VERSIONS
        for i, tau in enumerate((10, 100, 1000))
        for local in (0, 50, 100)
    ]


class order(unittest.TestCase):
    def test_the_order_of_the_paper_is_found(self):
        counts, against = verdicts.order(as_in_the_paper())
        self.assertEqual(counts, {"right": 36, "even": 0, "wrong": 0})
        self.assertEqual(against, [])

    def test_one_planted_error_is_found(self):
        rows = as_in_the_paper(0.02)
        for each in rows:
            if (each["version"], each["tau_us"], each["local_percent"]) == ("stack", 100, 50):
                each.update(efficiency=0.05, low=0.04, high=0.06)
        counts, against = verdicts.order(rows)
        self.assertEqual(counts["wrong"], 1)
        ((gap, lesser, greater, point),) = against
        self.assertEqual((lesser, greater), ("base", "stack"))
        self.assertAlmostEqual(gap, 0.25)
        self.assertEqual(point, ("random", 100, 0.5, 50))
        words = verdicts.order_words(rows)
        self.assertIn("1 against it", words)
        self.assertIn("base above stack by 25 points at 100 us, 50 % local", words)

    def test_a_gap_within_the_spread_decides_nothing(self):
        counts, _ = verdicts.order(as_in_the_paper(0.5))
        self.assertEqual(counts, {"right": 0, "even": 36, "wrong": 0})

    def test_gains_grow_where_they_should(self):
        rows = [
            row("base", 10, 0, 0.1),
            row("stack", 10, 0, 0.1),
            row("base", 10, 100, 0.25),
            row("stack", 10, 100, 0.75),
        ]
        self.assertEqual(verdicts.gains(rows, "base", "stack"), [(0, 10, 0), (100, 10, 0.5)])
        self.assertIn("up to 50 points", verdicts.gain_words(rows))
        self.assertIn("(as in the paper)", verdicts.gain_words(rows))
        turned = [{**each, "local_percent": 100 - each["local_percent"]} for each in rows]
        self.assertIn("(not as in the paper)", verdicts.gain_words(turned))


class region(unittest.TestCase):
    rows = [
        row("stack", tau, local, efficiency)
        for local, values in ((0, (0.1, 0.2, 0.3)), (50, (0.3, 0.6, 0.8)), (100, (0.8, 0.9, 0.95)))
        for tau, efficiency in zip((1, 10, 100), values)
    ]

    def test_edges(self):
        found = regions.edge(self.rows, "stack")
        self.assertEqual(found[0], (None, False))
        # Half of the way from 0.6 to 0.8, of the logarithm.
        self.assertAlmostEqual(found[50][0], 10 * 10**0.5)
        self.assertEqual(found[100], (1, True))

    def test_an_island_is_no_edge(self):
        points = [(1, 0.9), (10, 0.5), (100, 0.9)]
        self.assertAlmostEqual(regions.least_tau(points)[0], 10 * 10**0.5)
        self.assertEqual(regions.least_tau([(1, 0.9), (10, 0.6)]), (None, False))

    def test_the_least_share_of_local_accesses(self):
        # At 100 us: 0.3 at 0 % and 0.8 at 50 %, so 0.7 at 40 %.
        self.assertAlmostEqual(regions.least_local(self.rows, "stack"), 40)
        self.assertIsNone(regions.least_local(self.rows, "base"))
        alone = [row("pull", 1, local, 0.8 - local / 200) for local in (0, 100)]
        self.assertEqual(regions.least_local(alone, "pull"), 0)

    def test_sentences_have_both_ends(self):
        words = regions.end_words(self.rows, "stack", heap_us=0.5)
        self.assertIn("10 us (4.8 heap calls) and 60 % local", words)
        self.assertIn("here from up to 1 us (2.0 heap calls) and 40 % local", words)
        nowhere = [{**each, "efficiency": 0.1} for each in self.rows]
        self.assertIn("nowhere", regions.end_words(nowhere, "stack"))

    def test_interpolation(self):
        self.assertAlmostEqual(regions.efficiency_at(self.rows, "stack", 10, 25), 0.4)
        self.assertAlmostEqual(regions.efficiency_at(self.rows, "stack", 10**0.5, 50), 0.45)
        self.assertIsNone(regions.efficiency_at(self.rows, "stack", 1000, 50))

    def test_points_of_the_paper(self):
        rows = [
            row(version, tau, local, efficiency)
            for version, efficiency in (("stack+pull", 0.65), ("base", 0.65))
            for tau in (10, 5000)
            for local in (0, 100)
        ]
        met = {each[:3]: each[-1] for each in regions.edges_met(rows)}
        self.assertTrue(met["stack+pull", 10, 100])
        self.assertTrue(met["stack+pull", 150, 0])
        self.assertTrue(met["base", 300, 80])
        for each in rows:
            each["efficiency"] = 0.85
        met = {each[:3]: each[-1] for each in regions.edges_met(rows)}
        self.assertTrue(met["stack+pull", 10, 100])  # at least
        self.assertFalse(met["stack+pull", 150, 0])  # about
        self.assertFalse(met["base", 300, 80])  # at most
        self.assertIn("base at 300 us and 80 % local has 85 %", regions.edge_words(rows))

    def test_more_ranks_than_processors(self):
        (found,) = verdicts.scaled([row("base", 1, 0, 0.4, 0.1)], 4, 2)
        self.assertAlmostEqual(found["efficiency"], 0.8)
        self.assertAlmostEqual(found["high"], 1.0)
        (found,) = verdicts.scaled([row("base", 1, 0, 0.4)], 2, 2)
        self.assertAlmostEqual(found["efficiency"], 0.4)


class other_figures(unittest.TestCase):
    def test_patterns_of_sends(self):
        def sends(**of_push):
            of_pull = {name: 1000 for name in of_push}
            return [
                {"benchmark": name, "scheme": scheme, "bytes": 1024, "harmonic_mean": value}
                for scheme, of in (("push", of_push), ("pull", of_pull))
                for name, value in of.items()
            ]

        names = ("all-to-all", "hotspot x16", "all-to-one")
        words = costs.send_words(sends(**dict(zip(names, (10, 32, 150)))))
        self.assertIn("hotspot x16 3.2 (paper 3.2), all-to-one 15 (paper 15)", words)
        self.assertIn("differ by a factor of 1 (paper: 1)", words)
        self.assertIn("Push degrades where it does in the paper", words)
        words = costs.send_words(sends(**dict(zip(names, (10, 5, 150)))))
        self.assertIn("1 of these lie on the other side", words)

    def test_sends_of_the_simulation(self):
        rows = [
            {"pattern": name, "scheme": "push", "bytes": 1024, "harmonic_mean": value}
            for name, value in (("alone", 13500), ("hotspot16", 130000), ("all-to-all", 14650))
        ]
        found = {name: is_met for name, _, _, is_met in costs.send_points(rows)}
        self.assertEqual(found, {"alone": True, "hotspot x16": False})
        self.assertIn("hotspot x16 130.0 us (paper 95: not met)", costs.send_point_words(rows))

    def test_speedups_are_from_the_fastest_single_rank(self):
        rows = [
            {"version": version, "ranks": ranks, "seconds": seconds}
            for version, ranks, seconds in (
                ("sequential", 1, 8),
                ("base", 1, 20),
                ("stack", 1, 10),
                ("base", 2, 10),
                ("stack", 2, 4),
            )
        ]
        found = costs.speedups(rows)
        self.assertEqual(found["stack"], {1: 0.8, 2: 2.0})
        self.assertEqual(found["base"][2], 0.8)
        words = costs.speedup_words(rows, {"base": 6, "stack": 12}, 32)
        self.assertIn("stack 2.00 (paper 12 at 32)", words)
        self.assertIn("80 % of the sequential", words)
        self.assertIn("1 as in the paper, 0 against", words)

    def test_instructions_of_a_pair_are_differences(self):
        counts = {
            "heap, one, blocks": 5000 + 12800,
            "heap, one, does not block": 5000,
            "heap, one, callee alone, blocks": 1000 + 2560,
            "heap, one, callee alone, does not block": 1000,
            "thread delete": 1280,
            "thread dequeue, with its end": 3840,
            "plain C call": 31930,
        }
        found = instructions.rows_of(counts)
        self.assertEqual(found["heap, one"], 80)
        self.assertEqual(found["thread dequeue"], 20)
        self.assertEqual(found["plain C call"], 10)
        self.assertFalse([name for name in found if "callee alone" in name])


class molecules_on_simulated_ranks(unittest.TestCase):
    def rows(self, **at_64):
        speedups = {"base": 24, "stack": 36, "pull": 24, "stack+pull": 36.5, **at_64}
        return [
            {"version": version, "ranks": ranks, "speedup": value * ranks / 64}
            for version, value in speedups.items()
            for ranks in (8, 64)
        ]

    def test_the_papers_outcome(self):
        points, gain, pull = fig15.words(self.rows())
        self.assertIn("base 24.0 (paper 24, met), stack 36.0 (paper 36, met)", points)
        self.assertIn("1.50 times as fast, in the paper 1.5: as in the paper", gain)
        self.assertIn("+1.4 % at 64: little, as in the paper; no loss", pull)

    def test_other_outcomes(self):
        points, gain, pull = fig15.words(self.rows(stack=25, **{"stack+pull": 23}))
        self.assertIn("stack 25.0 (paper 36, not met)", points)
        self.assertIn("1.04 times as fast, in the paper 1.5: not as in the paper", gain)
        self.assertIn("-8.0 % at 64: not little, unlike the paper; a loss", pull)
        gain = fig15.words(self.rows(stack=30))[1]
        self.assertIn("1.25 times as fast, in the paper 1.5: in the paper's direction, not", gain)
        gain = fig15.words(self.rows(stack=60))[1]
        self.assertIn("in the paper's direction, by more", gain)

    def test_fewer_ranks_decide_no_point(self):
        rows = [row for row in self.rows() if row["ranks"] == 8]
        self.assertIn("base 3.0 (paper 24, at 64)", fig15.words(rows)[0])

    def test_a_page_without_them_says_so(self):
        ((where, words),) = page.simulated_molecules({})
        self.assertEqual((where, words), ("Cray T3D, simulated", "Not there: not run"))
        rows = {"rows": self.rows()}
        found = page.simulated_molecules({fig15.PART: rows})
        self.assertEqual(found[0][0], "Cray T3D, simulated, 8 to 64 ranks")
        self.assertEqual(len(found), 3)


class figures_of_a_file(unittest.TestCase):
    """Simulated and measured panels of a fixed file, of which one point has a wrong order."""

    def results(self):
        measured = as_in_the_paper(0.02)
        for each in measured:
            if (each["version"], each["tau_us"], each["local_percent"]) == ("pull", 1000, 0):
                each.update(efficiency=0.05, low=0.04, high=0.06)
        parts = {"kernel-simulated-t3d": as_in_the_paper(), "kernel-2": measured}
        parts["kernel-simulated-here"] = []
        found = {
            name: {"date": "2026-01-01T00:00:00", "load": [0.5, 7.25], "rows": rows}
            for name, rows in parts.items()
        }
        found["kernel-simulated-here"]["unavailable"] = "it cannot simulate"
        machine = {"processor": "P", "processors": 2, "kernel": "K", "revision": "R", "mpi": "M"}
        return {"machine": machine, "quick": False, "rounds": 3, "parts": found}

    def plot(self, script, file, folder, code=0):
        """What the script says on stderr."""
        command = [driver.python_with_matplotlib(), SOURCE / "tools/plots" / script, file]
        done = subprocess.run(
            [*map(str, command), "--out", str(folder)],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_sentences(self):
        found = {}
        for where, words in page.verdicts_of(self.results())["fig11"]:
            found.setdefault(where, []).append(words)
        self.assertIn("36 as in the paper, 0 against", found["Cray T3D, simulated, 32 ranks"][0])
        self.assertIn(
            "35 as in the paper, 1 against", found["measured, 2 ranks, load 0.5 to 7.2"][0]
        )
        self.assertIn("base above pull", found["measured, 2 ranks, load 0.5 to 7.2"][0])
        absent = found["this machine, simulated, 32 ranks"]
        self.assertEqual(absent, ["Not there: it cannot simulate"])

    def test_a_disturbed_panel_claims_no_edge_of_the_paper(self):
        results = self.results()
        for each in results["parts"]["kernel-2"]["rows"]:
            each.update({end: each[end] / 2 for end in ("efficiency", "low", "high")})
        found = dict(page.verdicts_of(results)["fig13"][::-1])
        words = found["measured, 2 ranks, load 0.5 to 7.2"]
        self.assertIn("The best point has 40 % only", words)
        self.assertNotIn("The paper's base", words)

    def test_page(self):
        text = page.page(self.results(), {"fig11": ["concert-fig11.png"]})
        self.assertIn("0.5 to 7.2", text)
        self.assertIn("![Figure 11: efficiency of the microkernel](concert-fig11.png)", text)
        self.assertIn("P, K, M, revision R", text)
        self.assertNotIn("short run", text)

    @unittest.skipIf(driver.python_with_matplotlib() is None, "matplotlib is not there")
    def test_plots(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file = folder / "figures.json"
            file.write_text(json.dumps(self.results()), encoding="utf-8")
            self.plot("plot_concert.py", file, folder)
            for figure in ("fig11", "fig13"):
                self.assertGreater((folder / f"concert-{figure}.png").stat().st_size, 1000)
            self.assertFalse((folder / "concert-fig10.png").exists())

    @unittest.skipIf(driver.python_with_matplotlib() is None, "matplotlib is not there")
    def test_a_picture_keeps_its_colours(self):
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "small.ppm"
            file.write_bytes(b"P6\n2 1\n255\n" + bytes((255, 0, 0, 0, 51, 255)))
            self.plot("plot_picture.py", file, name)
            words = "import matplotlib.image as m; print(m.imread('small.png').round(2).tolist())"
            done = subprocess.run(
                [driver.python_with_matplotlib(), "-c", words],
                cwd=name,
                capture_output=True,
                text=True,
                check=True,
            )
            spots = [spot[:3] for spot in json.loads(done.stdout)[0]]
            self.assertEqual(
                [[round(part, 2) for part in spot] for spot in spots], [[1, 0, 0], [0, 0.2, 1]]
            )

    @unittest.skipIf(driver.python_with_matplotlib() is None, "matplotlib is not there")
    def test_a_picture_that_is_none_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "short.ppm"
            file.write_bytes(b"P6\n2 2\n255\n123")
            said = self.plot("plot_picture.py", file, name, code=1)
            self.assertIn("has 3 bytes for 2 x 2 pixels", said)


if __name__ == "__main__":
    unittest.main()
