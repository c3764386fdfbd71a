// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of watch/, which reports late units, deadlocks and stack overflows, and writes counters
// and traces. It reads what core/ keeps, and changes nothing there.
#pragma once

#include "lazult/watch/deadlock.hpp"
#include "lazult/watch/monitor.hpp"
#include "lazult/watch/overflow.hpp"
#include "lazult/watch/report.hpp"
#include "lazult/watch/trace_file.hpp"
