// SPDX-License-Identifier: BSD-3-Clause
// How execution streams start, end, start again and go.
#pragma once

#include "streams/xstream.hpp"

namespace lazult::abt {

// An object that is in the list, with its scheduler taken and without a stream. SUCCESS;
// INV_XSTREAM_RANK, MEM.
int make_xstream(sched_object& main, int rank, xstream_object** made) noexcept;
// Of one that does not run. The scheduler is given back, or freed if it is automatic.
void unmake_xstream(xstream_object& x, bool frees_sched) noexcept;
// SUCCESS; INV_SCHED: a pool of the scheduler's is private to another stream; MEM.
int start_xstream(xstream_object& x) noexcept;
// Asks it to end when nothing is left, and waits for that. Does nothing if that is done.
void join_xstream(xstream_object& x) noexcept;

}  // namespace lazult::abt
