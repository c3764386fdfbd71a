# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside gdb, for switch_stepped.py: steps through stepped.cpp, and compares at every
instruction of the assembly what gdb unwinds with what stood there when the function was called.
Prints every error, how often it looked where, and at last `stepped N instructions, M errors`. Where
`first_error_ends` is set before, it looks for no second one."""
from collections import Counter

import gdb

KEPT = {
    "rsp": ("rbx", "rbp", "r12", "r13", "r14", "r15"),
    "sp": tuple(f"x{i}" for i in range(19, 30)) + tuple(f"v{i}" for i in range(8, 16)),
}
ARGUMENTS = {"rsp": ("rdi", "rsi", "rdx", "rcx", "r8"), "sp": ("x0", "x1", "x2", "x3", "x4")}
STACKS = ("first_stack", "second_stack")
MOST_ERRORS = 12


def value_of(frame, register):
    value = frame.read_register(register)
    if value.is_optimized_out:
        return None
    if value.type.code == gdb.TYPE_CODE_UNION:  # AArch64's d registers are the low halves of these
        value = value["d"]["u"][0]
    return int(value) & (1 << 64) - 1


def names_from(frame):
    names = []
    while frame is not None and len(names) < 30:
        names.append(frame.name() or "?")
        frame = frame.older()
    return names


class caller:
    """Who called, as the machine says at a function's first instruction. `exists` is false where
    nobody is below."""

    exists = False

    def remember(self, stack_pointer):
        frame = gdb.newest_frame()
        pointer = value_of(frame, stack_pointer)
        if stack_pointer == "rsp":
            self.address, self.pointer = (
                int(gdb.parse_and_eval("*(unsigned long*)$rsp")),
                pointer + 8,
            )
        else:
            self.address, self.pointer = value_of(frame, "x30"), pointer
        self.registers = {name: value_of(frame, name) for name in KEPT[stack_pointer]}
        self.names = names_from(frame.older())
        self.exists = True
        return self


class found_one(Exception):
    """An error, where one is enough."""


class stepper:
    def __init__(self):
        self.sp = "rsp" if gdb.newest_frame().architecture().name().startswith("i386") else "sp"
        self.size = int(gdb.parse_and_eval("sizeof(first_stack)"))
        self.low = {name: int(gdb.parse_and_eval(f"(unsigned long)&{name}")) for name in STACKS}
        # by stack: who called last there; who called the thread that began there
        self.suspended, self.called = {}, {}
        self.fresh = set()
        # by function and stack pointer: what was expected there, for when control returns
        self.seen = {}
        self.looks, self.errors = Counter(), 0

    def stack_of(self, address):
        for name, low in self.low.items():
            if low <= address <= low + self.size:
                return name
        return "main's"

    def argument(self, index):
        return value_of(gdb.newest_frame(), ARGUMENTS[self.sp][index])

    def begin(self, function, stack):
        """At a function's first instruction: whom an unwinder must find, here and where the
        function goes."""
        now = caller().remember(self.sp)
        self.suspended[stack] = now
        if function in ("lazult_start", "lazult_start_from_host"):
            self.fresh.add(self.stack_of(self.argument(1)))
        elif function == "lazult_start_over":
            self.fresh.add(self.stack_of(self.argument(0)))
        elif function == "lazult_switch" and self.argument(4) != 0:
            self.fresh.add(self.stack_of(self.argument(1)))
        elif function.startswith("lazult_call"):
            top = self.argument(0 if function == "lazult_call_on" else 1)
            self.called[self.stack_of(top)] = caller().remember(self.sp)
        elif function == "lazult_redirect_return":
            self.called[self.stack_of(self.argument(0))].exists = False
        return now

    def moved(self, function, stack):
        """The stack pointer belongs to another stack than one instruction before."""
        if stack in self.fresh:
            self.fresh.discard(stack)
            return caller()
        if function.startswith("lazult_call") and stack in self.called and stack != self.began_on:
            return self.called[stack]
        return self.suspended[stack]

    def error(self, function, text):
        self.errors += 1
        if self.errors <= MOST_ERRORS:
            at = gdb.execute("x/i $pc", to_string=True).strip()
            print(f"ERROR in {function}: {text}: {at}")
        if globals().get("first_error_ends", False):
            raise found_one

    def check(self, function, wanted):
        frame = gdb.newest_frame()
        older = frame.older()
        if not wanted.exists:
            clean = (gdb.FRAME_UNWIND_OUTERMOST, gdb.FRAME_UNWIND_NO_REASON)
            # AArch64: a frame of zeros ends the chain, see its switch.S
            if older is not None and older.pc() != 0:
                self.error(function, f"a caller, {older.name()}, where there is none")
            elif older is None and frame.unwind_stop_reason() not in clean:
                self.error(function, gdb.frame_stop_reason_string(frame.unwind_stop_reason()))
            return
        if older is None:
            self.error(function, f"no caller, where {wanted.names[0]} is")
            return
        # Who redirects a return cuts what is further below off.
        depth = 1 if function == "lazult_redirect_return" else 99
        if names_from(older)[:depth] != wanted.names[:depth]:
            self.error(function, f"called by {names_from(older)}, and not by {wanted.names}")
        if (older.pc(), value_of(older, self.sp)) != (wanted.address, wanted.pointer):
            self.error(function, "the caller's address or stack pointer is another")
        wrong = [
            name for name in wanted.registers if value_of(older, name) != wanted.registers[name]
        ]
        if wrong:
            self.error(function, f"the caller's {', '.join(wrong)}: not what they held")

    def run(self):
        function, stack, wanted = None, None, None
        while True:
            gdb.execute("stepi", to_string=True)
            frame = gdb.newest_frame()
            name, before, before_stack = frame.name() or "?", function, stack
            if name == "stepped_enough":
                return
            function = name if name.startswith("lazult_") else None
            if function is None:
                continue
            pointer = value_of(frame, self.sp)
            stack = self.stack_of(pointer)
            if frame.pc() == int(gdb.parse_and_eval(f"(unsigned long)&{function}")):
                self.began_on = stack
                wanted = self.begin(function, stack)
            elif before is None:
                wanted = self.seen.get((function, pointer), caller())
            elif stack != before_stack:
                wanted = self.moved(function, stack)
            self.seen[function, pointer] = wanted
            self.looks[function] += 1
            try:
                self.check(function, wanted)
            except gdb.error as failed:
                self.error(function, str(failed))


steps = stepper()
try:
    try:
        steps.run()
    except gdb.error as failed:
        steps.error("the program", str(failed))
except found_one:
    pass
for function, count in sorted(steps.looks.items()):
    print(f"{function} {count}")
print(f"stepped {sum(steps.looks.values())} instructions, {steps.errors} errors")
