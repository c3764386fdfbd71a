// SPDX-License-Identifier: BSD-3-Clause
// How execution streams are created, start, end, are revived and are freed.
#pragma once

#include "streams/xstream.hpp"

namespace lazult::abt {

// Makes a stream that is in the list, has `main`, which the caller has taken for it, as its
// scheduler, and has no OS thread yet. Returns SUCCESS, INV_XSTREAM_RANK or MEM.
int make_xstream(sched_object& main, int rank, xstream_object** made) noexcept;
// Frees a stream that does not run and gives its scheduler back. With `frees_sched`, an automatic
// scheduler is freed, too.
void unmake_xstream(xstream_object& x, bool frees_sched) noexcept;
// Starts or revives the stream. Returns SUCCESS, MEM, or INV_SCHED if a pool of its scheduler is
// private to another stream.
int start_xstream(xstream_object& x) noexcept;
// Asks the stream to end when its pools are empty, and waits until it has ended. Returns at once if
// the stream has ended already.
void join_xstream(xstream_object& x) noexcept;

}  // namespace lazult::abt
