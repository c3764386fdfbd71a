# SPDX-License-Identifier: BSD-3-Clause
"""Every instruction that changes stacks, stepped in gdb: it finds the right caller at each, with
all its registers, and where a directive for the unwinder is missing it says so. For AArch64 under
qemu, which serves gdb.

usage: switch_stepped.py [--all] [CASE...]

--all leaves out every single directive in turn, and not a few
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
# Without these gdb reads the same values from the words that a pop has just left, or in the
# register (the last one: nobody changes x29 there), or there is nobody whose they are.
UNSEEN = {
    ".cfi_restore",
    ".cfi_register rip, rcx",
    ".cfi_undefined rbp",
    ".cfi_rel_offset rip, LAZULT_FRAME_RIP",
    ".cfi_rel_offset x29, 0",
}
COMMANDS = ("set debuginfod enabled off", "set width 0", "set confirm off", "break main")
ALL = "--all" in sys.argv


class machine:
    """How the program is built and run for one architecture, in each of the ways that its switches
    may go."""

    ways = ((),)

    def __init__(self, name, compiler, *options):
        self.name, self.compiler, self.options = name, compiler, options
        self.assembly = SOURCE / "lazult/arch" / name / "switch.S"

    def build(self, folder, assembly, way):
        program = Path(folder) / "stepped"
        subprocess.run(
            [
                self.compiler,
                "-std=c++20",
                "-g",
                "-O1",
                *self.options,
                *way,
                f"-I{SOURCE}",
                f"-I{HERE / self.name}",
                HERE / "stepped.cpp",
                assembly,
                "-o",
                program,
            ],
            check=True,
            timeout=120,
            stderr=subprocess.PIPE if ALL else None,
        )
        return program

    def step(self, program, *settings):
        return gdb("gdb", program, *settings, "run")


class with_control_words(machine):
    ways = (("-DCOMPARES_WORDS=0",), ("-DCOMPARES_WORDS=1",))


class emulated(machine):
    def step(self, program, *settings):
        with socket.socket() as free:
            free.bind(("localhost", 0))
            port = free.getsockname()[1]
        # A processor without SVE: in callers' frames gdb 13 shows the d registers of one that has
        # it as they are now.
        served = subprocess.Popen(
            ["qemu-aarch64", "-cpu", "cortex-a72", "-g", str(port), program],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return gdb(
                "gdb-multiarch", program, *settings, f"target remote localhost:{port}", "continue"
            )
        finally:
            served.kill()
            served.wait()


def gdb(program, target, *begin):
    script = [
        word
        for line in (*COMMANDS, *begin, f"source {HERE / 'step_in_gdb.py'}", "kill")
        for word in ("-ex", line)
    ]
    done = subprocess.run(
        [program, "-nx", "-batch", *script, target],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=200,
        check=False,
    )
    return done.stdout + done.stderr


def outcome(text):
    """Instructions looked at, errors, and the text of these."""
    found = re.search(r"stepped (\d+) instructions, (\d+) errors", text)
    if found is None:
        raise AssertionError(text)
    return int(found[1]), int(found[2]), "\n".join(re.findall("ERROR.*", text))


def instructions_in(text, function):
    found = re.search(rf"^{function} (\d+)$", text, re.MULTILINE)
    return 0 if found is None else int(found[1])


class common:
    def step_without(self, line_number):
        """The errors of a copy of the assembly that lacks one line, up to the first. It may be the
        assembler's: of two directives that belong together."""
        lines = self.machine.assembly.read_text().splitlines(keepends=True)
        del lines[line_number]
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "switch.S"
            copy.write_text("".join(lines))
            try:
                program = self.machine.build(folder, copy, self.machine.ways[0])
            except subprocess.CalledProcessError:
                return 1
            return outcome(self.machine.step(program, "python first_error_ends = True"))[1]

    def directives(self):
        for number, line in enumerate(self.machine.assembly.read_text().splitlines()):
            words = line.split()
            if (
                words
                and words[0].startswith(".cfi_")
                and words[0] not in (".cfi_startproc", ".cfi_endproc")
            ):
                yield number, words

    def is_for_a_return_alone(self, number):
        """At x86-64's `ret` gdb unwinds without directives, where it does not know that the
        compiler wrote them: of assembly, that is."""
        behind = (
            line.split() for line in self.machine.assembly.read_text().splitlines()[number + 1 :]
        )
        return (
            next(words[0] for words in behind if words and not words[0].startswith(".cfi_"))
            == "ret"
            and self.machine.name == "x86_64"
        )

    def test_every_instruction_has_its_caller(self):
        for way in self.machine.ways:
            with self.subTest(way=way):
                self.check_every_instruction(way)

    def check_every_instruction(self, way):
        with tempfile.TemporaryDirectory() as folder:
            text = self.machine.step(self.machine.build(folder, self.machine.assembly, way))
        count, errors, report = outcome(text)
        print(f"{self.machine.name}, {way}: {count} instructions, {errors} errors", flush=True)
        self.assertEqual(errors, 0, report)
        self.assertGreater(count, 800)
        # On AArch64 the two that save are one.
        for function in (
            "lazult_switch",
            "lazult_switch_to_host",
            "lazult_jump",
            "lazult_start",
            "lazult_start_over",
            "lazult_call_saved(?:_from_host)?",
            "lazult_call_on",
            "lazult_redirected",
            "lazult_redirect_return",
        ):
            self.assertGreater(instructions_in(text, function), 0, text)

    def test_missing_directive_is_found(self):
        every = list(self.directives())
        self.assertGreater(len(every), 20)
        chosen = (
            every
            if ALL
            else [next(one for one in every if one[1][0] == kind) for kind in self.kinds]
        )
        missed, tried = [], 0
        for number, words in chosen:
            if (
                words[0] in UNSEEN
                or " ".join(words) in UNSEEN
                or self.is_for_a_return_alone(number)
            ):
                continue
            tried += 1
            if self.step_without(number) == 0:
                missed.append(f"{number + 1}: {' '.join(words)}")
                print("not found:", missed[-1], flush=True)
        print(
            f"{self.machine.name}: {tried - len(missed)} of {tried} omissions found, "
            f"of {len(every)} directives",
            flush=True,
        )
        self.assertEqual(missed, [])


@unittest.skipUnless(
    shutil.which("gdb") and os.uname().machine == "x86_64", "no gdb here, or no x86-64"
)
class x86_64(common, unittest.TestCase):
    machine = with_control_words("x86_64", "g++")
    kinds = (".cfi_rel_offset", ".cfi_escape", ".cfi_undefined")


@unittest.skipUnless(
    all(map(shutil.which, ("gdb-multiarch", "qemu-aarch64", "aarch64-linux-gnu-g++"))),
    "no gdb for AArch64, emulator or compiler here",
)
class aarch64(common, unittest.TestCase):
    machine = emulated("aarch64", "aarch64-linux-gnu-g++", "-static")
    kinds = (".cfi_escape",)


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--all"]
    unittest.main()
