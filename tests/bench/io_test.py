# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks of lazult::io: each program once, and that a wrong byte does not go unseen."""
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "bench/io")]
sys.dont_write_bytecode = True

import programs  # noqa: E402
import run  # noqa: E402
import tables  # noqa: E402

BIN = Path(os.environ.get("LAZULT_BIN_DIR", SOURCE / "build/release/bin"))
PROGRAMS = BIN / "io"
WAYS = [way for way in run.WAYS if way != "uring" or (PROGRAMS / "echo_uring").exists()]


def client(port, *words, seconds=0.1):
    return programs.run_json(
        PROGRAMS / "echo_client", *("--port", port, "--warm-up", 0, "--seconds", seconds), *words
    )


def spoil(listener, at):
    """Echoes what one connection sends, but for one bit of the byte at that place."""
    peer = listener.accept()[0]
    with peer:
        place = 0
        while data := bytearray(peer.recv(4096)):
            if place <= at < place + len(data):
                data[at - place] ^= 1
            place += len(data)
            peer.sendall(data)


@unittest.skipUnless((PROGRAMS / "echo_client").exists(), "bench/io is not built")
class io_bench_test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "blocks"

    def servers(self):
        return [name for name in run.SERVERS if programs.exists(PROGRAMS / name)]

    def test_each_server_echoes(self):
        for name in self.servers():
            with self.subTest(name), programs.server(PROGRAMS / name, 2) as running:
                found = client(running.port, "--connections", 100, "--threads", 2)
                self.assertGreater(found["messages"], 100)
                self.assertEqual(found["errors"], 0)

    def test_each_server_echoes_more_than_buffers_hold(self):
        for name in self.servers():
            with self.subTest(name), programs.server(PROGRAMS / name, 2) as running:
                found = client(running.port, "--connections", 4, "--bytes", 1 << 20, seconds=1)
                self.assertGreater(found["messages"], 4)
                self.assertEqual(found["errors"], 0)

    def test_readers_read_and_others_run_beside_what_blocks(self):
        printed = programs.run_json(
            PROGRAMS / "blocked_calls",
            *("--rounds", 1, "--readers", 8, "--many-readers", 100, "--locked", self.file),
        )
        for times in printed["times"].values():
            self.assertGreater(times[0], 0)
        page = tables.blocked(printed)
        self.assertIn("100 readers, ULTs of 1 stream", page)
        self.assertEqual(len(page.splitlines()), len(printed["times"]) + 4)

    def test_each_server_outlives_its_connections(self):
        for name in self.servers():
            with self.subTest(name), programs.server(PROGRAMS / name, 1) as running:
                for _ in range(3):
                    self.assertEqual(client(running.port, "--connections", 50)["errors"], 0)
                running.cpu_seconds()  # fails if it has ended

    def test_a_wrong_bit_is_an_error(self):
        for at in (1, 40, 64, 700):  # byte 0 asks whether the connection is accepted
            with self.subTest(at), socket.create_server(("127.0.0.1", 0)) as listener:
                server = threading.Thread(target=spoil, args=(listener, at))
                server.start()
                found = client(listener.getsockname()[1], "--connections", 1)
                server.join()
                self.assertEqual(found["errors"], 1)

    def test_too_few_descriptors(self):
        done = subprocess.run(
            [PROGRAMS / "echo_client", "--port", "1", "--connections", "1000"],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)),
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, programs.FEW_DESCRIPTORS)
        self.assertIn("1000 connections need more descriptors than the 200", done.stderr)

    def reads(self, way):
        return programs.run_json(
            PROGRAMS / "random_reads",
            *("--by", way, "--file", self.file, "--gib", "0.002", "--seconds", "0.1"),
        )

    def test_each_way_reads_what_was_written(self):
        for way in WAYS:
            with self.subTest(way):
                found = self.reads(way)
                self.assertGreater(found["reads_per_second"], 0)
                self.assertEqual(found["errors"], 0)
        self.assertGreaterEqual(self.file.stat().st_blocks * 512, 0.002 * (1 << 30) - 4096)

    def test_a_wrong_block_is_an_error(self):
        self.reads("pread")
        blocks = bytearray(self.file.read_bytes())
        blocks[:4096], blocks[4096:8192] = blocks[4096:8192], blocks[:4096]
        self.file.write_bytes(blocks)
        for way in WAYS:
            self.assertGreater(self.reads(way)["errors"], 0, way)

    def test_the_driver(self):
        page, measured = (Path(self.folder.name) / name for name in ("page.md", "io.json"))
        words = f"--build {BIN.parent} --anyway --rounds 2 --seconds 0.1 --connections 5 10"
        words += f" --idle-connections 5 --gib 0.002 --file {self.file}"
        words += f" --page {page} --json {measured}"
        self.assertEqual(run.main(words.split()), 0)
        text = page.read_text(encoding="utf-8")
        for words in ("| 10 | Lazult | ", "2 ULTs, 1 stream", "| page cache | 64 OS threads | "):
            self.assertIn(words, text)
        found = json.loads(measured.read_text(encoding="utf-8"))
        self.assertEqual(len(found["echo"]), 2 * len(self.servers()))
        self.assertEqual(len(found["echo"][0]["rounds"]), 2)


class io_tables_test(unittest.TestCase):
    def test_ratios_are_of_the_same_round(self):
        self.assertEqual(tables.ratio([2, 6, 4], [1, 2, 4]), "2.00 (1.00 to 3.00)")
        self.assertEqual(tables.ratio([], [1]), "")

    def test_what_cannot_be_measured_says_why(self):
        line = tables.echo_line(10000, "echo_go", "10000 connections need more", [])
        self.assertEqual(line[:3], ["10,000", "Go", "10000 connections need more"])
        self.assertEqual(len(line), 9)

    def test_no_neighbour_is_always_the_same(self):
        self.assertEqual(run.turns("abc", 4), ["b", "c", "a"])

    def test_wrong_usage(self):
        self.assertEqual(run.main(["nonsense"]), 2)
        self.assertEqual(run.main(["--build", "/nowhere"]), 2)


if __name__ == "__main__":
    unittest.main()
