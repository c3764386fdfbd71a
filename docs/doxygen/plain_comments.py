#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows Doxygen the plain comments of a header as documentation: the filter that its configurations
here name.

usage: plain_comments.py HEADER

A comment that stands on lines of its own documents what follows it on the next line, one behind
code what it stands behind, and the file's first one, under the licence, the file. Line numbers
stay. Some declarations share the comment of the one right above them, with no blank line between:
in C++ the overloads of a function and its _for and _until forms, in C the macros and the function
types of one list.
"""
import re
import sys
from pathlib import Path

LICENCE = re.compile(r"^(//|/\*) SPDX-" r"License-Identifier:")  # in two parts, for `reuse lint`
NAME = re.compile(r"(operator *[^\s(]+|~?\w+)\s*\(")
LISTED = re.compile(r"#define \w+|typedef [^;]*\(\*\w+\)|typedef (enum|struct) (\w+) \2;")


CLOSING = re.compile(
    r"^\s*(\}\s*;?\s*/[/*]|#\s*(endif|else)\b)"
)  # what stands behind it belongs to nothing


def indent_of(line):
    return len(line) - len(line.lstrip())


def family(name):
    """What shares a comment: wait, wait_for and wait_until; the two ways to follow a pointer."""
    name = re.sub(r"_(for|until)$", "", name.replace(" ", ""))
    return "operator*" if name == "operator->" else name


def name_at(lines, number):
    """What the declaration that begins here declares, if that is a function."""
    for line in lines[number : number + 4]:
        if not re.match(r"\s*(template\b|requires\b)", line):
            found = NAME.search(re.sub(r"\b(explicit|noexcept|alignas)\s*\([^)]*\)", "", line))
            return family(found[1]) if found else None
    return None


class shared_comment:
    """The comment above the last function, and where the next one that may share it begins."""

    def __init__(self, lines):
        self.lines = lines
        self.forget()

    def forget(self):
        self.words, self.name, self.indent, self.complete = [], None, 0, False

    def comment(self, number):
        if self.name is not None or (self.words and indent_of(self.lines[number]) != self.indent):
            self.forget()
        self.indent = indent_of(self.lines[number])
        self.words.append(re.sub(r"^\s*//+ ?", "", self.lines[number]))

    def code(self, number):
        """The comment in words, if the declaration that begins on this line shares it."""
        line, first, name = self.lines[number], self.name is None, None
        if not line.strip() or not self.words:
            self.forget()
        elif (
            indent_of(line) == self.indent
            and (first or self.complete)
            and not line.lstrip().startswith("}")
        ):
            name = name_at(self.lines, number)
            if first:
                self.name = name or ""
            elif name != self.name or "= delete" in line:
                self.forget()
        else:
            name = None
        if self.words:
            at_end = re.sub(r"\s*//.*", "", line)
            self.complete = indent_of(line) == self.indent and at_end.endswith((";", "}"))
            self.complete = self.complete or (
                not first
                and indent_of(line) > self.indent
                and at_end.endswith(";")
                and self.ends_declaration(number)
            )
        return " ".join(self.words) if self.words and not first and name else None

    def ends_declaration(self, number):
        """Whether the next line is no deeper: a continued declaration ended here."""
        following = self.lines[number + 1] if number + 1 < len(self.lines) else ""
        return indent_of(following) == self.indent and not following.lstrip().startswith("}")


def without_std(lines):
    """Doxygen stumbles over specialisations of the standard library's templates, which say nothing
    by themselves."""
    skipping = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        skipping = skipping or (line == "template <>" and following.startswith("struct std::"))
        yield "" if skipping else line
        skipping = skipping and line != "};" and not line.endswith("{};")


def is_comment(line):
    return line.lstrip().startswith("//")


def headings(lines, is_end):
    """The numbers of the lines of comments that an empty line follows: they are for readers of the
    file."""
    found, start = set(), None
    for number, line in enumerate(lines):
        if start is None and line.lstrip().startswith(("//", "/*")):
            start = number
        if start is not None and is_end(number):
            if start > 1 and number + 1 < len(lines) and not lines[number + 1].strip():
                found |= set(range(start, number + 1))
            start = None
    return found


def cpp(lines, name):
    """For comments of //."""
    shared = shared_comment(lines)
    for_readers = headings(
        lines, lambda n: not is_comment(lines[n + 1]) if n + 1 < len(lines) else True
    )
    for number, line in enumerate(without_std(lines)):
        if LICENCE.match(line):
            yield f"//! @file {name}"
        elif number in for_readers:
            yield line
        elif is_comment(line):
            shared.comment(number)
            yield re.sub(r"//+ ?", "//! ", line, count=1)
        else:
            words = shared.code(number)
            own = (
                line
                if CLOSING.match(line)
                else re.sub(r"(?<=\S)(\s+)// (?!pairs)", r"\1//!< ", line, count=1)
            )
            yield f"/*! {words} */ {own}" if words else own


def c(lines, name):
    """For comments of /* */."""
    in_file_comment = in_comment = False
    words, first = "", True
    for_readers = headings(lines, lambda n: "*/" in lines[n])
    for number, line in enumerate(lines):
        if LICENCE.match(line):
            yield f"/** @file {name}"
            in_file_comment = True
        elif in_file_comment:
            yield re.sub(r"^/\*", "", line)
            in_file_comment = "*/" not in line
        elif number in for_readers:
            yield line
        elif in_comment or line.lstrip().startswith("/*"):
            words = (
                re.sub(r"^\s*(/\*|\*)|\*/", "", line).strip()
                if not in_comment
                else f"{words} {re.sub(r'^ *[*] ?|[*]/', '', line).strip()}".strip()
            )
            yield line if in_comment else line.replace("/*", "/**", 1)
            in_comment, first = "*/" not in line, True
        elif "/*" in line:
            yield line if CLOSING.match(line) else re.sub(
                r"(?<=\S)(\s+)/\* ", r"\1/**< ", line, count=1
            )
            first = False
        elif LISTED.match(line) and not line.endswith("\\"):
            if LISTED.match(line)[2]:
                words, first = f"The same without `{LISTED.match(line)[1]}`.", False
            yield f"{line} /**< {words} */" if words and not first else line
            first = False
        else:
            yield line
            words = words if line.strip() and LISTED.match(line) else ""


def main():
    path = Path(sys.argv[1])
    lines = path.read_text().splitlines()
    convert = c if path.suffix == ".h" else cpp
    print("\n".join(convert(lines, path.name)))


main()
