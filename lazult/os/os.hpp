// SPDX-License-Identifier: BSD-3-Clause
// Umbrella header of os/: all code that depends on the operating system.
#pragma once

#include "lazult/os/clock.hpp"
#include "lazult/os/fault.hpp"
#include "lazult/os/futex.hpp"
#include "lazult/os/growing_range.hpp"
#include "lazult/os/guard.hpp"
#include "lazult/os/local_symbols.hpp"
#include "lazult/os/membarrier.hpp"
#include "lazult/os/memory.hpp"
#include "lazult/os/memory_limit.hpp"
#include "lazult/os/service_thread.hpp"
#include "lazult/os/single_threaded.hpp"
#include "lazult/os/thread.hpp"
#include "lazult/os/thread_question.hpp"
#include "lazult/os/thread_states.hpp"
