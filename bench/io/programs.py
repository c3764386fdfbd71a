# SPDX-License-Identifier: BSD-3-Clause
"""Starts the programs that run.py compares, and reads what they print."""
import contextlib
import json
import os
import re
import resource
import socket
import subprocess
import time
from pathlib import Path

FEW_DESCRIPTORS = 3
TICK = 1 / os.sysconf("SC_CLK_TCK")


class failure(Exception):
    """A program did not do what it should."""


class impossible(Exception):
    """This machine or build does not allow a case, such as too few descriptors for so many
    connections. The words say why."""


def clean_environment():
    """Default settings are measured."""
    ours = ("LAZULT_", "GOMAXPROCS", "GOGC", "GODEBUG")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def raise_descriptor_limit():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run_json(program, *words):
    """What a program printed as JSON."""
    command = [str(program), *(str(word) for word in words)]
    done = subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode == FEW_DESCRIPTORS:
        raise impossible(done.stderr.strip())
    if done.returncode != 0:
        raise failure(f"{program.name} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def command_of(program, threads):
    """echo_plain is echo_lazult with plain calls. `lazult run` becomes the program, so it has the
    same number."""
    options = ["--port", "0", "--threads", str(threads)]
    if program.name != "echo_plain":
        return [str(program), *options]
    command = str(program.parent.parent / "lazult")
    server = str(program.with_name("echo_lazult"))
    return [command, "run", "--posix", "--", server, "--plain", *options]


def exists(program):
    return Path(command_of(program, 1)[0]).exists()


class server:
    """An echo server that runs as long as the context lasts."""

    def __init__(self, program, threads):
        self.program = program
        self.process = subprocess.Popen(
            command_of(program, threads), env=clean_environment(), stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        found = re.fullmatch(r"port (\d+)\n", line)
        if found is None:
            self.end()
            raise failure(f"{program.name} printed \"{line.strip()}\" and not its port")
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def cpu_seconds(self):
        """utime and stime, of all threads."""
        if self.process.poll() is not None:
            raise failure(f"{self.program.name} ended with {self.process.returncode}")
        text = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK


def load(folder, name, connections, options):
    """What the client found at a server, and what a message cost that server."""
    with server(folder / name, options.threads) as running:
        before = running.cpu_seconds()
        found = run_json(
            folder / "echo_client",
            *("--port", running.port, "--connections", connections),
            *("--seconds", options.seconds, "--bytes", options.bytes),
            *("--threads", options.client_threads),
        )
        used = running.cpu_seconds() - before
    found["cpu_us"] = used * 1e6 / max(1, found["messages"])
    return found


def connect(port, stack):
    peer = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
    peer.sendall(b"a")
    if peer.recv(1) != b"a":
        raise failure("a byte did not come back")


def idle(folder, name, connections, options):
    """The milliseconds of processor time that a server takes while no message comes."""
    with server(folder / name, options.threads) as running, contextlib.ExitStack() as stack:
        try:
            for _ in range(connections):
                connect(running.port, stack)
        except OSError as problem:
            raise impossible(f"{connections} connections cannot be made ({problem})") from problem
        time.sleep(0.5)
        before = running.cpu_seconds()
        time.sleep(options.seconds)
        return (running.cpu_seconds() - before) * 1000


def reads(folder, way, direct, options):
    """File systems without O_DIRECT, and builds without liburing, lack some cases."""
    try:
        return run_json(
            folder / "random_reads",
            *("--by", way, "--file", options.file, "--gib", options.gib),
            *("--seconds", options.seconds),
            *(["--direct"] if direct else []),
        )
    except failure as problem:
        raise impossible(str(problem)) from problem
