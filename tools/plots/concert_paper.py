# SPDX-License-Identifier: BSD-3-Clause
"""What the paper says, in numbers and in sentences: Karamcheti, Plevyak and Chien, Runtime
Mechanisms for Efficient Dynamic Multithreading; a Cray T3D with 150 million cycles a second."""

CYCLES_OF_A_MICROSECOND = 150
HEAP_CALL_US = 2.1  # 320 instructions
REACHED = 0.7  # of Figure 13
SEND_TOLERANCE = 0.3  # of a reproduction of Figure 10
TOLERANCE = 0.1  # of a reproduction: 10 points

# Figure 10, source overhead of 1,024 bytes in microseconds.
PUSH_1024 = {"alone": 13.5, "all-to-all": 30, "hotspot x16": 95, "all-to-one": 455}

# Each version, and those that must not do better.
ORDER = (("base", "stack"), ("base", "pull"), ("stack", "stack+pull"), ("pull", "stack+pull"))

# Points of Figure 13: version, microseconds, percent local, and whether 70 % is what is reached at
# least, at most, or at both.
EDGES = (
    ("base", 300, 80, "at most"),
    ("stack", 10, 100, "at least"),
    ("stack", 5000, 60, "at least"),
    ("stack", 5000, 40, "at most"),
    ("pull", 5000, 0, "at least"),
    ("stack+pull", 10, 100, "at least"),
    ("stack+pull", 150, 0, "about"),
)
# The ends of each version's region: the least microseconds, and the least percent local. None: the
# paper has no number.
ENDS = {"base": (300, 80), "stack": (10, 60), "pull": (None, 0), "stack+pull": (10, 0)}

# Figures 14 and 15: speed-up at this many nodes.
RADIOSITY_AT = 32
RADIOSITY = {"base": 6, "stack": 12, "pull": 12, "stack+pull": 23}
CEDAR_AT = 64
CEDAR = {"base": 24, "stack": 36}

SAYS = {
    "table1": "A thread costs 330 cycles to make, enqueue, dequeue and delete; a future 20 to "
    "make, 11 to touch where it is full, 10 to fill.",
    "table4": "A call on the stack adds 0 (never-blocking), 6 (may-block) or 8 (continuation-"
    "passing) instructions to a call in C, one in a context 320. If it blocks after all, that "
    "costs 0 to 3.5 us more, hardly more than a heap call at once (2.1 us).",
    "fig10": "64 nodes, a delay of 13.2 us between sends. 1,024 bytes by push: 13.5 us where a "
    "node sends alone, 30 all-to-all, 95 with a hotspot (3:1), 455 all-to-one (15:1). By pull all "
    "patterns cost the same.",
    "fig11": "32 nodes. Each mechanism adds up to 50 points of efficiency. The stack's gain grows "
    "with locality, pull's with remoteness and with the granularity. Base catches up at a large "
    "granularity.",
    "fig12": "80 % remote. The granularity matters less than the pattern. Stack and pull together "
    "lose only the hotspot's additional work; the stack alone is poor, and cannot be predicted.",
    "fig13": "70 % of efficiency: base above 300 us and above 80 % local only; stack down to "
    "10 us, and down to 60 % local; pull down to 0 % local; both from 10 us at 100 % local and "
    "from 150 us at 0 % local.",
    "fig14": "At 32 nodes base is about 6 times as fast as the fastest single node, each mechanism "
    "alone about 12 times, both 23 times. One node of Concert has 80 % of SPLASH-2's speed.",
    "fig15": "From the compute portion at 8 nodes: at 64 nodes base 24, stack 36 (1.5 times base). "
    "Pull adds little, and loses a little at 128 nodes.",
}
