#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C program that gives every function that takes a handle what is none: null of both
families, small numbers, a freed handle, handles of all other kinds. It expects the error that the
comments of abt.h document.

usage: make_conformance.py INCLUDE_DIRECTORY OUTPUT.c
"""
import re
import sys
from pathlib import Path

# Handle types, and the errors that stand for a bad one.
CODES = {
    "ABT_xstream": ["INV_XSTREAM"],
    "ABT_xstream_barrier": ["INV_XSTREAM_BARRIER"],
    "ABT_sched": ["INV_SCHED"],
    "ABT_sched_config": ["INV_SCHED_CONFIG"],
    "ABT_pool": ["INV_POOL"],
    "ABT_pool_config": ["INV_POOL_CONFIG"],
    "ABT_pool_user_def": ["INV_POOL_USER_DEF"],
    "ABT_unit": ["INV_UNIT"],
    "ABT_thread": ["INV_THREAD"],
    "ABT_task": ["INV_TASK"],
    "ABT_thread_attr": ["INV_THREAD_ATTR"],
    "ABT_key": ["INV_KEY"],
    "ABT_mutex": ["INV_MUTEX"],
    "ABT_mutex_attr": ["INV_MUTEX_ATTR"],
    "ABT_cond": ["INV_COND"],
    "ABT_rwlock": ["INV_RWLOCK"],
    "ABT_eventual": ["INV_EVENTUAL"],
    "ABT_future": ["INV_FUTURE"],
    "ABT_barrier": ["INV_BARRIER"],
    "ABT_timer": ["INV_TIMER"],
    "ABT_tool_context": ["INV_TOOL_CONTEXT"],
}

# Handles that may be null: what the function does then is said in its comment, and tested
# elsewhere.
OPTIONAL = {
    ("ABT_mutex_create_with_attr", "attr"),
    ("ABT_pool_create", "config"),
    ("ABT_sched_create", "config"),
    ("ABT_sched_create_basic", "config"),
    ("ABT_xstream_create_basic", "config"),
    ("ABT_xstream_create", "sched"),
    ("ABT_xstream_create_with_rank", "sched"),
    ("ABT_xstream_set_main_sched", "sched"),
    ("ABT_thread_create", "attr"),
    ("ABT_thread_create_to", "attr"),
    ("ABT_thread_create_on_xstream", "attr"),
    ("ABT_thread_create_many", "attr"),
    ("ABT_pool_push_thread", "thread"),
    ("ABT_pool_push_thread_ex", "thread"),
    ("ABT_self_schedule", "pool"),
}
# Functions that change the handle through a pointer to it.
THROUGH_POINTER = re.compile(r"_(free|revive|revive_to)$")
# Lists of handles, the first of which is made bad.
LISTS = {("ABT_thread_create_many", "pool_list"), ("ABTX_thread_join_any", "thread_list")}

# What else is passed, by the parameter's name and then by its type.
BY_NAME = {
    "num_threads": "1",
    "thread_func": "nothing",
    "task_func": "nothing",
    "thread_func_list": "functions",
    "arg_list": "0",
    "newthread_list": "(void*)scratch",
    "num_pools": "0",
    "pools": "(void*)scratch",
    "threads": "(void*)scratch",
    "print_fn": "0",
    "cb_func": "0",
    "config": "0",
    "attr": "0",
}
BY_TYPE = {"FILE*": "sink", "const struct timespec*": "&past", "uint32_t": "1", "...": None}

FUNCTION = re.compile(
    r"/\*((?:(?!\*/).)*)\*/\s*int\s+(ABTX?_\w+)\(((?:[^;])*?)\)"
    r"\s*(?:ABT_DEPRECATED\s+)?ABT_API_PUBLIC;",
    re.S,
)


def parameters(text):
    """(type, name) of each, split at the commas outside parentheses."""
    depth, start, parts = 0, 0, []
    for at, symbol in enumerate(text):
        depth += {"(": 1, ")": -1}.get(symbol, 0)
        if symbol == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    found = []
    for part in (" ".join(each.split()) for each in parts):
        if part in ("void", ""):
            continue
        if "(" in part:
            found.append(
                ("function", re.search(r"\(\*+\s*(\w*)", part)[1])
                if "(**" not in part
                else ("pointer", re.search(r"\(\*+\s*(\w*)", part)[1])
            )  # to a function
        elif part == "...":
            found.append(("...", ""))
        else:
            kind, name = re.fullmatch(r"(.*?[\s*])(\w+)", part).groups()
            found.append((re.sub(r"^const (ABT_)", r"\1", kind.strip()), name))
    return found


def errors(comment):
    """Code -> reason, as the comment lists them."""
    text = " ".join(line.strip().lstrip("*").strip() for line in comment.splitlines())
    listed = re.search(r"Errors:(.*?)(?:On error:|Callers:|$)", text)
    if not listed:
        return {}
    return {m[1]: m[2] or "" for m in re.finditer(r"ABT_ERR_(\w+)(?:\s*\(([^)]*)\))?", listed[1])}


def functions(include):
    for header in [*sorted((include / "abt").glob("*.h")), include / "abtx.h"]:
        for comment, name, arguments in FUNCTION.findall(header.read_text()):
            yield name, parameters(arguments), errors(comment)


def argument(kind, name):
    if kind == "pointer" and name == "thread_func":
        return "(void*)scratch"
    if name in BY_NAME:
        return BY_NAME[name]
    if kind in BY_TYPE:
        return BY_TYPE[kind]
    if kind == "function":
        return "0"
    if kind.endswith("*") or kind == "pointer":
        return "(void*)scratch"
    if kind in CODES:
        return f"good.{kind[4:]}"
    return "0"


def expected(kind, stated):
    """The documented error for a bad handle of this type, or None."""
    wanted = CODES.get(kind.rstrip("*"), [])
    if kind.rstrip("*") == "ABT_thread" and "INV_THREAD" not in stated:
        wanted = ["INV_TASK"]
    return next((code for code in wanted if "null" in stated.get(code, "")), None)


def case(function, arguments, at, code):
    """The body of one check, for all bad handles of a type."""
    kind, name = arguments[at]
    base = kind.rstrip("*").strip()
    passed = [each for each in (argument(k, n) for k, n in arguments) if each is not None]
    pointer = kind.endswith("*")
    passed[at] = "&bad" if pointer else "bad"
    lines = [
        f"static void check_{function}_{name}(void) {{",
        f'    under_test = "{function}({name})";',
        f"    for (size_t i = 0; bad_handle(KIND_{base[4:]}, i, &number); ++i) {{",
        f"        {base} bad = ({base})number;",
        f"        expect(ABT_ERR_{code}, {function}({', '.join(passed)}), number);",
    ]
    if pointer and (function, name) not in LISTS:
        lines.append("        expect_unchanged((uintptr_t)bad, number);")
    return [*lines, "    }", "}", ""]


def wanted(function, kind, name):
    if (function, name) in OPTIONAL or kind.rstrip("*") not in CODES:
        return False
    if kind.endswith("*"):
        return (function, name) in LISTS or bool(THROUGH_POINTER.search(function))
    return True


def undocumented(function, name):
    return not (
        function.endswith("_equal") or function in ("ABT_thread_join_many", "ABT_thread_free_many")
    )


def generate(include):
    body, calls, missing, seen = [], [], [], 0
    for function, arguments, stated in functions(include):
        seen += 1
        for at, (kind, name) in enumerate(arguments):
            if not wanted(function, kind, name):
                continue
            code = expected(kind, stated)
            if code:
                body += case(function, arguments, at, code)
                calls.append(f"    check_{function}_{name}();")
            elif undocumented(function, name):
                missing.append(f"{function}({name})")
    if missing:
        sys.exit("no documented error for a bad handle: " + ", ".join(missing))
    header = [
        "/* Generated by make_conformance.py from the comments of abt.h. */",
        '#include "conformance.h"',
        "",
        "static uintptr_t number;",
        "",
    ]
    main = [
        f"/* {len(calls)} parameters of {seen} functions. */",
        "void check_all(void) {",
        *calls,
        "}",
        "",
    ]
    return "\n".join([*header, *body, *main])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(generate(Path(sys.argv[1])))
