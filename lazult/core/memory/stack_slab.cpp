// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/stack_slab.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

namespace lazult::core {

namespace {

constexpr std::size_t stagger_steps = 24;
constexpr std::size_t stagger_bytes = 128;
constexpr std::size_t slab_target_bytes = std::size_t{4} << 20;
constexpr std::size_t most_stacks_per_slab = 64;

}  // namespace

// One reservation of addresses that stacks are carved from, in order. The record lives until the
// process ends: the fault handler reads it, and its stacks wait in caches that outlive any stream.
// If all its stacks are vacant the memory may be unmapped; then the record serves another slab.
//
// field          written by                         read by          order
// next           the creator                        anybody          release push on slab_list,
//                                                                    acquire read
// carved         the owning OS thread; unmap: 0     fault handler    release / acquire
// guards         carve; refit, while no stream runs remake, refit    carve: before the stack is
//                                                                    known
// vacant, next_vacant, is_listed
//                under slab_lock                    the same         the lock
// memory..size_class
//                the creator                        the same         published by carved, which is
//                                                                    0 before
struct stack_slab {
    stack_slab* next;
    std::byte* memory;
    std::size_t stride;
    std::size_t count;
    std::size_t guard;  // bytes below each stack
    std::uint8_t size_class;
    std::atomic<std::size_t> carved{0};
    std::array<os::guard_method, most_stacks_per_slab> guards;
    std::uint64_t vacant;  // a bit for each stack
    stack_slab* next_vacant;
    bool is_listed;  // among those with vacant stacks

