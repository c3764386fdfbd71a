# SPDX-License-Identifier: BSD-3-Clause
"""The example examples/file_server.cpp, asked by Python's own HTTP client."""
import http.client
import os
import random
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

BUILD = Path(
    os.environ.get("LAZULT_BUILD_DIR", Path(__file__).resolve().parents[2] / "build/release")
)
SERVER = BUILD / "examples/example_file_server"


class file_server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name) / "served"
        root.mkdir()
        cls.bytes = random.Random(1).randbytes(300_000)
        (root / "file").write_bytes(cls.bytes)
        (root / "empty").write_bytes(b"")
        (Path(cls.folder.name) / "secret").write_text("secret")
        cls.server = subprocess.Popen(
            [str(SERVER), str(root), "0"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "LAZULT_STREAMS": "2"},
        )
        cls.port = int(cls.server.stdout.readline().split()[1])

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.server.wait()
        cls.server.stdout.close()
        cls.folder.cleanup()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def get(self, path, method="GET", **headers):
        connection = self.connect()
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def test_gives_a_file(self):
        answer, body = self.get("/file")
        self.assertEqual((answer.status, body), (200, self.bytes))
        self.assertEqual(self.get("/empty")[1], b"")
        self.assertEqual(self.get("/missing")[0].status, 404)
        self.assertEqual(self.get("/")[0].status, 404)

    def test_keeps_the_connection(self):
        connection = self.connect()
        for _ in range(5):
            connection.request("GET", "/file")
            self.assertEqual(connection.getresponse().read(), self.bytes)
        connection.close()

    def test_gives_ranges(self):
        for asked, first, last in (
            ("bytes=0-0", 0, 0),
            ("bytes=100-199999", 100, 199_999),
            ("bytes=299999-", 299_999, 299_999),
            ("bytes=-10", 299_990, 299_999),
            ("bytes=5-999999999", 5, 299_999),
        ):
            answer, body = self.get("/file", Range=asked)
            self.assertEqual((answer.status, body), (206, self.bytes[first : last + 1]), asked)
            self.assertEqual(answer.getheader("Content-Range"), f"bytes {first}-{last}/300000")
        for bad in ("bytes=300000-", "bytes=9-3", "lines=1-2"):
            self.assertEqual(self.get("/file", Range=bad)[0].status, 416, bad)

    def test_refuses_what_it_should(self):
        self.assertEqual(self.get("/../secret")[0].status, 403)
        self.assertEqual(self.get("/%2e%2e/secret")[0].status, 403)
        self.assertEqual(self.get("/file", method="POST")[0].status, 405)
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as raw:
            raw.sendall(b"GET /file HTTP/1.1\r\n" + b"x" * 9000)
            try:
                self.assertEqual(raw.recv(100), b"")  # it hangs up
            except ConnectionResetError:
                pass

    def test_serves_many_at_a_time(self):
        wrong = []

        def ask():
            for _ in range(10):
                if self.get("/file")[1] != self.bytes:
                    wrong.append(1)

        clients = [threading.Thread(target=ask) for _ in range(20)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
