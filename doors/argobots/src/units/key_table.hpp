// SPDX-License-Identifier: BSD-3-Clause
// Values that each unit has for itself. They are destroyed when the unit is freed, outlive a
// revive, and may be set and read by any thread at any time: so they are not the core's ULT-local
// values. Those that an unnamed unit sets itself are destroyed at its end.
#pragma once

#include <cstdint>

#include "handles/handles.hpp"

namespace lazult::abt {

using value_destructor = void (*)(void*);

struct key_object {
    static constexpr kind arena_kind = kind::key;

    value_destructor destructor;
    std::uint64_t number;  // never used twice
};

// Only ever grows: entries stay where they are until the table is destroyed.
//
// field        written by            read by    order
// used         add (lock)            anybody    release / acquire: the entry's key and destructor
// value        set, add              anybody    release / acquire: what the value points at
// next         add (lock)            anybody    release / acquire
class key_table {
public:
    key_table() = default;
    key_table(const key_table&) = delete;
    key_table& operator=(const key_table&) = delete;
    // Without calling destructors.
    ~key_table();

    // nullptr when it was never set.
    void* get(const key_object& key) const noexcept;
    // False when memory is exhausted.
    bool set(const key_object& key, void* value) noexcept;
    // Calls the destructor of each value that is not null, once.
    void destroy_values() noexcept;

private:
    template <class T>
    using atomic = ds::default_atomics::atomic<T>;

    struct entry {
        std::uint64_t number = 0;
        value_destructor destructor = nullptr;
        atomic<void*> value{nullptr};
    };
    struct chunk {
        static constexpr std::uint32_t capacity = 4;
        atomic<std::uint32_t> used{0};
        atomic<chunk*> next{nullptr};
        entry entries[capacity];
    };

    entry* find(std::uint64_t number) const noexcept;
    bool add(const key_object& key, void* value) noexcept;
    static bool append(chunk& last, const key_object& key, void* value) noexcept;

    mutable chunk first_;
    atomic<std::uint32_t> adding_{0};
};

}  // namespace lazult::abt
