# SPDX-License-Identifier: BSD-3-Clause
"""gdb commands that see lightweight threads, in a process or a core file.

lazult ults [STATE]        lists the units: all, or those in one state
lazult bt ID [ARGUMENTS]   the backtrace of one, suspended or not; arguments as for gdb's bt
lazult apply ID... COMMAND, lazult apply all COMMAND
                           any command of gdb's in the frame in which a unit stands

An ID is a number that `lazult ults` lists, or an expression that gives a unit's address, as an ABT_thread is.

The script knows addresses and offsets from one symbol of the library, lazult_debugger_table, and needs no debug information.
"""
import re
import struct

import gdb
import gdb.unwinder

STATES = ("unused", "ready", "running", "blocked", "finished")
TECHNIQUES = ("full", "lazy_stack", "return_on_completion", "stack_separation", "scheduler_creation",
              "run_to_completion", "adaptive")
IN_PLACE = 6   # of how a unit started
SCHEDULER = 16  # of its flags
FIELDS = ("version", "in_order", "elsewhere", "chunk_bytes", "chunk_next", "unit_bytes", "home", "entry", "context",
          "stack", "argument", "join", "header", "life", "started", "current", "stack_low", "stack_high", "registers")
LARGEST_JOIN_STATE = 5  # above it the word is who waits
RECORD_TAG = 4


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word(address):
    return struct.unpack("Q", read(address, 8))[0]


class layout:
    """lazult_debugger_table of the process."""

    def __init__(self):
        try:
            at = int(gdb.parse_and_eval("(unsigned long)&lazult_debugger_table"))
        except gdb.error as error:
            raise gdb.GdbError(f"lazult: this process has no liblazult, or one without a debugger table ({error})")
        for name, value in zip(FIELDS, struct.unpack(f"{len(FIELDS)}Q", read(at, 8 * len(FIELDS)))):
            setattr(self, name, value)
        if self.version < 1:
            raise gdb.GdbError(f"lazult: the debugger table has version {self.version}: is the library initialised?")
        first, count, self.frame_bytes, name = struct.unpack("3Q8s", read(self.registers, 32))
        self.stack_pointer = name.rstrip(b"\0").decode()
        raw = read(first, 16 * count) if count else b""
        self.saved = [(name.rstrip(b"\0").decode(), offset) for name, offset in struct.iter_unpack("8sQ", raw)]

    def chunks(self):
        begin, used = word(self.in_order), word(self.in_order + 8)
        yield from range(begin, begin + used, self.chunk_bytes)
        chunk = word(self.elsewhere)
        while chunk:
            yield chunk
            chunk = word(chunk + self.chunk_next)


