# SPDX-License-Identifier: BSD-3-Clause
"""lazult --version and lazult info."""
import json
import os
import re
import unittest

from command import command_test

PROCESSORS = len(os.sched_getaffinity(0))


class info(command_test):
    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^lazult \d+\.\d+\.\d+\n$")

    def describe(self, **environment):
        return json.loads(self.succeed("info", "--json", **environment).stdout)

    def test_what_json_tells(self):
        told = self.describe()
        self.assertRegex(told["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(told["topology"]["processors"], PROCESSORS)
        self.assertEqual(told["streams"], PROCESSORS)
        self.assertIsInstance(told["membarrier"], bool)
        self.assertIn(told["files"], ("io_uring", "helper threads"))
        self.assertIn(told["memory"]["guard"], ("madvise", "mprotect", "canary"))
        self.assertEqual(told["memory"]["stack_size"], 64 << 10)
        self.assertEqual(told["memory"]["scheduler_stack_size"], 64 << 10)
        self.assertTrue(told["build"]["context_switch"])
        self.assertTrue(told["machine"]["processor"])
        self.assertEqual(told["machine"]["kernel"], f"{os.uname().sysname} {os.uname().release}")

    def test_techniques_fall_back_in_order(self):
        fallback = {row["name"]: row["fallback"] for row in self.describe()["techniques"]}
        self.assertEqual(len(fallback), 7)
        self.assertEqual(fallback["scheduler_creation"], "stack_separation")
        self.assertEqual(fallback["stack_separation"], "return_on_completion")
        self.assertEqual(fallback["return_on_completion"], "full")
        self.assertIsNone(fallback["full"])

    def test_settings_name_their_source(self):
        told = self.describe(LAZULT_STREAMS="3", LAZULT_TECHNIQUE="full", LAZULT_GUARD="none")
        rows = {row["name"]: row for row in told["settings"]}
        self.assertEqual(
            (rows["streams"]["value"], rows["streams"]["source"]), ("3", "environment")
        )
        self.assertEqual(
            (rows["stack_size"]["value"], rows["stack_size"]["source"]), ("64 KiB", "default")
        )
        self.assertEqual(told["streams"], 3)
        self.assertEqual(told["memory"]["guard"], "none")
        self.assertEqual([row["name"] for row in told["techniques"] if row["default"]], ["full"])
        for row in rows.values():
            self.assertEqual(
                set(row), {"name", "variable", "value", "source", "default", "accepted", "doc"}
            )
            self.assertTrue(row["variable"].startswith("LAZULT_"))
            self.assertTrue(row["doc"] and row["accepted"])

    def test_text_tells_the_same(self):
        shown = self.succeed("info", LAZULT_STREAMS="3").stdout
        for row in self.describe()["settings"]:
            self.assertIn(row["variable"], shown)
            self.assertIn(row["doc"], shown)
            self.assertIn(row["accepted"], shown)
        self.assertTrue(re.search(r"LAZULT_STREAMS +3 +environment +default 0", shown), shown)
        for word in (
            "Machine",
            "context switch",
            "membarrier",
            "files",
            "guard in force",
            "huge pages",
            "scheduler_creation",
        ):
            self.assertIn(word, shown)

    def test_bad_setting_warns_and_is_ignored(self):
        done = self.succeed("info", LAZULT_STREAMS="many")
        self.assertIn("LAZULT_STREAMS", done.stderr)
        self.assertTrue(re.search(r"LAZULT_STREAMS +0 +default", done.stdout), done.stdout)


class usage(command_test):
    def test_no_subcommand(self):
        self.refuse(words=("subcommand",))

    def test_unknown_subcommand(self):
        self.refuse("dance", words=("dance",))

    def test_help(self):
        for name in ("info", "bench", "run"):
            self.assertIn(name, self.succeed("--help").stdout)


if __name__ == "__main__":
    unittest.main()
