// SPDX-License-Identifier: BSD-3-Clause
// A request for the stacks of all units, which a signal handler may have made. All streams come
// together: the first one leads, waits for the others or until the time is over, and prints; the
// others wait for that.
#pragma once

#include <abt.h>

#include <cstdio>

namespace lazult::abt {

// As ABT_info_trigger_print_all_thread_stacks() says.
void request_stack_dump(std::FILE* to, double timeout, void (*call)(ABT_bool, void*),
                        void* argument) noexcept;

// Called by each stream between two units, when attention was called for. Returns at once if nobody
// asked for stacks; otherwise it stays until they are printed.
void attend_to_stack_dumps() noexcept;

}  // namespace lazult::abt
