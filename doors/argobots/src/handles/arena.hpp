// SPDX-License-Identifier: BSD-3-Clause
// Where all objects behind handles live, but for work units: one range of addresses, which grows,
// cut into chunks of slots that are all of one kind. So an address tells in a few instructions
// whether it is a live object of a kind, whatever a client hands over. Chunks are never returned
// while the process lives: a stale handle may be looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {

// In the order of the null constants.
enum class kind : std::uint8_t {
    none,
    xstream,
    xstream_barrier,
    sched,
    sched_config,
    pool,
    pool_config,
    thread_attr,
    key,
    mutex,
    mutex_attr,
    cond,
    rwlock,
    eventual,
    future,
    barrier,
    timer,
    pool_user_def,
    count
};

namespace arena {

inline constexpr std::size_t chunk_bytes = std::size_t{2} << 20;
inline constexpr std::size_t max_bytes = std::size_t{16} << 30;

// Powers of two. An object has all but the last 8 bytes of its slot.
constexpr std::size_t slot_bytes(kind k) noexcept {
    switch (k) {
        case kind::pool: return 2048;
        case kind::xstream:
        case kind::sched: return 1024;
        case kind::thread_attr:
        case kind::sched_config:
        case kind::pool_config:
        case kind::pool_user_def:
        case kind::rwlock: return 256;
        case kind::mutex_attr:
        case kind::key:
        case kind::xstream_barrier:
        case kind::timer: return 64;
        default: return 128;
    }
}

// The last 8 bytes of a slot.
// field  written by       read by    order
// live   make and unmake  anybody    relaxed: the handle's giver ordered it; a hint if it is stale
struct trailer {
    ds::default_atomics::atomic<std::uint32_t> live;
    std::uint32_t uses;
};

// field    written by            read by    order
// base     take_fresh (lock)     anybody    relaxed: before it is set there are no handles
// kind_of  take_fresh (lock)     anybody    written before any handle into the chunk is given out
struct range {
    ds::default_atomics::atomic<std::uintptr_t> base{0};
    ds::default_atomics::atomic<std::uint8_t> kind_of[max_bytes / chunk_bytes];
};
LAZULT_HIDDEN extern constinit range whole;

template <kind k>
trailer& trailer_of(const void* slot) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(slot) + slot_bytes(k) - sizeof(trailer);
    return *reinterpret_cast<trailer*>(at);
}

// Of the chunk at an offset; none where there is no chunk.
inline kind kind_at(std::uintptr_t offset) noexcept {
    return offset < max_bytes ? static_cast<kind>(whole.kind_of[offset / chunk_bytes].load(
                                    std::memory_order_relaxed))
                              : kind::none;
}
inline bool is_within(std::uintptr_t address) noexcept {
    return kind_at(address - whole.base.load(std::memory_order_relaxed)) != kind::none;
}

template <kind k>
bool is_live(const void* handle) noexcept {
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(handle) - whole.base.load(std::memory_order_relaxed);
    return kind_at(offset) == k && offset % slot_bytes(k) == 0 &&
           trailer_of<k>(handle).live.load(std::memory_order_relaxed) != 0;
}

// Memory for one object. nullptr when there is none. A slot given back is not taken again before
// many others.
void* take(kind k) noexcept;
void give_back(kind k, void* slot) noexcept;

}  // namespace arena

// Objects say their kind: `static constexpr kind arena_kind`. If the objects of a kind are of
// several types (pools), these have a common base class, which stands at the slot's start.
template <class Object, class... Arguments>
Object* make(Arguments&&... arguments) noexcept {
    constexpr kind k = Object::arena_kind;
    static_assert(sizeof(Object) + sizeof(arena::trailer) <= arena::slot_bytes(k));
    static_assert(alignof(Object) <= arena::slot_bytes(k));
    void* slot = arena::take(k);
    if (slot == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    auto* object = new (slot) Object(std::forward<Arguments>(arguments)...);
    arena::trailer_of<k>(slot).live.store(1, std::memory_order_relaxed);
    return object;
}

template <class Object>
void unmake(Object* object) noexcept {
    constexpr kind k = Object::arena_kind;
    arena::trailer_of<k>(object).live.store(0, std::memory_order_relaxed);
    object->~Object();
    arena::give_back(k, object);
}

}  // namespace lazult::abt
