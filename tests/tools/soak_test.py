# SPDX-License-Identifier: BSD-3-Clause
"""lazult soak: a few seconds of it, and that errors are found."""
import re
import unittest

from command import command_test, run


class soak(command_test):
    def test_some_seconds_lose_nothing_and_print_figures(self):
        text = self.succeed("soak", "--minutes", "0.05", "--interval", "1", "--seed", "7").stdout
        loads = {line.split()[1] for line in text.splitlines() if re.match(r" +\d+\.\d  \w", line)}
        self.assertIn("native", loads, text)
        self.assertIn("nothing lost: seed 7", text)
        self.assertRegex(
            text, r"native +\d+: \d+ rounds, \d+ operations, \d+ a second; last half: RSS"
        )
        self.assertIn("(not judged: less than 30 s)", text)

    def test_something_lost_is_found_and_says_how_to_meet_it_again(self):
        self.find_planted("loss", r"threads that passed a latch: \d+ instead of \d+")

    def test_the_first_round_has_input_and_output(self):
        for door in ("native", "argobots", "openmp-posix"):
            with self.subTest(door):
                words = r"pipes (of tasks )?that gave what they got: \d+ instead of \d+"
                self.find_planted("byte", words, door)

    def find_planted(self, error, words, door="native"):
        options = ["--minutes", "0.5", "--interval", "1", "--seed", "3", "--doors", door]
        done = run("soak", *options, "--plant", error)
        if door != "native" and "there is no program" in done.stderr:
            self.skipTest(f"this build has no door {door}")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, rf"lazult soak: {door}: seed 3, round 1: " + words)
        self.assertIn("run it again with --seed 3", done.stderr)

    def test_wrong_words(self):
        self.refuse_words("--doors", "window", words=("option --doors", "window", "native"))
        self.assertEqual(run("soak", "--minutes", "-1").returncode, 2)

    def refuse_words(self, *arguments, words):
        done = run("soak", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
