// SPDX-License-Identifier: BSD-3-Clause
// Finds streams: only tests ask for others than their own.
#pragma once

#include "lazult/sched/sched.hpp"

namespace lazult::sched {

// By rank; nullptr when there is none.
inline stream* stream_at(int rank) noexcept {
    return static_cast<stream*>(
        streams().first([rank](const stream_record& s) { return s.rank() == rank; }));
}

inline stream* primary_stream() noexcept {
    return static_cast<stream*>(streams().first(
        [](const stream_record& s) { return s.is_primary() && !s.is_independent(); }));
}

inline void for_each_stream(void (*visit)(stream&, void*), void* argument) {
    for (stream_record* s : streams().copy()) {
        visit(static_cast<stream&>(*s), argument);
    }
}

}  // namespace lazult::sched
