// SPDX-License-Identifier: BSD-3-Clause
// Umbrella header of arch/: what differs between processor architectures.
#pragma once

#include "lazult/arch/call_site.hpp"
#include "lazult/arch/context.hpp"
#include "lazult/arch/cpu.hpp"
#include "lazult/arch/saved_registers.hpp"
#include "lazult/arch/thread_slot.hpp"
