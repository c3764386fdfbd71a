# SPDX-License-Identifier: BSD-3-Clause
"""gdb commands that see lightweight threads, in a process or a core file.

lazult ults [STATE]        lists the units: all, or those in one state
lazult bt ID [ARGUMENTS]   the backtrace of one, suspended or not; arguments as for gdb's bt
lazult apply ID... COMMAND, lazult apply all COMMAND
                           any command of gdb's in the frame in which a unit stands

A backtrace begins where the unit's own code called the library; `set lazult-library-frames on`
shows how it suspended, too. An ID is a number that `lazult ults` lists, or an expression that gives
a unit's address, as an ABT_thread is.

The script knows addresses and offsets from three symbols of the library (lazult_debugger_table,
lazult_wait_table, lazult_name_table), and needs no debug information.
"""
import os
import re
import struct
import time

import gdb
import gdb.unwinder

STATES = ("unused", "ready", "running", "blocked", "finished")
TECHNIQUES = (
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
    "run_to_completion",
    "adaptive",
)
IN_PLACE = 6  # of how a unit started
LEAVING = 1  # a context that is about to be saved
SCHEDULER = 16  # of its flags
FIELDS = (
    "version",
    "in_order",
    "elsewhere",
    "chunk_bytes",
    "chunk_next",
    "unit_bytes",
    "home",
    "entry",
    "context",
    "stack",
    "argument",
    "join",
    "header",
    "life",
    "started",
    "current",
    "stack_low",
    "stack_high",
    "registers",
)
WAIT_FIELDS = (
    "version",
    "record_bytes",
    "record_alignment",
    "record_next",
    "record_prev",
    "record_unit",
    "record_kind",
    "record_object",
    "mutex_owner",
    "timer_bytes",
    "timer_alignment",
    "timer_unit",
    "timer_state",
    "timer_armed",
    "names",
    "name_count",
    "end_of_unit",
    "timer_deadline",
    "timer_child",
    "timer_sibling",
    "timer_before",
    "block_mark",
    "block_unit",
    "block_begin",
    "block_bytes",
    "block_mark_value",
    "note_self",
    "note_unit",
    "note_words",
    "note_first",
    "note_second",
    "words_what",
    "words_form",
)
DESCRIPTOR_FIELDS = (
    "version",
    "chunks",
    "chunk_count",
    "chunk_records",
    "record_bytes",
    "record_in",
)
NAME_FIELDS = ("version", "unit_bits", "kind_thread", "unit_record", "none", "name_bytes")
MOST_STACK = 1 << 20  # bytes of a stack that are searched for what its unit waits for
LAST_DEADLINE = (1 << 63) - 1  # it never comes
MOST_TOLD = 6  # objects of one wait
LARGEST_JOIN_STATE = 5  # above it the word is who waits
RECORD_TAG = 4


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def word(address):
    return struct.unpack("Q", read(address, 8))[0]


def text_at(address, most=64):
    return read(address, most).split(b"\0")[0].decode(errors="replace")


class table:
    """A symbol that holds numbers of eight bytes. None of them is there in a library that is older
    than the symbol."""

    def __init__(self, symbol_name, fields):
        self.is_there = False
        try:
            at = int(gdb.parse_and_eval(f"(unsigned long)&{symbol_name}"))
            for name, value in zip(
                fields, struct.unpack(f"{len(fields)}Q", read(at, 8 * len(fields)))
            ):
                setattr(self, name, value)
            self.is_there = self.version >= 1
        except gdb.error:
            pass


