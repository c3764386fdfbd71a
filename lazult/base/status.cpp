// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/status.hpp"

namespace lazult::base {

// The switch has no default, so that the compiler asks for a name when a status is added.
const char* name(status value) noexcept {
    switch (value) {
        case status::ok: return "ok";
        case status::invalid_handle: return "invalid handle";
        case status::invalid_argument: return "invalid argument";
        case status::freed_handle: return "freed handle";
        case status::would_deadlock: return "would deadlock";
        case status::cannot_suspend: return "cannot suspend";
        case status::out_of_memory: return "out of memory";
        case status::timed_out: return "timed out";
        case status::already_joined: return "already joined";
        case status::not_supported: return "not supported";
        case status::closed: return "closed";
        case status::busy: return "busy";
        case status::canceled: return "canceled";
        case status::shutting_down: return "shutting down";
    }
    return "unknown status";
}

}  // namespace lazult::base
