// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/census.hpp"

#include <atomic>

#include "lazult/core/memory/descriptor.hpp"
#include "lazult/core/memory/stack.hpp"

namespace lazult::core {
namespace {

using visitor = void (*)(work_unit&, void*);

// Descriptors that were never carved read as 0, as the system gives memory: they are unused.
void visit_chunk(descriptor_chunk* chunk, visitor visit, void* argument) {
    auto* first = reinterpret_cast<work_unit*>(chunk);
    work_unit* const end = first + descriptor_chunk_bytes / sizeof(work_unit);
    for (work_unit* u = first + 1; u != end; ++u) {
        if (u->state() != life_state::unused) {
            visit(*u, argument);
        }
    }
}

}  // namespace

void for_each_unit(visitor visit, void* argument) {
    // pairs with: take_from_range(), store of bytes
    const std::uintptr_t bytes = descriptors_in_order.bytes.load(std::memory_order_acquire);
    const std::uintptr_t begin = descriptors_in_order.begin.load(std::memory_order_relaxed);
    for (std::uintptr_t at = begin; at != begin + bytes; at += descriptor_chunk_bytes) {
        visit_chunk(reinterpret_cast<descriptor_chunk*>(at), visit, argument);
    }
    // pairs with: make_chunk(), CAS of descriptors_elsewhere
    for (auto* chunk = descriptors_elsewhere.load(std::memory_order_acquire); chunk != nullptr;
         chunk = chunk->next) {
        visit_chunk(chunk, visit, argument);
    }
}

unit_census count_units() {
    unit_census sum;
    for_each_unit(
        [](work_unit& u, void* argument) {
            auto& counted = *static_cast<unit_census*>(argument);
            if (u.state() != life_state::finished) {
                ++counted.units;
                counted.with_stack += static_cast<std::size_t>(u.stk != nullptr);
            }
        },
        &sum);
    return sum;
}

namespace {

void note_suspended_stack(work_unit& u, void*) {
    const life_state state = u.state();
    const stack* s = u.stk;
    const auto* at = static_cast<const std::byte*>(u.context);
    const bool is_suspended = state == life_state::ready || state == life_state::blocked;
    if (is_suspended && s != nullptr && at >= s->low && at < s->high) {
        probe::leak_root(at, static_cast<std::size_t>(s->high - at));
    }
}

}  // namespace

void note_suspended_stacks() noexcept { for_each_unit(note_suspended_stack, nullptr); }

std::uint64_t number_of(const work_unit& u) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(&u);
    // relaxed: the unit was made after both were written
    const std::uintptr_t begin = descriptors_in_order.begin.load(std::memory_order_relaxed);
    const std::uintptr_t bytes = descriptors_in_order.bytes.load(std::memory_order_relaxed);
    return at - begin < bytes ? (at - begin) / sizeof(work_unit) : at;
}

}  // namespace lazult::core
