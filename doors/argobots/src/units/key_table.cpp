// SPDX-License-Identifier: BSD-3-Clause
#include "units/key_table.hpp"

#include <new>

namespace lazult::abt {
namespace {

// A spinlock's guard. The lock is held for a few instructions only, so waiting is rare and short.
class spin_guard {
public:
    explicit spin_guard(ds::default_atomics::atomic<std::uint32_t>& word) noexcept : word_(word) {
        // acquire pairs with: ~spin_guard()
        while (word_.exchange(1, std::memory_order_acquire) != 0) {
            os::yield_thread();
        }
    }
    spin_guard(const spin_guard&) = delete;
    spin_guard& operator=(const spin_guard&) = delete;
    // pairs with: spin_guard(), exchange
    ~spin_guard() { word_.store(0, std::memory_order_release); }

private:
    ds::default_atomics::atomic<std::uint32_t>& word_;
};

}  // namespace

key_table::~key_table() {
    chunk* c = first_.next.load(std::memory_order_relaxed);
    while (c != nullptr) {
        chunk* next = c->next.load(std::memory_order_relaxed);
        delete c;
        c = next;
    }
}

key_table::entry* key_table::find(std::uint64_t number) const noexcept {
    // acquire pairs with: add(), store of next
    for (chunk* c = &first_; c != nullptr; c = c->next.load(std::memory_order_acquire)) {
        // acquire pairs with: append(), store of used
        const std::uint32_t used = c->used.load(std::memory_order_acquire);
        for (std::uint32_t i = 0; i < used; ++i) {
            if (c->entries[i].number == number) {
                return &c->entries[i];
            }
        }
    }
    return nullptr;
}

void* key_table::get(const key_object& key) const noexcept {
    const entry* e = find(key.number);
    // acquire pairs with: set() and append(), stores of value
    return e == nullptr ? nullptr : e->value.load(std::memory_order_acquire);
}

bool key_table::set(const key_object& key, void* value) noexcept {
    if (entry* e = find(key.number); e != nullptr) LAZULT_LIKELY {
        e->value.store(value, std::memory_order_release);  // pairs with: get()
        return true;
    }
    return add(key, value);
}

bool key_table::append(chunk& last, const key_object& key, void* value) noexcept {
    const std::uint32_t used = last.used.load(std::memory_order_relaxed);
    if (used == chunk::capacity) {
        return false;
    }
    entry& e = last.entries[used];
    e.number = key.number;
    e.destructor = key.destructor;
    e.value.store(value, std::memory_order_release);       // pairs with: get()
    last.used.store(used + 1, std::memory_order_release);  // pairs with: find()
    return true;
}

bool key_table::add(const key_object& key, void* value) noexcept {
    const spin_guard guard(adding_);
    if (entry* e = find(key.number); e != nullptr) {  // another thread added the entry meanwhile
        e->value.store(value, std::memory_order_release);  // pairs with: get()
        return true;
    }
    chunk* last = &first_;
    while (chunk* next = last->next.load(std::memory_order_relaxed)) {
        last = next;
    }
    if (append(*last, key, value)) {
        return true;
    }
    auto* fresh = new (std::nothrow) chunk;
    if (fresh == nullptr) {
        return false;
    }
    append(*fresh, key, value);
    last->next.store(fresh, std::memory_order_release);  // pairs with: find()
    return true;
}

void key_table::destroy_values() noexcept {
    // acquire pairs with: add(), store of next
    for (chunk* c = &first_; c != nullptr; c = c->next.load(std::memory_order_acquire)) {
        // acquire pairs with: append(); loaded anew each time, because destructors may add values
        for (std::uint32_t i = 0; i < c->used.load(std::memory_order_acquire); ++i) {
            entry& e = c->entries[i];
            // acquire pairs with: set()
            void* value = e.value.exchange(nullptr, std::memory_order_acquire);
            if (value != nullptr && e.destructor != nullptr) {
                e.destructor(value);
            }
        }
    }
}

}  // namespace lazult::abt
