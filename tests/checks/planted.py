# SPDX-License-Identifier: BSD-3-Clause
"""Runs a check of tools/checks over a small tree, so that its test can plant an error and see it
found."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKS = Path(__file__).resolve().parents[2] / "tools" / "checks"


class planted_tree(unittest.TestCase):
    check = None
    clean = {}
    options = ()

    def run_on(self, **changes):
        """The check's exit code and words over the clean tree with these changes: {path: text or
        None}."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**self.clean, **changes.get("files", {})}.items():
                if text is not None:
                    path = Path(folder) / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            command = [sys.executable, str(CHECKS / self.check), folder, *self.options]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def assert_clean(self, files=None):
        code, words = self.run_on(files=files or {})
        self.assertEqual(code, 0, words)
        return words

    def assert_found(self, files, *expected):
        code, words = self.run_on(files=files)
        self.assertEqual(code, 1, words)
        for text in expected:
            self.assertIn(text, words)
        return words
