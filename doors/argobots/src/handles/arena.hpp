// SPDX-License-Identifier: BSD-3-Clause
// The memory of all objects behind handles, except work units. The arena is one range of addresses,
// which grows by chunks. All slots of a chunk are for objects of one kind. Therefore a few
// instructions find out whether an address is a live object of a given kind, and the address may be
// any value at all. Chunks are never unmapped, so that a stale handle can still be checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {

// The kinds have the order of the null constants in abt/types.h.
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

// Returns the size of a slot, a power of two. The object may fill all but the last 8 bytes.
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
// live   make and unmake  anybody    relaxed: the thread that passed the handle on ordered the
//                                    object's construction; for a stale handle it is a hint
struct alignas(8) trailer {
    ds::default_atomics::atomic<std::uint32_t> live;
};

// field    written by                read by    order
// base     take_chunk (range_lock)   anybody    relaxed: before it is set there are no handles
// kind_of  take_chunk (range_lock)   anybody    relaxed: set before a handle into the chunk exists
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

// Returns the kind of the chunk at this offset in the range, or kind::none if there is no chunk.
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

// Returns memory for one object, or nullptr when there is no memory. A slot that was given back is
// used again only after many other slots.
void* take(kind k) noexcept;
void give_back(kind k, void* slot) noexcept;

}  // namespace arena

// Makes an object in a slot of its kind. Each class names its kind: `static constexpr kind
// arena_kind`. If objects of one kind have several classes (pools), these have a common base class,
// and the base class part begins at the start of the slot.
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
