// SPDX-License-Identifier: BSD-3-Clause
// Prints the stacks of all units, on a request that a signal handler may have made. All streams
// meet for it. The first one leads: it waits until the others have come or the time is over, and
// prints. The others wait until it is done.
#pragma once

#include <abt.h>

#include <cstdio>

namespace lazult::abt {

// Implements ABT_info_trigger_print_all_thread_stacks(), and may be called in a signal handler.
void request_stack_dump(std::FILE* to, double timeout, void (*call)(ABT_bool, void*),
                        void* argument) noexcept;

// Called by each stream between two units after a request. Returns at once if there is no request
// and no meeting; otherwise it returns when the stacks are printed.
void attend_to_stack_dumps() noexcept;

}  // namespace lazult::abt
