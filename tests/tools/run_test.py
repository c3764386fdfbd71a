# SPDX-License-Identifier: BSD-3-Clause
"""lazult run: options become the environment of a program."""
import sys
import unittest

from command import COMMAND, command_test, run

SHOW = (
    "import os, sys; "
    "print({k: v for k, v in sorted(os.environ.items()) if k.startswith('LAZULT_')}, sys.argv[1:])"
)


class run_program(command_test):
    def shown(self, *arguments, **environment):
        return self.succeed("run", *arguments, **environment).stdout.strip()

    def test_options_become_the_environment(self):
        shown = self.shown(
            "--streams",
            2,
            "--stack-size",
            "32K",
            "--technique",
            "full",
            "--",
            sys.executable,
            "-c",
            SHOW,
        )
        self.assertEqual(
            shown,
            "{'LAZULT_STACK_SIZE': '32K', 'LAZULT_STREAMS': '2', 'LAZULT_TECHNIQUE': 'full'} []",
        )

    def test_arguments_pass_untouched(self):
        shown = self.shown(
            "--", sys.executable, "-c", SHOW, "--streams", "7", "--", "-x", "two words"
        )
        self.assertEqual(shown, "{} ['--streams', '7', '--', '-x', 'two words']")

    def test_without_dashes(self):
        self.assertEqual(
            self.shown("--bind", "off", sys.executable, "-c", SHOW, "--version"),
            "{'LAZULT_BIND': 'off'} ['--version']",
        )

    def test_option_wins_over_environment(self):
        self.assertEqual(
            self.shown("--streams", 2, "--", sys.executable, "-c", SHOW, LAZULT_STREAMS="5"),
            "{'LAZULT_STREAMS': '2'} []",
        )

    def test_the_program_sees_the_setting(self):
        shown = self.shown("--idle-spin", "7us", "--", COMMAND, "info")
        self.assertRegex(shown, r"LAZULT_IDLE_SPIN +7 us +environment")

    def test_exit_code_is_the_programs(self):
        self.assertEqual(
            run("run", "--", sys.executable, "-c", "raise SystemExit(7)").returncode, 7
        )

    def test_bad_value(self):
        self.refuse(
            "run",
            "--stack-size",
            "huge",
            "--",
            "true",
            words=("--stack-size", '"huge"', "4 KiB to 1 GiB"),
        )
        self.refuse(
            "run", "--technique", "magic", "--", "true", words=("--technique", "lazy_stack")
        )

    def test_no_program(self):
        self.refuse("run", words=("names no program",))
        self.refuse("run", "--streams", "2", "--", words=("names no program",))

    def test_program_that_is_not_there(self):
        done = run("run", "--", "no-such-program-of-mine")
        self.assertEqual(done.returncode, 127)
        self.assertIn("no-such-program-of-mine", done.stderr)

    def test_file_that_is_no_program(self):
        done = run("run", "--", __file__.rsplit("/", 1)[0])
        self.assertEqual(done.returncode, 126)

    def test_help_names_every_variable(self):
        shown = self.succeed("run", "--help").stdout
        for name in (
            "LAZULT_STREAMS",
            "LAZULT_TECHNIQUE",
            "LAZULT_STACK_SIZE",
            "LAZULT_GUARD",
            "LAZULT_BIND",
        ):
            self.assertIn(name, shown)


if __name__ == "__main__":
    unittest.main()
