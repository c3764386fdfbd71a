# SPDX-License-Identifier: BSD-3-Clause
"""What the checks share: which files there are, and their text without comments and strings."""
import re
import sys
from pathlib import Path

CPP_SUFFIXES = {".hpp", ".h", ".cpp", ".cc", ".c", ".S"}

_TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*"""
    r"""|/\*.*?\*/"""
    r'''|R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'''
    r'''|"(?:\\.|[^"\\\n])*"'''
    r"""|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.S | re.X,
)


def cpp_files(root, *folders):
    """C++ and assembly files under the folders of root that exist, in order."""
    for folder in folders:
        for path in sorted((Path(root) / folder).rglob("*")):
            if (
                path.is_file()
                and path.suffix in CPP_SUFFIXES
                and "build" not in path.relative_to(root).parts
            ):
                yield path


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with comments blanked; lines and columns stay where they are."""
    return _TOKEN.sub(
        lambda token: _blank(token[0]) if token[0].startswith("/") else token[0], text
    )


def code_only(text):
    """The text with comments and the contents of literals blanked."""

    def replace(token):
        literal = token[0]
        return (
            _blank(literal)
            if literal.startswith("/")
            else literal[0] + _blank(literal[1:-1]) + literal[-1]
        )

    return _TOKEN.sub(replace, text)


def string_literals(text):
    """(line, text) of each string literal outside of comments."""
    for token in _TOKEN.finditer(text):
        if token[0].startswith(('"', 'R"')):
            yield line_of(text, token.start()), token[0]


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class report:
    """Collects findings as file:line: message; its exit code says whether there were errors."""

    def __init__(self, root):
        self.root = Path(root)
        self.errors = []

    def where(self, path, line):
        return f"{Path(path).relative_to(self.root)}:{line}"

    def error(self, path, line, message):
        self.errors.append(f"{self.where(path, line)}: {message}")

    def finish(self, summary):
        for error in self.errors:
            print(f"error: {error}", file=sys.stderr)
        print(f"{summary}; {len(self.errors)} error(s)")
        return 1 if self.errors else 0
