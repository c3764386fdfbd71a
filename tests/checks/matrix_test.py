# SPDX-License-Identifier: BSD-3-Clause
"""The tools that `make test` stands on: its counting of results, and the list of packages."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CI = Path(__file__).resolve().parents[2] / "tools" / "ci"


def run(*command, **options):
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )


class junit(unittest.TestCase):
    def row(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.xml"
            if text is not None:
                path.write_text(text)
            return (
                run(sys.executable, CI / "junit.py", path, "dev", 12, 5).stdout.strip().split("\t")
            )

    def test_counts(self):
        row = self.row('<testsuite tests="9" failures="2" disabled="1" skipped="3"/>')
        self.assertEqual(row[:5], ["dev", "3", "2", "4", "12"])

    def test_no_result_is_a_failure(self):
        self.assertEqual(self.row(None)[:4], ["dev", "0", "1", "0"])
        self.assertEqual(
            self.row('<testsuite tests="0" failures="0"/>')[:4], ["dev", "0", "1", "0"]
        )
        self.assertEqual(self.row("<testsuite")[:4], ["dev", "0", "1", "0"])


class deps(unittest.TestCase):
    """deps.sh between a dpkg-query that knows nothing and an apt-get that only says what it was
    asked."""

    def run_deps(self, status, *groups):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in (
                ("dpkg-query", f"echo -n {status}"),
                ("apt-get", 'echo "apt-get $*"'),
                ("sudo", 'exec "$@"'),
            ):
                path = Path(folder) / name
                path.write_text(f"#!/bin/sh\n{body}\n")
                path.chmod(0o755)
            environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            return run("bash", CI / "deps.sh", *groups, env=environment)

    def test_does_nothing_when_all_is_there(self):
        done = self.run_deps("installed", "all")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_says_what_and_why(self):
        done = self.run_deps("not-installed", "build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"libhwloc-dev +the machine topology")
        self.assertRegex(done.stdout, r"apt-get .*install -y .*\blibhwloc-dev\b")
        self.assertNotIn("qemu", done.stdout)


class steps(unittest.TestCase):
    def test_unknown_step_is_refused(self):
        done = run("bash", CI / "test.sh", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no step 'nonsense'", done.stderr)


if __name__ == "__main__":
    unittest.main()
