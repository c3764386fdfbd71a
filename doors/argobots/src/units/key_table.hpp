// SPDX-License-Identifier: BSD-3-Clause
// The values of one unit, one for each key. They are destroyed when the unit is freed, and they
// survive a revival. If an unnamed unit has set a value with a destructor itself, it destroys all
// its values earlier: at its own end, where a destructor may suspend it. Any thread may set and
// read a value at any time; the core's ULT-local values do not allow that.
#pragma once

#include <cstdint>

#include "handles/handles.hpp"

namespace lazult::abt {

using value_destructor = void (*)(void*);

struct key_object {
    static constexpr kind arena_kind = kind::key;

    value_destructor destructor;
    std::uint64_t number;  // identifies the key; no number is used twice
};

// A table that only grows: an entry stays where it is until the table is destroyed.
//
// field        written by            read by    order
// used         add (lock)            anybody    release / acquire: the entry's key and destructor
// value        set, add              anybody    release / acquire: what the value points at
// next         add (lock)            anybody    release / acquire
class key_table {
public:
    // Frees the table without calling destructors.
    ~key_table();

    // Returns the value, or nullptr if it was never set.
    void* get(const key_object& key) const noexcept;
    // Returns false when memory is exhausted.
    bool set(const key_object& key, void* value) noexcept;
    // Calls each value's destructor once, unless the value is null. Sets the values to null.
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

    // Returns the entry of the key with this number, or nullptr.
    entry* find(std::uint64_t number) const noexcept;
    // Adds an entry at the end of the table, under the lock. Returns false when memory is
    // exhausted.
    bool add(const key_object& key, void* value) noexcept;
    // Adds an entry to the table's last chunk. Returns false if that chunk is full.
    static bool append(chunk& last, const key_object& key, void* value) noexcept;

    mutable chunk first_;
    atomic<std::uint32_t> adding_{0};
};

}  // namespace lazult::abt
