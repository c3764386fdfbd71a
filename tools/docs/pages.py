# SPDX-License-Identifier: BSD-3-Clause
"""What the commands share that write tables of results into the documents: where a table stands,
and the words for when and where a result was taken."""
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"(?P<begin><!-- results: (?P<name>[\w-]+) -->\n)"
    r"(?P<table>.*?)(?P<end><!-- end of results -->)",
    re.S,
)


class wrong(Exception):
    """What the user has to change."""


def tables_in(text):
    """The name and the text of each table of results in a document."""
    return [(block["name"], block["table"]) for block in BLOCK.finditer(text)]


def with_tables(text, render):
    """The document with the tables that render(name) makes."""

    def renew(block):
        return block["begin"] + render(block["name"]) + block["end"]

    return BLOCK.sub(renew, text)


def cell(words):
    """A cell of a table of Markdown may have no bare |, also not in code."""
    return re.sub(r"(?<!\\)\|", r"\\|", str(words))


def table(columns, rows, right=()):
    """Markdown. `right` are the numbers of the columns that stand at the right."""
    rule = ["---:" if i in right else "---" for i in range(len(columns))]
    lines = [columns, rule, *rows]
    return "".join(f"| {' | '.join(cell(each) for each in line)} |\n" for line in lines)


def processor(cpuinfo="/proc/cpuinfo"):
    """The model as `lazult info` names it, and how many processors there are."""
    fields = {}
    for line in Path(cpuinfo).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    model = fields.get("model name", os.uname().machine)
    if "cpu family" in fields:
        model += f" (family {fields['cpu family']}, model {fields['model']})"
    return f"{model}, {os.cpu_count()} processors"


def revision(root=ROOT):
    """The commit of the working tree, with + where files differ from it; or None."""
    git = ["git", "-C", str(root)]
    found = subprocess.run(
        [*git, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        return None
    changed = subprocess.run(
        [*git, "diff", "--quiet", "HEAD", "--", ".", ":!docs", ":!*.md"], check=False
    )
    return found.stdout.strip() + ("+" if changed.returncode else "")


class processors:
    """Gives each processor of a page a letter, in the order in which the page names them."""

    def __init__(self):
        self.names = []

    def letter(self, name):
        if name is None:
            return "?"
        if name not in self.names:
            self.names.append(name)
        return chr(ord("A") + self.names.index(name))

    def legend(self):
        return "; ".join(f"{self.letter(name)}: {name}" for name in self.names)


def day(result):
    """The day of a result; `by` where only the commit that recorded it is known."""
    if result.get("date") is None:
        return "?"
    return ("by " if result.get("date_of") == "commit" else "") + result["date"]


def update(path, render):
    """Writes the document's tables anew; says whether that changed it."""
    old = path.read_text(encoding="utf-8")
    new = with_tables(old, render)
    if new != old:
        path.write_text(new, encoding="utf-8")
    return new != old
