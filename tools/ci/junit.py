#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns ctest's JUnit file into one line of the table of test.sh.

usage: junit.py FILE STEP SECONDS BUILD_SECONDS
"""
import sys
import xml.etree.ElementTree as xml


def row(path, step, seconds, build_seconds):
    try:
        suite = xml.parse(path).getroot()
    except (OSError, xml.ParseError) as error:
        return (step, 0, 1, 0, seconds, f"no result: {error}")
    tests, failures, skipped = (
        int(suite.get(key, "0")) for key in ("tests", "failures", "skipped")
    )
    if tests == 0:
        return (step, 0, 1, 0, seconds, "no tests ran")
    skipped += int(suite.get("disabled", "0"))
    return (
        step,
        tests - failures - skipped,
        failures,
        skipped,
        seconds,
        f"(build {build_seconds})",
    )


if __name__ == "__main__":
    print(*row(*sys.argv[1:]), sep="\t")
