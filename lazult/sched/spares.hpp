// SPDX-License-Identifier: BSD-3-Clause
// Spare streams. A unit that blocks in the kernel holds its stream, and what is ready in the
// stream's pool waits. As long as the monitor finds such streams, as many spare streams run: they
// are streams like the others, so they steal what other streams may steal, by the same rules. Where
// what has begun stays (LAZULT_STARTED), that is what has not begun.
//
// Private pools are not helped, and neither are units that wait in a caught stream's port.
#pragma once

#include <cstddef>

namespace lazult::sched {

// For the monitor: so many streams are caught. Starts and ends spare streams.
void relieve(std::size_t caught) noexcept;

// The runtime's streams have started; they are about to be ended, spare streams among them.
void open_spares() noexcept;
void close_spares() noexcept;

}  // namespace lazult::sched