class layout:
    """lazult_debugger_table of the process."""

    def __init__(self):
        try:
            at = int(gdb.parse_and_eval("(unsigned long)&lazult_debugger_table"))
        except gdb.error as error:
            raise gdb.GdbError(
                f"lazult: this process has no liblazult, or one without a debugger table ({error})"
            )
        for name, value in zip(FIELDS, struct.unpack(f"{len(FIELDS)}Q", read(at, 8 * len(FIELDS)))):
            setattr(self, name, value)
        if self.version < 1:
            raise gdb.GdbError(
                f"lazult: the debugger table has version {self.version}: "
                "is the library initialised?"
            )
        first, count, self.frame_bytes, name = struct.unpack("3Q8s", read(self.registers, 32))
        self.stack_pointer = name.rstrip(b"\0").decode()
        raw = read(first, 16 * count) if count else b""
        self.saved = [
            (name.rstrip(b"\0").decode(), offset) for name, offset in struct.iter_unpack("8sQ", raw)
        ]

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
        self.home, self.entry, self.context = (
            number(where.home),
            number(where.entry),
            number(where.context),
        )
        self.stack, self.waiter = number(where.stack), number(where.join)
        self.how, self.plan, self.flags = raw[where.header : where.header + 3]
        self.state = STATES[raw[where.life]] if raw[where.life] < len(STATES) else "?"
        if self.context == LEAVING:  # it is in the middle of a yield or a suspension
            self.context, self.state = 0, "running"
        self.started = raw[where.started]
        self.bits = raw  # all of it
        self.child = None  # whom it joins
        self.thread = None  # the OS thread that runs it

    def number(self, where):
        begin, used = word(where.in_order), word(where.in_order + 8)
        if begin <= self.address < begin + used:
            return str((self.address - begin) // where.unit_bytes)
        return hex(self.address)

    def name(self, names):
        """As its attributes gave it; empty without one."""
        if (
            not names.is_there
            or not struct.unpack_from("H", self.bits, names.unit_bits)[0] & names.kind_thread
        ):
            return ""
        record = struct.unpack_from("Q", self.bits, names.unit_record)[0]
        try:
            return text_at(record, names.name_bytes) if record > names.none else ""
        except gdb.error:
            return ""

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
                u = unit(self.where, chunk + at, raw[at : at + size])
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
        """The unit that its context belongs to: itself, or the child that it called and waits
        for."""
        seen = set()
        while (
            u.state == "running"
            and u.thread is None
            and u.child is not None
            and u.address not in seen
        ):
            seen.add(u.address)
            u = u.child
        return u


def is_native():
    """Whether the process lives on this machine."""
    connection = getattr(gdb.selected_inferior(), "connection", None)
    return connection is not None and connection.type == "native"


class descriptors:
    """Finds the descriptor to which a queue of waiters belongs."""

    def __init__(self):
        self.table = table("lazult_descriptor_table", DESCRIPTOR_FIELDS)
        self.chunks = []
        if self.table.is_there:
            raw = read(self.table.chunks, 8 * self.table.chunk_count)
            self.chunks = [
                (i * self.table.chunk_records, at)
                for i, (at,) in enumerate(struct.iter_unpack("Q", raw))
                if at
            ]

    def described(self, queue):
        """As a deadlock report says it; nothing of a queue that belongs to none."""
        t = self.table
        for first, chunk in self.chunks:
            if chunk <= queue < chunk + t.chunk_records * t.record_bytes:
                index, offset = divmod(queue - chunk, t.record_bytes)
                fd = first + index
                way = "readable" if offset == t.record_in else "writable"
                return f"fd {fd}{self.kind_of(fd)}, to be {way}"
        return ""

    @staticmethod
    def kind_of(fd):
        """A core file, and a process of another machine, do not say what the descriptor is."""
        if not is_native():
            return ""
        try:
            target = os.readlink(f"/proc/{gdb.selected_inferior().pid}/fd/{fd}")
        except OSError:
            return ""
        kinds = {"pipe": "a pipe", "socket": "a socket", "anon_inode": "a device"}
        return ", " + kinds.get(target.split(":")[0], target)


class waits:
    """What suspended units wait for: each wait has a record on its unit's own stack."""

    def __init__(self, all_units):
        self.all_units, self.where = all_units, all_units.where
        self.table = table("lazult_wait_table", WAIT_FIELDS)
        self.descriptors = descriptors()
        self.kinds = []
        if self.table.is_there:
            at = read(self.table.names, 8 * self.table.name_count)
            self.kinds = [
                text_at(address, 16) if address else "" for address, in struct.iter_unpack("Q", at)
            ]

    def number_of(self, address):
        other = self.all_units.units.get(address)
        return other.number(self.where) if other else hex(address)

    def of(self, u):
        if u.state not in ("running", "blocked") or u.thread is not None:
            return ""
        if u.child is not None:
            return f"end of {u.child.number(self.where)}"
        if u.state != "blocked" or not self.kinds:
            return ""
        try:
            low, raw = self.stack_of(u)
        except gdb.error:
            return ""
        found = [self.described(raw, at) for at in self.records(u, low, raw)]
        for begin, memory in self.blocks(u, raw):
            found += [self.described(memory, at) for at in self.records(u, begin, memory)]
        timed = next((self.time_left(raw, at) for at in self.timers(u, low, raw)), None)
        if not found:
            return self.joined(low, raw) or self.noted(u, low, raw) or self.pause(timed)
        more = [f"{len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
        return ", ".join(found[:MOST_TOLD] + more) + (f" (for {timed})" if timed else "")

    @staticmethod
    def pause(timed):
        """What a unit without records waits for."""
        if timed is None:
            return "to be resumed"
        return "sleep" if timed == "a time" else f"sleep of {timed}"

    def stack_of(self, u):
        high = word(u.stack + self.where.stack_high)
        low = -(-u.context // self.table.record_alignment) * self.table.record_alignment
        return low, read(low, min(max(high - low, 0), MOST_STACK))

    def records(self, u, low, raw):
        t = self.table
        for at in range(0, len(raw) - t.record_bytes + 1, t.record_alignment):
            (mine,) = struct.unpack_from("Q", raw, at + t.record_unit)
            (anything,) = struct.unpack_from("Q", raw, at + t.record_object)
            kind = raw[at + t.record_kind]
            if mine == u.address and anything and self.is_kind(kind):
                if (
                    self.awaits_end(anything, low, raw)
                    if kind == t.end_of_unit
                    else self.is_in_ring(raw, at, low + at)
                ):
                    yield at

    def is_kind(self, number):
        """Whether this floor or a door has such waits."""
        return 0 < number < len(self.kinds) and self.kinds[number] != ""

    def timers(self, u, low, raw):
        t = self.table
        for at in range(0, len(raw) - t.timer_bytes + 1, t.timer_alignment):
            if (
                struct.unpack_from("Q", raw, at + t.timer_unit)[0] == u.address
                and raw[at + t.timer_state] == t.timer_armed
                and (t.version < 3 or self.is_in_heap(raw, at, low + at))
            ):
                yield at

    def is_in_heap(self, raw, at, address):
        """The timer before it knows it; the root has none, but its child knows it. What is no timer
        may look like one."""
        t = self.table
        child, sibling, before = (
            struct.unpack_from("Q", raw, at + offset)[0]
            for offset in (t.timer_child, t.timer_sibling, t.timer_before)
        )
        try:
            if before:
                return address in (word(before + t.timer_child), word(before + t.timer_sibling))
            return not sibling and (not child or word(child + t.timer_before) == address)
        except gdb.error:
            return False

    def time_left(self, raw, at):
        """A core file, and a process of another machine, do not say what time it was."""
        if self.table.version < 3 or not is_native():
            return "a time"
        (deadline,) = struct.unpack_from("q", raw, at + self.table.timer_deadline)
        left = max(deadline - time.clock_gettime_ns(time.CLOCK_MONOTONIC), 0)
        return "a time" if deadline == LAST_DEADLINE else f"{left / 1e9:.3g} s more"

    def blocks(self, u, raw):
        """Memory apart from the unit's stack where records of its wait stand: address and bytes."""
        t = self.table
        for at in range(0, len(raw) - 31 if t.version >= 3 else 0, t.record_alignment):
            if struct.unpack_from("Q", raw, at + t.block_mark)[0] == t.block_mark_value:
                (mine,) = struct.unpack_from("Q", raw, at + t.block_unit)
                (begin,) = struct.unpack_from("Q", raw, at + t.block_begin)
                (size,) = struct.unpack_from("Q", raw, at + t.block_bytes)
                if mine == u.address and size:
                    try:
                        yield begin, read(begin, size)
                    except gdb.error:
                        pass

    def noted(self, u, low, raw):
        """What a door has noted on the stack; nothing if it has not."""
        t = self.table
        whole = raw[: len(raw) // 8 * 8] if t.version >= 3 else b""
        for i, (value,) in enumerate(struct.iter_unpack("Q", whole)):
            at = 8 * i - t.note_self
            if value == low + at and at >= 0 and at + t.note_second + 4 <= len(raw):
                mine, words = struct.unpack_from("Q", raw, at + t.note_unit) + struct.unpack_from(
                    "Q", raw, at + t.note_words
                )
                if mine == u.address:
                    return self.words_of_note(raw, at, words)
        return ""

    def words_of_note(self, raw, at, words):
        t = self.table
        offsets = (t.note_first, t.note_second)
        numbers = [struct.unpack_from("i", raw, at + offset)[0] for offset in offsets]
        said = iter("any" if n < 0 else str(n) for n in numbers)
        what, form = (text_at(word(words + o)) for o in (t.words_what, t.words_form))
        return what + re.sub("%", lambda _: next(said), form)

    def is_in_ring(self, raw, at, address):
        """Its neighbours know it. What is not a record may look like one."""
        t = self.table
        (after,) = struct.unpack_from("Q", raw, at + t.record_next)
        (before,) = struct.unpack_from("Q", raw, at + t.record_prev)
        try:
            return (
                bool(after and before)
                and word(after + t.record_prev) == address
                and word(before + t.record_next) == address
            )
        except gdb.error:
            return False

    def awaits_end(self, address, low, raw):
        """Of a wait for several things: the join word of the other names the wait, which is on this
        stack."""
        other = self.all_units.units.get(address)
        return (
            other is not None
            and other.waiter & RECORD_TAG
            and low <= other.waiter & ~RECORD_TAG < low + len(raw)
        )

    def joined(self, low, raw):
        """Of a join that can be cancelled, and of joins of many: the join words name a record on
        this stack."""
        return ", ".join(
            f"end of {other.number(self.where)}"
            for other in self.all_units.units.values()
            if other.state != "finished" and self.awaits_end(other.address, low, raw)
        )

    def described(self, raw, at):
        t = self.table
        number = raw[at + t.record_kind]
        kind = self.kinds[number]
        (anything,) = struct.unpack_from("Q", raw, at + t.record_object)
        if number == t.end_of_unit:
            return f"end of {self.number_of(anything)}"
        if kind == "descriptor":
            return self.descriptors.described(anything) or f"{kind} {anything:#x}"
        text = f"{kind} {anything:#x}"
        if kind == "mutex":
            owner = word(anything + t.mutex_owner)
            text += f" held by {self.number_of(owner)}" if owner in self.all_units.units else ""
        return text


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
    """While it is on, whoever called the innermost frame of the thread seems to be the suspended
    unit."""

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


class show_library(gdb.Parameter):
    """Whether backtraces of units begin with the library's own frames, in which they suspended."""

    set_doc = "Show the library's frames above a unit's own"
    show_doc = "Show whether the library's frames above a unit's own are shown"

    def __init__(self):
        super().__init__("lazult-library-frames", gdb.COMMAND_STACK, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self):
        return ""

    def get_show_string(self, value):
        return (
            f"Library frames of lightweight threads are {'shown' if value == 'on' else 'hidden'}."
        )


library_frames = show_library()


def is_of_library(frame):
    name = frame.name() or ""
    library = gdb.solib_name(frame.pc()) or ""
    return (
        name.startswith(("lazult::", "lazult_"))
        or re.search(r"/lib(lazult(-\w+)?|abt)\.so|/lazult/openmp/libgomp\.so", library) is not None
    )


def first_of_its_own(frame, number):
    """The frame of the unit's own code that called the library, and its number. The one given where
    all are the library's."""
    own, count = frame, number
    while own is not None and not library_frames.value and is_of_library(own):
        own, count = own.older(), count + 1
    return (frame, number) if own is None else (own, count)


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
            raise gdb.GdbError(
                f"lazult: {self.u.number(self.all_units.where)} has no frames: it is {self.u.state}"
                + (" and has not started" if self.u.state == "ready" else "")
            )
        if not self.all_units.where.saved:
            raise gdb.GdbError(
                "lazult: contexts of the generic build are the C library's, which are not read here"
            )
        unwinder.where, unwinder.context, unwinder.innermost = (
            self.all_units.where,
            self.u.context,
            None,
        )
        gdb.invalidate_cached_frames()
        frame, first, sp = gdb.newest_frame(), 0, self.all_units.where.stack_pointer
        innermost = int(frame.read_register(sp))
        while frame is not None and int(frame.read_register(sp)) == innermost:
            frame, first = frame.older(), first + 1
        if frame is None:
            self.leave()
            raise gdb.GdbError(f"lazult: the saved context {self.u.context:#x} cannot be unwound")
        frame, first = first_of_its_own(frame, first)
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
        is_backtrace = re.match(r"(bt|backtrace|where)\b", command)
        counted = re.fullmatch(r"(.* )(\d+)", command) if is_backtrace else None
        if counted:  # of frames from the innermost one, which are not all shown
            command = counted[1] + str(int(counted[2]) + first)
        text = gdb.execute(command, to_string=True)
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
        waiting, known = waits(now), table("lazult_name_table", NAME_FIELDS)
        head = ("ID", "NAME", "STATE", "TECHNIQUE", "ENTRY", "POOL", "WAITS FOR")
        rows = [head] + [self.row(now, u, waiting.of(u), u.name(known)) for u in chosen]
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        counts = [f"{sum(u.state == state for u in chosen)} {state}" for state in STATES[1:]]
        print(f"{len(chosen)} units: {', '.join(counts)}")

    @staticmethod
    def row(now, u, awaited, name):
        state = u.state + (f" (thread {u.thread.num})" if u.thread else "")
        return (
            u.number(now.where),
            name or "-",
            state,
            u.technique(),
            symbol(u.entry),
            pool_name(u.home),
            awaited,
        )


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
    """Runs a command of gdb's where units stand. lazult apply all COMMAND, lazult apply ID...
    COMMAND"""

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
