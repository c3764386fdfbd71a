// SPDX-License-Identifier: BSD-3-Clause
// OS threads that make calls which block, for units that suspend meanwhile.
#pragma once

namespace lazult::io::inner {

// Calls function(argument) on a helper thread, and returns when it has returned. The calling unit
// suspends; an OS thread that is no stream, and a unit that cannot suspend, call the function
// themselves. There are at most LAZULT_IO_HELPERS helpers; further calls wait, first come, first
// served. If there is no OS thread at all to be had, the caller makes the call itself.
void call_apart(void (*function)(void*), void* argument);

}  // namespace lazult::io::inner