class unit:
    def __init__(self, where, address, raw):
        def number(offset):
            return struct.unpack_from("Q", raw, offset)[0]

        self.address = address
        self.home, self.entry, self.context = number(where.home), number(where.entry), number(where.context)
        self.stack, self.waiter = number(where.stack), number(where.join)
        self.how, self.plan, self.flags = raw[where.header:where.header + 3]
        self.state = STATES[raw[where.life]] if raw[where.life] < len(STATES) else "?"
        self.started = raw[where.started]
        self.child = None    # whom it joins
        self.thread = None   # the OS thread that runs it

    def number(self, where):
        begin, used = word(where.in_order), word(where.in_order + 8)
        if begin <= self.address < begin + used:
            return str((self.address - begin) // where.unit_bytes)
        return hex(self.address)

    def technique(self):
        if self.flags & SCHEDULER:
            return "scheduler"
        name = TECHNIQUES[self.plan] if self.plan < len(TECHNIQUES) else "?"
        has_started = self.context or self.state in ("running", "finished")
        return name + (", in place" if has_started and self.started == IN_PLACE else "")


class process:
    """All units, as they are now."""

    def __init__(self):
        self.where = layout()
        self.units = {}
        for chunk in self.where.chunks():
            self.read_chunk(chunk)
        self.find_joiners()
        self.find_running()

    def read_chunk(self, chunk):
        size, raw = self.where.unit_bytes, read(chunk, self.where.chunk_bytes)
        for at in range(size, len(raw), size):
            if raw[at + self.where.life]:
                u = unit(self.where, chunk + at, raw[at:at + size])
                self.units[u.address] = u

    def find_joiners(self):
        for u in self.units.values():
            joiner = self.units.get(u.waiter)
            if u.waiter > LARGEST_JOIN_STATE and joiner is not None and u.state != "finished":
                joiner.child = u

    def find_running(self):
        chosen = gdb.selected_thread()
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            try:
                worker = int(gdb.parse_and_eval("*(unsigned long*)&lazult_thread_slot"))
                current = worker and word(worker + self.where.current)
            except gdb.error:  # a thread that has no thread-local memory yet
                continue
            if current in self.units:
                self.units[current].thread = thread
        if chosen is not None:
            chosen.switch()

    def select(self, text):
        if re.fullmatch(r"\d+", text):
            address = word(self.where.in_order) + int(text) * self.where.unit_bytes
        else:
            address = int(gdb.parse_and_eval(f"(unsigned long)({text})"))
        if address not in self.units:
            raise gdb.GdbError(f"lazult: {text} is no unit that exists: see lazult ults")
        return self.units[address]

    def runs_what(self, u):
        """The unit in whose context it stands: itself, or the child that it called and waits for."""
        seen = set()
        while u.state == "running" and u.thread is None and u.child is not None and u.address not in seen:
            seen.add(u.address)
            u = u.child
        return u


names = {}


def symbol(address):
    if address not in names:
        text = gdb.execute(f"info symbol {address:#x}", to_string=True)
        found = re.match(r"(.*?)(?: in section .*)?$", text.strip())[1]
        names[address] = hex(address) if found.startswith("No symbol") else found
    return names[address]


def pool_name(home):
    try:
        kind = symbol(word(home)) if home else "none"
    except gdb.error:
        return hex(home)
    return f"{re.sub(r'^vtable for (?:lazult::)?|[ +].*$', '', kind)} {home:#x}"


# --- frames of suspended units

def machine_word(value):
    return gdb.Value(value).cast(gdb.lookup_type("unsigned long"))


class frame_id:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class suspended_unwinder:
    """While it is on, whoever called the innermost frame of the thread seems to be the suspended unit."""

    name = "lazult"
    enabled = True

    def __init__(self):
        self.where, self.context, self.innermost = None, None, None

    def __call__(self, pending):
        if self.context is None:
            return None
        where = self.where
        sp = int(pending.read_register(where.stack_pointer))
        if self.innermost is None:
            self.innermost = sp
        if sp != self.innermost:
            return None
        pc = pending.read_register("pc")
        info = pending.create_unwind_info(frame_id(machine_word(sp), pc))
        for name, offset in where.saved:
            info.add_saved_register(name, machine_word(word(self.context + offset)))
        info.add_saved_register(where.stack_pointer, machine_word(self.context + where.frame_bytes))
        return info


unwinder = suspended_unwinder()


class standing_in:
    """`with standing_in(...) as first:` the frames from number `first` on are the unit's."""

    def __init__(self, all_units, u):
        self.all_units, self.u = all_units, all_units.runs_what(u)

    def __enter__(self):
        self.thread = gdb.selected_thread()
        if self.u.thread is not None:
            self.u.thread.switch()
            gdb.newest_frame().select()
            return 0
        if not self.u.context or self.u.state in ("running", "finished"):
            raise gdb.GdbError(f"lazult: {self.u.number(self.all_units.where)} has no frames: it is {self.u.state}"
                               + (" and has not started" if self.u.state == "ready" else ""))
        if not self.all_units.where.saved:
            raise gdb.GdbError("lazult: contexts of the generic build are the C library's, which are not read here")
        unwinder.where, unwinder.context, unwinder.innermost = self.all_units.where, self.u.context, None
        gdb.invalidate_cached_frames()
        frame, first, sp = gdb.newest_frame(), 0, self.all_units.where.stack_pointer
        innermost = int(frame.read_register(sp))
        while frame is not None and int(frame.read_register(sp)) == innermost:
            frame, first = frame.older(), first + 1
        if frame is None:
            self.leave()
            raise gdb.GdbError(f"lazult: the saved context {self.u.context:#x} cannot be unwound")
        frame.select()
        return first

    def leave(self):
        unwinder.context = None
        gdb.invalidate_cached_frames()

    def __exit__(self, *_):
        if unwinder.context is not None:
            self.leave()
        if self.thread is not None:
            self.thread.switch()


def renumbered(text, first):
    """A backtrace without its first frames."""
    lines, shown = [], False
    for line in text.splitlines():
        frame = re.match(r"#(\d+) (\s*)(.*)", line)
        if frame:
            shown = int(frame[1]) >= first
            line = f"#{int(frame[1]) - first:<3}{frame[3]}"
        if shown or not lines and not frame:
            lines.append(line)
    return "\n".join(line for line in lines if line)


def in_unit(all_units, u, command):
    with standing_in(all_units, u) as first:
        text = gdb.execute(command, to_string=True)
        is_backtrace = re.match(r"(bt|backtrace|where)\b", command)
        return renumbered(text, first) if is_backtrace and first else text.rstrip("\n")


# --- commands

class lazult_prefix(gdb.Command):
    """Lightweight threads of Lazult: lazult ults, lazult bt, lazult apply."""

    def __init__(self):
        super().__init__("lazult", gdb.COMMAND_STACK, prefix=True)


class lazult_ults(gdb.Command):
    """Lists the units. lazult ults [ready|running|blocked|finished]"""

    def __init__(self):
        super().__init__("lazult ults", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        wanted = argument.strip()
        if wanted and wanted not in STATES:
            raise gdb.GdbError(f"lazult ults: {wanted} is no state: {', '.join(STATES[1:])}")
        now = process()
        chosen = [u for u in now.units.values() if wanted in ("", u.state)]
        rows = [("ID", "STATE", "TECHNIQUE", "ENTRY", "POOL", "WAITS FOR")] + [self.row(now, u) for u in chosen]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        counts = [f"{sum(u.state == state for u in chosen)} {state}" for state in STATES[1:]]
        print(f"{len(chosen)} units: {', '.join(counts)}")

    @staticmethod
    def row(now, u):
        state = u.state + (f" (thread {u.thread.num})" if u.thread else "")
        awaited = f"end of {u.child.number(now.where)}" if u.child and u.state in ("running", "blocked") else ""
        return (u.number(now.where), state, u.technique(), symbol(u.entry), pool_name(u.home), awaited)


class lazult_bt(gdb.Command):
    """The backtrace of a unit. lazult bt ID [ARGUMENTS OF bt]"""

    def __init__(self):
        super().__init__("lazult bt", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        which, _, rest = argument.strip().partition(" ")
        if not which:
            raise gdb.GdbError("lazult bt: say which unit: see lazult ults")
        now = process()
        print(in_unit(now, now.select(which), f"bt {rest}".strip()))


class lazult_apply(gdb.Command):
    """Runs a command of gdb's where units stand. lazult apply all COMMAND, lazult apply ID... COMMAND"""

    def __init__(self):
        super().__init__("lazult apply", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        words = argument.split()
        now = process()
        if words[:1] == ["all"]:
            chosen, words = list(now.units.values()), words[1:]
        else:
            chosen = []
            while words and re.fullmatch(r"\d+|0x[0-9a-fA-F]+|\$\w+", words[0]):
                chosen.append(now.select(words.pop(0)))
        if not chosen or not words:
            raise gdb.GdbError("lazult apply: say which units, or all, and a command")
        for u in chosen:
            print(f"\nULT {u.number(now.where)} ({u.state}, {u.technique()}, {symbol(u.entry)}):")
            try:
                print(in_unit(now, u, " ".join(words)))
            except gdb.error as error:
                print(error)


def register():
    for command in (lazult_prefix, lazult_ults, lazult_bt, lazult_apply):
        command()
    gdb.unwinder.register_unwinder(None, unwinder, replace=True)


register()
