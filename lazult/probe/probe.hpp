// SPDX-License-Identifier: BSD-3-Clause
// Umbrella header of probe/: what tools must know, and disturbances for tests.
#pragma once

#include "lazult/probe/chaos.hpp"
#include "lazult/probe/sanitizers.hpp"
#include "lazult/probe/trace_buffer.hpp"
#include "lazult/probe/usdt.hpp"
