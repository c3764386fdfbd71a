# SPDX-License-Identifier: BSD-3-Clause
"""Each file has a licence and a holder of its copyright, as https://reuse.software wants it."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
REUSE = shutil.which("reuse")


@unittest.skipUnless(REUSE, "reuse is not installed: apt-get install reuse")
@unittest.skipUnless(
    (SOURCE / ".git").exists(), "not a clone, so nothing says which files belong to the tree"
)
class licences(unittest.TestCase):
    def lint(self, folder):
        return subprocess.run(
            [REUSE, "--root", str(folder), "lint"], capture_output=True, text=True, check=False
        )

    def test_all_files_have_one(self):
        done = self.lint(SOURCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_licence_without_its_text_is_found(self):
        with self.copy_of_rules() as folder:
            self.assertEqual(self.lint(folder).returncode, 0)
            (folder / "new.cpp").write_text("// SPDX-License-" + "Identifier: MIT\n")
            done = self.lint(folder)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("MIT", done.stdout)

    def copy_of_rules(self):
        import contextlib
        import tempfile

        @contextlib.contextmanager
        def copied():
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for part in ("LICENSES", ".reuse"):
                    shutil.copytree(SOURCE / part, folder / part)
                (folder / "apps/flights/data").mkdir(parents=True)
                (folder / "apps/flights/data/flights-sample.csv.gz").write_bytes(b"rows")
                (folder / "old.cpp").write_text("// SPDX-License-" + "Identifier: BSD-3-Clause\n")
                yield folder

        return copied()


if __name__ == "__main__":
    unittest.main()