    std::byte* base(std::size_t index) const noexcept { return memory + stride * index; }
    std::size_t index_of(const stack& s) const noexcept {
        return static_cast<std::size_t>(s.base - memory) / stride;
    }
    bool is_vacant(std::size_t index) const noexcept { return (vacant >> index & 1) != 0; }
    bool is_all_vacant() const noexcept {
        return static_cast<std::size_t>(std::popcount(vacant)) == count;
    }
    std::byte* end() const noexcept { return memory + stride * count; }
    stack* header(std::size_t index) const noexcept {
        std::byte* high = memory + stride * (index + 1) - (index % stagger_steps) * stagger_bytes;
        return stack::header_below(high);
    }
};

namespace {

static_assert(most_stacks_per_slab <= 64, "a bit for each");

std::atomic<stack_slab*> slab_list{nullptr};
constinit std::mutex the_lock;
// Under the lock: by class, the slabs with vacant stacks; and records that have no memory.
constinit std::array<stack_slab*, largest_stack_class - smallest_stack_class + 1> vacant_slabs{};
constinit stack_slab* spare_slabs = nullptr;
std::atomic<std::uint64_t> slab_total{0};
std::atomic<std::uint64_t> reserved_total{0};
std::atomic<std::uint64_t> carved_total{0};
std::array<std::atomic<std::uint64_t>, 4> guards_total{};

[[gnu::constructor]] void hold_stacks_lock() {
    base::hold_across_fork(base::fork_lock::stacks, the_lock);
}

void publish(stack_slab* fresh) noexcept {
    stack_slab* head = slab_list.load(std::memory_order_relaxed);
    do {
        fresh->next = head;
        // release pairs with: stack_with_guard_at(), load of slab_list
    } while (!slab_list.compare_exchange_weak(head, fresh, std::memory_order_release,
                                              std::memory_order_relaxed));
}

void count_slab(const stack_slab& s, std::int64_t change) noexcept {
    slab_total.fetch_add(static_cast<std::uint64_t>(change), std::memory_order_relaxed);
    reserved_total.fetch_add(static_cast<std::uint64_t>(change) * s.stride * s.count,
                             std::memory_order_relaxed);
}

// Takes a record that has no memory now; nullptr if there is none. It is in slab_list already.
stack_slab* take_spare_record() noexcept {
    const slab_lock hold;
    stack_slab* const spare = spare_slabs;
    if (spare != nullptr) {
        spare_slabs = spare->next_vacant;
    }
    return spare;
}
void keep_spare_record(stack_slab* s) noexcept {
    const slab_lock hold;
    s->next_vacant = spare_slabs;
    spare_slabs = s;
}

std::size_t guard_bytes() noexcept {
    return base::current_settings().guard == base::guard_kind::none ? 0 : os::page_size();
}

void* reserve_for(stack_slab& fresh) noexcept {
    // fewer stacks if there are not enough addresses for all
    for (; fresh.count != 0; fresh.count /= 2) {
        if (void* const memory = os::reserve(fresh.stride * fresh.count, os::page_size());
            memory != nullptr) {
            return memory;
        }
    }
    return nullptr;
}

os::guard_method wanted_guard() noexcept {
    switch (base::current_settings().guard) {
        case base::guard_kind::madvise: return os::guard_method::madvise;
        case base::guard_kind::mprotect: return os::guard_method::mprotect;
        case base::guard_kind::canary: return os::guard_method::canary;
        case base::guard_kind::none: return os::guard_method::none;
        case base::guard_kind::automatic: break;
    }
    return os::best_guard_method();
}

std::atomic<std::uint64_t>& guards_by(os::guard_method method) noexcept {
    return guards_total[static_cast<std::size_t>(method)];
}

void guard_by(stack_slab& slab, std::size_t index, os::guard_method wanted) noexcept {
    os::guard_method& present = slab.guards[index];
    present = slab.guard == 0 ? os::guard_method::none
                              : os::install_guard(slab.base(index), slab.guard, wanted);
    guards_by(present).fetch_add(1, std::memory_order_relaxed);
}
void describe_guard(stack& s, os::guard_method present) noexcept {
    s.guard = present;
    s.recycle_class = present == os::guard_method::canary ? std::uint8_t{0} : s.size_class;
}

void refit(stack_slab& slab, os::guard_method wanted) noexcept {
    const std::size_t carved =
        slab.carved.load(std::memory_order_acquire);  // pairs with: carve_stack(), store of carved
    for (std::size_t i = 0; slab.guard != 0 && i < carved; ++i) {
        if (slab.guards[i] != wanted) {
            os::remove_guard(slab.base(i), slab.guard, slab.guards[i]);
            guards_by(slab.guards[i]).fetch_sub(1, std::memory_order_relaxed);
            guard_by(slab, i, wanted);
            if (!slab.is_vacant(i)) {
                describe_guard(*slab.header(i), slab.guards[i]);
            }
        }
    }
}

// The method that refit_guards() saw last. No stream runs when it is called.
constinit std::atomic<int> fitted{-1};

// Makes the header of a stack. Its guard is there already.
stack* make_header(stack_slab& from, std::size_t index, stack_cache* owner) noexcept {
    auto* s = new (from.header(index)) stack;
    s->base = from.base(index);
    s->low = s->base + from.guard;
    s->high = s->top();
    s->owner = owner;
    s->slab = &from;
    s->size_class = from.size_class;
    describe_guard(*s, from.guards[index]);
    s->fiber = probe::fiber_create();
    s->valgrind_id = probe::valgrind_register_stack(s->low, s->top());
    return s;
}

}  // namespace

slab_lock::slab_lock() noexcept { the_lock.lock(); }
slab_lock::~slab_lock() { the_lock.unlock(); }

stack_slab* reserve_slab(std::uint8_t size_class) noexcept {
    stack_slab* const spare = take_spare_record();
    stack_slab* const fresh = spare != nullptr ? spare : new (std::nothrow) stack_slab{};
    if (fresh == nullptr) {
        return nullptr;
    }
    fresh->size_class = size_class;
    fresh->guard = guard_bytes();
    fresh->stride = (std::size_t{1} << size_class) + fresh->guard;
    fresh->count =
        std::clamp<std::size_t>(slab_target_bytes / fresh->stride, 1, most_stacks_per_slab);
    fresh->memory = static_cast<std::byte*>(reserve_for(*fresh));
    if (fresh->memory == nullptr) {
        if (spare != nullptr) {
            keep_spare_record(spare);
        } else {
            delete fresh;
        }
        return nullptr;
    }
    if (base::current_settings().stack_use != base::output_off) {
        // a page that was touched tells how deep a ULT went: see stack_use.hpp
        os::advise_small(fresh->memory, fresh->stride * fresh->count);
    } else if (base::current_settings().huge_pages) {
        os::advise_huge(fresh->memory, fresh->stride * fresh->count);
    }
    if (spare == nullptr) {
        publish(fresh);
    }
    count_slab(*fresh, 1);
    return fresh;
}

stack* carve_stack(stack_slab& from, stack_cache* owner) noexcept {
    const std::size_t index = from.carved.load(std::memory_order_relaxed);
    guard_by(from, index, wanted_guard());
    stack* const s = make_header(from, index, owner);
    carved_total.fetch_add(1, std::memory_order_relaxed);
    // pairs with: stack_with_guard_at(), load of carved
    from.carved.store(index + 1, std::memory_order_release);
    return s;
}

bool is_used_up(const stack_slab& s) noexcept {
    return s.carved.load(std::memory_order_relaxed) == s.count;
}

void refit_guards() noexcept {
    const os::guard_method wanted = wanted_guard();
    const int before = fitted.exchange(static_cast<int>(wanted), std::memory_order_relaxed);
    if (before == -1 || before == static_cast<int>(wanted)) {
        return;
    }
    // acquire pairs with: publish(), CAS of slab_list
    for (stack_slab* s = slab_list.load(std::memory_order_acquire); s != nullptr; s = s->next) {
        refit(*s, wanted);
    }
}

const stack* stack_with_guard_at(const void* address) noexcept {
    const auto* at = static_cast<const std::byte*>(address);
    // acquire pairs with: publish(), CAS of slab_list
    for (const stack_slab* s = slab_list.load(std::memory_order_acquire); s != nullptr;
         s = s->next) {
        // acquire pairs with: carve_stack(), store of carved
        const std::size_t carved = s->carved.load(std::memory_order_acquire);
        if (carved == 0 || at < s->memory || at >= s->end()) {
            continue;
        }
        const auto index = static_cast<std::size_t>(at - s->memory) / s->stride;
        if (index >= carved || s->is_vacant(index)) {
            return nullptr;
        }
        return at < s->base(index) + s->guard ? s->header(index) : nullptr;
    }
    return nullptr;
}

void vacate_stack(stack& s) noexcept {
    stack_slab& its = *s.slab;
    const std::size_t index = its.index_of(s);
    probe::valgrind_deregister_stack(s.valgrind_id);
    const bool has_canary = s.guard == os::guard_method::canary;  // the canary is memory, too
    std::byte* const from = its.base(index) + (has_canary ? 0 : its.guard);
    os::discard(from, static_cast<std::size_t>(its.base(index) + its.stride - from));
    its.vacant |= std::uint64_t{1} << index;
    if (!std::exchange(its.is_listed, true)) {
        stack_slab*& listed = vacant_slabs[its.size_class - smallest_stack_class];
        its.next_vacant = listed;
        listed = &its;
    }
}

std::size_t remake_stacks(std::uint8_t size_class, std::span<stack*> into) noexcept {
    std::size_t made = 0;
    stack_slab*& listed = vacant_slabs[size_class - smallest_stack_class];
    while (made != into.size() && listed != nullptr) {
        stack_slab& from = *listed;
        const auto index = static_cast<std::size_t>(std::countr_zero(from.vacant));
        from.vacant &= from.vacant - 1;
        if (from.guards[index] == os::guard_method::canary) {
            os::install_guard(from.base(index), from.guard, os::guard_method::canary);
        }
        into[made++] = make_header(from, index, nullptr);
        if (from.vacant == 0) {
            from.is_listed = false;
            listed = from.next_vacant;
        }
    }
    return made;
}

namespace {

void unmap(stack_slab& s) noexcept {
    for (std::size_t i = 0; i != s.count; ++i) {
        os::forget_guard(s.guards[i]);
        guards_by(s.guards[i]).fetch_sub(1, std::memory_order_relaxed);
    }
    // before the memory goes: a later fault at these addresses is not ours
    s.carved.store(0, std::memory_order_relaxed);
    carved_total.fetch_sub(s.count, std::memory_order_relaxed);
    count_slab(s, -1);
    os::release(s.memory, s.stride * s.count);
    s.vacant = 0;
    s.is_listed = false;
    s.next_vacant = std::exchange(spare_slabs, &s);
}

}  // namespace

std::size_t unmap_vacant_slabs() noexcept {
    std::size_t gone = 0;
    for (stack_slab*& listed : vacant_slabs) {
        for (stack_slab** at = &listed; *at != nullptr;) {
            stack_slab& each = **at;
            if (each.is_all_vacant()) {
                *at = each.next_vacant;
                gone += each.count;
                unmap(each);
            } else {
                at = &each.next_vacant;
            }
        }
    }
    return gone;
}

slab_statistics count_slabs() noexcept {
    slab_statistics result{};
    result.slabs = slab_total.load(std::memory_order_relaxed);
    result.carved = carved_total.load(std::memory_order_relaxed);
    result.reserved_bytes = reserved_total.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < guards_total.size(); ++i) {
        result.guards_by_method[i] = guards_total[i].load(std::memory_order_relaxed);
    }
    return result;
}

}  // namespace lazult::core
