// SPDX-License-Identifier: BSD-3-Clause
// Access to the sync/ objects inside public objects, for those that several files need.
#pragma once

#include <lazult/channel.hpp>
#include <lazult/eventual.hpp>
#include <lazult/semaphore.hpp>

#include "lazult/api/opaque.hpp"

namespace lazult::detail {

struct event_access {
    static sync::eventual& of(event& e) noexcept {
        return *std::launder(reinterpret_cast<sync::eventual*>(e.state_));
    }
};

struct semaphore_access {
    static sync::semaphore& of(semaphore_base& s) noexcept {
        return api::opaque<sync::semaphore>(s.state_);
    }
};

struct channel_access {
    static sync::channel_base& of(channel_base& c) noexcept {
        return api::opaque<sync::channel_base>(c.state_);
    }
    static const sync::channel_base& of(const channel_base& c) noexcept {
        return of(const_cast<channel_base&>(c));
    }
};

}  // namespace lazult::detail
