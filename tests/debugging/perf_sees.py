# SPDX-License-Identifier: BSD-3-Clause
"""perf's call graphs of threads: from where they burn time up to where they start, and no further,
by each technique."""
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from program import BIN, run

NUMBERS = range(6)  # of techniques, as the program's function names have them
SKIPPED = 77


def record(folder, call_graph):
    """The chains of callers of samples in burn_time, innermost first; and why there are none."""
    data = Path(folder) / "perf.data"
    done = run(
        "perf",
        "record",
        "-e",
        "cpu-clock",
        "-F",
        "999",
        "--call-graph",
        call_graph,
        "-o",
        data,
        BIN / "burn",
    )
    if done.returncode != 0 or not data.exists():
        return [], done.text
    shown = run("perf", "script", "-i", data, "-F", "ip,sym", "--max-stack", "100", limit=250)
    samples = [block.strip().splitlines() for block in re.split(r"\n\s*\n", shown.text)]
    chains = [[line.split(None, 1)[-1] for line in sample if line.strip()] for sample in samples]
    return [chain for chain in chains if any("burn_time" in name for name in chain)], shown.text


class perf_sees(unittest.TestCase):
    def chains_by_technique(self, call_graph):
        with tempfile.TemporaryDirectory() as folder:
            chains, text = record(folder, call_graph)
        self.assertGreater(len(chains), 20, text)
        result = {
            number: [
                chain
                for chain in chains
                if any(f"entry_of<(lazult::technique){number}>" in name for name in chain)
            ]
            for number in NUMBERS
        }
        self.assertTrue(
            all(result.values()), {number: len(found) for number, found in result.items()}
        )
        self.assertEqual(
            sum(map(len, result.values())), len(chains), "samples whose entry function is not seen"
        )
        return result

    def check_order(self, chain, number):
        """From burn_time by way of what called it to the entry function."""
        names = " < ".join(chain)
        self.assertRegex(
            names,
            rf"burn_time.* < .*calls_burn<\(lazult::technique\){number}>.* < .*"
            rf"entry_of<\(lazult::technique\){number}>.* < .*run_thread",
        )

    def test_by_unwind_information(self):
        for number, chains in self.chains_by_technique("dwarf,16384").items():
            for chain in chains:
                self.check_order(chain, number)
                # A thread that was called stands on a stack of its own, and a sample holds one
                # stack.
                if chain[-1] == "[unknown]" and chain[-2].startswith("lazult_call_"):
                    chain.pop()
                self.assertNotIn("[unknown]", chain)
                self.assertRegex(chain[-1], r"^(lazult_|_start|__libc_start)", chain)

    def test_by_frame_pointers(self):
        for number, chains in self.chains_by_technique("fp").items():
            for chain in chains:
                self.check_order(chain, number)


def why_not():
    if shutil.which("perf") is None:
        return "no perf here"
    with tempfile.TemporaryDirectory() as folder:
        done = run("perf", "record", "-e", "cpu-clock", "-o", Path(folder) / "perf.data", "true")
    return "" if done.returncode == 0 else f"perf may not look here: {done.text}"


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(reason)
        sys.exit(SKIPPED)
    unittest.main()
