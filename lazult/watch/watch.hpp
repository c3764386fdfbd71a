// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of the floor watch: what is told of a process from outside. Late units, deadlocks,
// overflows of stacks, counters and traces. It only reads what the floor core keeps.
#pragma once

#include "lazult/watch/deadlock.hpp"
#include "lazult/watch/monitor.hpp"
#include "lazult/watch/overflow.hpp"
#include "lazult/watch/report.hpp"
