// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/local.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lazult/core/observe/trace.hpp"
#include "lazult/core/switch/cancellation_mask.hpp"

namespace lazult::core {

// A unit has few keys, so a linear search over a small array suffices.
struct local_table {
    struct slot {
        local_key key;
        void* value;
    };
    std::vector<slot> slots;
};

namespace {

struct key_registry {
    key_registry() noexcept { base::hold_across_fork(base::fork_lock::local_keys, lock); }

    std::mutex lock;
    std::unordered_map<local_key, local_destructor> destructors;
    local_key next = 1;
};

key_registry& keys() { return base::the_only<key_registry>(); }

local_destructor destructor_of(local_key key) noexcept {
    key_registry& r = keys();
    const std::lock_guard hold(r.lock);
    const auto found = r.destructors.find(key);
    return found == r.destructors.end() ? nullptr : found->second;
}

local_table::slot* find(const work_unit& u, local_key key) noexcept {
    if (u.locals == nullptr) {
        return nullptr;
    }
    auto& slots = u.locals->slots;
    const auto at =
        std::find_if(slots.begin(), slots.end(), [key](const auto& s) { return s.key == key; });
    return at == slots.end() ? nullptr : &*at;
}

// Runs one round of destructors. Returns false if there was nothing to destroy.
bool destroy_round(local_table& table) noexcept {
    bool found = false;
    // By number, because a destructor may add a slot.
    for (std::size_t i = 0; i < table.slots.size(); ++i) {  // NOLINT(modernize-loop-convert)
        void* value = std::exchange(table.slots[i].value, nullptr);
        if (value == nullptr) {
            continue;
        }
        if (local_destructor destroy = destructor_of(table.slots[i].key); destroy != nullptr) {
            found = true;
            destroy(value);
        }
    }
    return found;
}

}  // namespace

local_key create_local_key(local_destructor destructor) noexcept {
    key_registry& r = keys();
    const std::lock_guard hold(r.lock);
    try {
        const local_key key = r.next++;
        r.destructors.emplace(key, destructor);
        return key;
    } catch (const std::bad_alloc&) {
        return invalid_local_key;
    }
}

void destroy_local_key(local_key key) noexcept {
    key_registry& r = keys();
    const std::lock_guard hold(r.lock);
    r.destructors.erase(key);
}

bool set_local(work_unit& u, local_key key, void* value) noexcept {
    if (auto* slot = find(u, key); slot != nullptr) {
        slot->value = value;
        return true;
    }
    return base::has_memory_for([&u, key, value] {
        if (u.locals == nullptr) {
            u.locals = std::make_unique<local_table>().release();
            u.set(flag_locals);
        }
        u.locals->slots.push_back({key, value});
    });
}

void* get_local(const work_unit& u, local_key key) noexcept {
    const auto* slot = find(u, key);
    return slot == nullptr ? nullptr : slot->value;
}

LAZULT_COLD void destroy_locals(work_unit& u) noexcept {
    constexpr int most_rounds = 4;
    const cancellation_mask here;  // destructors may suspend the unit, and must not be unwound
    for (int round = 0; u.locals != nullptr && round < most_rounds && destroy_round(*u.locals);
         ++round) {
    }
    delete std::exchange(u.locals, nullptr);
    if (is_traced_unit(u)) {
        trace_end(u);
    } else {
        u.clear(flag_locals);
    }
}

}  // namespace lazult::core
