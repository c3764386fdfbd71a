# SPDX-License-Identifier: BSD-3-Clause
"""lazult generate: the manual page and the completions, which are made from the options."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from command import command_test, run
from shells import bash_offers, typed

SETTINGS = ("LAZULT_STREAMS", "LAZULT_TECHNIQUE", "LAZULT_DEADLOCK")


def needs(tool):
    return unittest.skipIf(shutil.which(tool) is None, f"{tool} is not installed")


class generated(command_test):
    """The file of a format, in a folder of its own."""

    what, name = "", ""

    @classmethod
    def setUpClass(cls):
        if not cls.what:
            raise unittest.SkipTest("this class has no tests")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.file = cls.folder / cls.name
        done = run("generate", cls.what, "--to", cls.file)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        cls.text = cls.file.read_text()

    def quiet(self, *command, **environment):
        """The command's output. It has no complaint."""
        done = subprocess.run(
            [str(word) for word in command],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{command}: {done.stdout}")
        return done.stdout


def commands_of(test, *path):
    """(path, text of --help) of a command and all below it."""
    shown = test.succeed(*path, "--help").stdout
    yield path, shown
    below = (
        shown.split("Subcommands:\n", 1)[1].split("\n\n")[0] if "Subcommands:\n" in shown else ""
    )
    for name in re.findall(r"^  ([a-z]+)\b", below, re.MULTILINE):
        if (*path, name) == ("bench", "peers"):  # its --help is a script's
            yield (*path, name), ""
        else:
            yield from commands_of(test, *path, name)


def options_of(shown):
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", shown, re.MULTILINE))


class manual(generated):
    what, name = "man", "lazult.1"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = (
            cls.text.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
        )

    def section(self, heading):
        """The text below such a heading, `.SH` or `.SS`, up to the next."""
        found = re.search(
            rf"^\.S[HS] {re.escape(heading)}\n(.*?)(?=^\.S[HS] |\Z)",
            self.plain,
            re.MULTILINE | re.DOTALL,
        )
        self.assertIsNotNone(found, heading)
        return found[1]

    def test_has_its_sections(self):
        self.assertEqual(
            re.findall(r"^\.SH (.*)", self.text, re.MULTILINE),
            [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "COMMANDS",
                "ENVIRONMENT",
                "EXIT STATUS",
                "EXAMPLES",
                "SEE ALSO",
            ],
        )

    def test_has_each_command_and_option_of_help(self):
        seen = 0
        for path, shown in commands_of(self):
            text = self.section(" ".join(("lazult", *path)) if path else "DESCRIPTION")
            for option in options_of(shown):
                self.assertRegex(text, rf"(?m)^(-h, )?{option}( |$)", path)
                seen += 1
            self.assertIn(" ".join(("lazult", *path)), self.section("SYNOPSIS"))
        self.assertGreater(seen, 60)

    def test_has_each_setting(self):
        shown = self.succeed("info", "--json").stdout
        variables = re.findall(r'"variable": "(\w+)"', shown)
        self.assertTrue(set(SETTINGS) <= set(variables))
        for variable in variables:
            self.assertRegex(self.section("ENVIRONMENT"), rf"(?m)^\.TP\n{variable}\n")

    def test_does_not_show_what_help_hides(self):
        for word in ("generate", "--plant", "--callgrind-ops"):
            self.assertNotIn(word, self.section("COMMANDS") + self.section("SYNOPSIS"))

    def test_does_not_depend_on_the_environment(self):
        self.assertEqual(self.succeed("generate", "man", LAZULT_STREAMS="3").stdout, self.text)

    def test_examples_have_options_that_are_there(self):
        known = {path: options_of(shown) for path, shown in commands_of(self)}
        examples = re.findall(r"(?m)^lazult (\w+)(.*)", self.section("EXAMPLES"))
        self.assertGreater(len(examples), 4)
        for name, rest in examples:
            self.assertLessEqual(
                set(re.findall(r"--[a-z-]+", rest.split(" -- ")[0])), known[(name,)], rest
            )

    @needs("groff")
    def test_groff_has_no_warning(self):
        self.assertIn(
            "lightweight threads", self.quiet("groff", "-man", "-Tascii", "-ww", self.file)
        )

    @needs("man")
    def test_man_has_no_warning(self):
        if (
            "--warnings"
            not in subprocess.run(
                ["man", "--help"], capture_output=True, text=True, check=False
            ).stdout
        ):
            self.skipTest("this man has no --warnings")
        self.assertIn(
            "ENVIRONMENT",
            self.quiet(
                "man", "--warnings", "-l", self.file, LC_ALL="C", MANWIDTH="80", MANPAGER="cat"
            ),
        )

    @needs("mandoc")
    def test_mandoc_has_no_warning(self):
        done = subprocess.run(
            ["mandoc", "-Tlint", "-Wwarning", self.file],
            capture_output=True,
            text=True,
            check=False,
        )
        # The page has no date, lest it change with the day of the build.
        lines = [
            line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line
        ]
        self.assertEqual(lines, [])


class bash(generated):
    what, name = "bash", "lazult"

    def offers(self, *words):
        return bash_offers(self.file, *words)

    def test_syntax(self):
        self.quiet("bash", "-n", self.file)

    def test_commands(self):
        self.assertEqual(self.offers("be"), ["bench"])
        self.assertEqual(self.offers(""), ["info", "bench", "soak", "run", "stacks"])
        self.assertEqual(self.offers("bench", "op"), ["openmp"])

    def test_options(self):
        for path, shown in commands_of(self):
            if shown:
                self.assertEqual(set(self.offers(*path, "--")), options_of(shown), path)
        self.assertEqual(self.offers("soak", "--min"), ["--minutes"])
        self.assertEqual(self.offers("bench", "--n", "3", "--po"), ["--pool"])

    def test_values_of_an_option(self):
        self.assertEqual(self.offers("run", "--guard", "m"), ["madvise", "mprotect"])
        self.assertEqual(self.offers("run", "--guard", "=", "m"), ["madvise", "mprotect"])
        self.assertEqual(
            self.offers("bench", "--pool", "="), ["private", "shared", "work_stealing"]
        )
        self.assertEqual(self.offers("run", "--streams", ""), [])

    def test_values_behind_a_comma(self):
        self.assertEqual(self.offers("bench", "--technique", "full,laz"), ["full,lazy_stack"])

    def test_words_of_a_command(self):
        self.assertEqual(self.offers("bench", "fork"), ["fork-join"])
        self.assertEqual(self.offers("bench", "fib", "mu"), ["mutex"])

    def test_a_value_is_no_command(self):
        self.assertEqual(self.offers("bench", "--json", "openmp", "--compa"), ["--compare"])

    def test_files(self):
        (self.folder / "two words.json").touch()
        (self.folder / "second.json").touch()
        self.assertEqual(
            self.offers("bench", "--json", f"{self.folder}/two"), [f"{self.folder}/two words.json"]
        )
        self.assertEqual(
            self.offers("bench", "--compare", "a.json", f"{self.folder}/sec"),
            [f"{self.folder}/second.json"],
        )
        self.assertEqual(self.offers("bench", f"{self.folder}/sec"), [])

    def test_a_program_and_its_files(self):
        (self.folder / "input").touch()
        self.assertIn(
            "readelf-of-lazult", self.offers_with_program("run", "--streams", "2", "readelf-of")
        )
        self.assertIn("readelf-of-lazult", self.offers_with_program("run", "--", "readelf-of"))
        self.assertEqual(
            self.offers("run", "--", "true", f"{self.folder}/inp"), [f"{self.folder}/input"]
        )
        self.assertEqual(self.offers("run", "true", "--gu"), [])

    def offers_with_program(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "readelf-of-lazult"
            program.touch()
            program.chmod(0o755)
            before = os.environ["PATH"]
            os.environ["PATH"] = f"{folder}:{before}"
            try:
                return self.offers(*words)
            finally:
                os.environ["PATH"] = before

    def test_a_person_who_presses_tab(self):
        self.assertEqual(
            typed("bash", f"source {self.file}", "lazult be\t --pool sh\t fork\t"),
            "bench --pool shared fork-join",
        )


@needs("zsh")
class zsh(generated):
    what, name = "zsh", "_lazult"

    def typed(self, keys):
        return typed(
            "zsh", f"fpath=({self.folder} $fpath)\nautoload -Uz compinit\ncompinit -u -D", keys
        )

    def test_syntax(self):
        self.quiet("zsh", "-n", self.file)

    def test_commands_and_values(self):
        self.assertEqual(
            self.typed("lazult be\t--pool sh\t fork\t"), "bench --pool shared fork-join"
        )

    def test_values_behind_a_comma(self):
        self.assertEqual(
            self.typed("lazult bench --technique full,laz\t"), "bench --technique full,lazy_stack"
        )
        self.assertEqual(self.typed("lazult bench openmp --thr\t4"), "bench openmp --threads=4")

    def test_commands_below_commands(self):
        self.assertEqual(
            self.typed("lazult bench op\t--poli\tpas\t"), "bench openmp --policy=passive"
        )

    def test_files(self):
        self.assertEqual(self.typed("lazult bench --json .zsh\t"), "bench --json .zshrc")

    def test_a_program_and_its_files(self):
        self.assertEqual(
            self.typed("lazult run --guard madv\t -- mkfif\t.zsh\t"),
            "run --guard madvise -- mkfifo .zshrc",
        )


@needs("fish")
class fish(generated):
    what, name = "fish", "lazult.fish"

    def offers(self, line):
        with tempfile.TemporaryDirectory() as home:
            shown = self.quiet(
                "fish",
                "--no-config",
                "-c",
                'source $argv[1]; complete -C "$argv[2]"',
                self.file,
                line,
                HOME=home,
            )
        return [row.split("\t")[0] for row in shown.splitlines()]

    def test_syntax(self):
        self.quiet("fish", "--no-execute", self.file)

    def test_commands(self):
        self.assertEqual(self.offers("lazult be"), ["bench"])
        self.assertEqual(self.offers("lazult bench op"), ["openmp"])

    def test_options(self):
        for path, shown in commands_of(self):
            if shown:
                self.assertEqual(
                    set(self.offers(" ".join(("lazult", *path, "--")))), options_of(shown), path
                )

    def test_values(self):
        self.assertEqual(self.offers("lazult run --guard m"), ["madvise", "mprotect"])
        self.assertEqual(self.offers("lazult bench --technique full,laz"), ["full,lazy_stack"])
        self.assertEqual(self.offers("lazult bench fork"), ["fork-join"])
        self.assertEqual(self.offers("lazult bench --json openmp --compa"), ["--compare"])

    def test_files(self):
        (self.folder / "second.json").touch()
        self.assertEqual(
            self.offers(f"lazult bench --json {self.folder}/sec"), [f"{self.folder}/second.json"]
        )
        self.assertEqual(self.offers(f"lazult bench {self.folder}/sec"), [])

    def test_a_program_and_its_files(self):
        self.assertIn("mkfifo", self.offers("lazult run --streams 2 mkfif"))
        self.assertIn("mkfifo", self.offers("lazult run -- mkfif"))
        self.assertEqual(self.offers(f"lazult run -- true {self.file}"), [str(self.file)])


class usage(command_test):
    def test_prints_where_no_file_is_named(self):
        self.assertTrue(self.succeed("generate", "zsh").stdout.startswith("#compdef lazult\n"))

    def test_is_not_in_help(self):
        self.assertNotIn("generate", self.succeed("--help").stdout)

    def test_unknown_format(self):
        self.refuse("generate", "html", words=("html",))

    def test_a_file_that_cannot_be_written(self):
        done = run("generate", "man", "--to", "/no/such/folder/lazult.1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/no/such/folder/lazult.1 cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
