// SPDX-License-Identifier: BSD-3-Clause
// Floor 3: what tools need to know, and what tests use to provoke us.
#pragma once

#include "lazult/probe/chaos.hpp"
#include "lazult/probe/sanitizers.hpp"
#include "lazult/probe/trace_buffer.hpp"
#include "lazult/probe/usdt.hpp"
