// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sync/sync_memory.hpp"

namespace lazult::abt {

using mutex_object = created<kind::mutex>;

struct mutex_attributes {
    static constexpr kind arena_kind = kind::mutex_attr;
    int recursive = 0;
};

inline sync_memory* checked_mutex(ABT_mutex handle) noexcept {
    return checked_memory<kind::mutex>(handle, 1);
}

inline bool is_recursive(const sync_memory& m) noexcept { return m.word != 0; }
inline sync::mutex& plain_of(sync_memory& m) noexcept { return part_in<sync::mutex>(&m); }
inline sync::recursive_mutex& recursive_of(sync_memory& m) noexcept {
    return part_in<sync::recursive_mutex>(&m);
}

}  // namespace lazult::abt
