# SPDX-License-Identifier: BSD-3-Clause
"""A sample of gcc's own libgomp tests, over this library: each eighth. `make test-openmp` runs all
of them."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import suite

SKIPPED = 77
EACH = 8

if not suite.has_sources():
    print(
        "skipped: gcc's tests are in Debian's package gcc-12-source, "
        "which is not installed (make deps)"
    )
    sys.exit(SKIPPED)
suites = [
    name
    for name, compiler in (("c", "gcc"), ("c++", "g++"), ("fortran", "gfortran"))
    if shutil.which(compiler)
]
if "fortran" not in suites:
    print("without the Fortran ones: gfortran is not installed")
script = Path(suite.__file__)
command = [
    sys.executable,
    str(script),
    os.environ["LAZULT_BUILD_DIR"],
    "-j",
    "2",
    "--sample",
    str(EACH),
    "--suites",
    *suites,
]
sys.exit(subprocess.run(command, check=False).returncode)
