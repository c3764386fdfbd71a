// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/stack_cache.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "lazult/core/memory/stack_store.hpp"

namespace lazult::core {

namespace {

// Ends the process if the canary of the stack was overwritten. A canary tells only afterwards: the
// program's memory below may be damaged.
void check_canary(const stack& s) noexcept {
    if (s.guard == os::guard_method::canary &&
        !os::canary_intact(s.base, static_cast<std::size_t>(s.low - s.base))) {
        base::fatal_misuse("stack of a ULT that ended",
                           "it overflowed: the canary below it was overwritten",
                           "raise LAZULT_STACK_SIZE or the stack_size attribute; raise "
                           "vm.max_map_count for real guards");
    }
}

}  // namespace

// Takes back what other threads have returned. Stacks for which there is no room go to the store.
void stack_cache::take_remote() noexcept {
    std::size_t count = 0;
    for (stack* s = remote_.take_all(); s != nullptr; ++count) {
        stack* next = s->next;
        if (!keep_at_once(s)) {
            keep(s);
        }
        s = next;
    }
    if (count != 0) {
        returning_.fetch_sub(count, std::memory_order_relaxed);
    }
}

// Called once, when the settings are frozen. If two classes share a bin, the ULTs' class gets it.
void stack_cache::choose_bins() noexcept {
    const base::settings& now = base::current_settings();
    most_kept_ = now.max_cached_stacks;
    const std::size_t limit = std::min(most_kept_, bin_capacity);
    for (const std::size_t bytes : {now.scheduler_stack_bytes(), now.stack_size}) {
        const std::uint8_t size_class = stack_class_for(bytes);
        stack** items = bin_items_[size_class % 2];
        bin_of(size_class) = {items, items, items + limit, size_class};
    }
}

// Returns how many stacks go to the store, or come from there, at once.
std::size_t stack_cache::batch() const noexcept {
    return std::clamp<std::size_t>(most_kept_ / 4, 1, most_stored_at_once);
}

stack* stack_cache::take_kept(std::uint8_t size_class) noexcept {
    bin& b = bin_of(size_class);
    const bool is_in_bin = uses_bins && size_class == b.size_class && b.end != b.items;
    return is_in_bin ? *--b.end : free_of(size_class).take();
}

stack* stack_cache::take_stored(std::uint8_t size_class) noexcept {
    if (!uses_bins) {
        return nullptr;
    }
    std::array<stack*, most_stored_at_once> some;
    const std::size_t count = take_stored_stacks(size_class, std::span(some).first(batch()));
    bought_ += count;
    for (std::size_t i = 0; i != count; ++i) {
        // independent of one another: the processor fetches many headers at once
        some[i]->owner = this;
    }
    for (std::size_t i = 1; i < count; ++i) {
        if (!keep_at_once(some[i])) {
            free_of(size_class).keep(some[i]);
        }
    }
    return count == 0 ? nullptr : some[0];
}

// Takes a larger stack from the store, if there are no addresses for one that fits.
stack* stack_cache::take_larger(std::uint8_t size_class) noexcept {
    for (++size_class; uses_bins && size_class <= largest_stack_class; ++size_class) {
        stack* s = nullptr;
        if (take_stored_stacks(size_class, std::span(&s, 1)) != 0) {
            ++bought_;
            s->owner = this;
            return s;
        }
    }
    return nullptr;
}

LAZULT_NOINLINE stack* stack_cache::allocate_slow(std::uint8_t size_class) noexcept {
    if (bins_[0].size_class == 0 && bins_[1].size_class == 0) {
        choose_bins();
    }
    stack* const s = find_or_carve(size_class);
    if (s != nullptr) {
        wait_.end();
    }
    return s;
}

stack* stack_cache::find_or_carve(std::uint8_t size_class) noexcept {
    take_remote();
    if (stack* s = take_kept(size_class); s != nullptr) {
        return s;
    }
    if (stack* s = take_stored(size_class); s != nullptr) {
        return s;
    }
    stack_slab*& current = slabs_[size_class - smallest_stack_class];
    if (current == nullptr) {
        current = reserve_slab(size_class);
    }
    if (current == nullptr) {
        put_away();  // so that slabs of other classes can be unmapped
        current = unmap_stored_stacks() != 0 ? reserve_slab(size_class) : nullptr;
    }
    if (current == nullptr) {
        return take_larger(size_class);
    }
    ++carved_;
    stack* const s = carve_stack(*current, this);
    if (is_used_up(*current)) {
        current = nullptr;
    }
    return s;
}

namespace {

// Reads a field that its owner writes by plain stores: a hint.
template <class Value>
Value peek(Value& field) noexcept {
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
}

}  // namespace

std::size_t stack_cache::live() noexcept {
    take_remote();
    std::size_t free_count = bins_[0].count() + bins_[1].count();
    for (const free_stacks& all : free_) {
        for (const stack* s = all.first; s != nullptr; s = s->next) {
            ++free_count;
        }
    }
    return held() - free_count;
}

// Returns how many stacks are kept here, or were taken from here and not given back.
std::uint64_t stack_cache::held() const noexcept {
    return peek(carved_) + peek(bought_) - peek(sold_) - lost_.load(std::memory_order_relaxed);
}

std::uint64_t stack_cache::made_estimate() const noexcept { return peek(carved_); }

std::uint64_t stack_cache::in_use_estimate() const noexcept {
    std::uint64_t free_count = 0;
    for (const free_stacks& all : free_) {
        free_count += peek(all.count);
    }
    for (const bin& b : bins_) {
        free_count += static_cast<std::uint64_t>(peek(b.end) - peek(b.items));
    }
    free_count += returning_.load(std::memory_order_relaxed);
    const std::uint64_t all = held();
    return static_cast<std::int64_t>(all) > static_cast<std::int64_t>(free_count) ? all - free_count
                                                                                  : 0;
}

// Puts the coldest stacks of a bin into the store. The bin is full, unless no stack is to be kept.
void stack_cache::store_coldest(bin& b) noexcept {
    const std::size_t count = std::min(batch(), b.count());
    if (count == 0) {
        return;
    }
    sold_ += count;
    // The stacks leave the bin before store_stacks() is called. That call may start a thread, and
    // code that runs for this may take a stack from the bin.
    std::array<stack*, most_stored_at_once> coldest;
    std::copy_n(b.items, count, coldest.begin());
    b.end = std::copy(b.items + count, b.end, b.items);
    store_stacks(std::span(coldest).first(count), static_cast<std::uint8_t>(b.size_class));
}

// Precondition: the list of this class holds at least `count` stacks.
void stack_cache::store_some(std::uint8_t size_class, std::size_t count) noexcept {
    std::array<stack*, most_stored_at_once> some;
    sold_ += count;
    while (count != 0) {
        const std::size_t now = std::min(count, some.size());
        for (std::size_t i = 0; i != now; ++i) {
            some[i] = free_of(size_class).take();
        }
        store_stacks(std::span(some).first(now), size_class);
        count -= now;
    }
}

void stack_cache::put_away() noexcept {
    if (!uses_bins) {
        return;
    }
    take_remote();
    for (bin& b : bins_) {
        while (b.count() != 0) {
            store_coldest(b);
        }
    }
    for (std::size_t i = 0; i != classes; ++i) {
        const auto size_class = static_cast<std::uint8_t>(smallest_stack_class + i);
        store_some(size_class, free_of(size_class).count);
    }
}

std::size_t stack_cache::kept() const noexcept {
    std::size_t sum = bins_[0].count() + bins_[1].count();
    for (const free_stacks& each : free_) {
        sum += each.count;
    }
    return sum;
}

// Keeps a stack of this cache that keep_at_once() has refused. If more stacks are to be kept than
// the bin holds, the list has the rest. Stacks with canaries are in the list alone. So if a class
// has both kinds, up to a bin more is kept than is wanted, because the bin does not count the list.
void stack_cache::keep(stack* s) noexcept {
    bin& b = bin_of(s->size_class);
    free_stacks& all = free_of(s->size_class);
    if (uses_bins && s->recycle_class == b.size_class && all.count + b.capacity() >= most_kept_) {
        store_coldest(b);
        if (keep_at_once(s)) {
            return;
        }
    }
    all.keep(s);
    if (uses_bins && all.count > most_kept_) {
        store_some(s->size_class, batch());
    }
}

// Called by another thread than the owner: returns the stack to this cache, or to the store.
void stack_cache::send_back(stack* s) noexcept {
    if (returning_.fetch_add(1, std::memory_order_relaxed) < most_kept_ || !uses_bins)
        LAZULT_LIKELY {
        remote_.push(s);
        return;
    }
    returning_.fetch_sub(1, std::memory_order_relaxed);
    lost_.fetch_add(1, std::memory_order_relaxed);
    store_stacks(std::span(&s, 1), s->size_class);
}

LAZULT_NOINLINE void stack_cache::release_slow(stack* s, stack_cache* mine) noexcept {
    stack_cache* owner = s->owner;
    if (owner == nullptr) {
        return;
    }
    check_canary(*s);
    if (owner == mine) {
        mine->keep(s);
    } else {
        owner->send_back(s);
    }
}

}  // namespace lazult::core
