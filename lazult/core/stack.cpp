// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/stack.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include "lazult/core/stack_store.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::core {

namespace {

constexpr std::size_t stagger_steps = 24;
constexpr std::size_t stagger_bytes = 128;
constexpr std::size_t slab_target_bytes = std::size_t{4} << 20;
constexpr std::size_t most_stacks_per_slab = 64;

}  // namespace

// One reservation that stacks are carved from, in order. These records live until the process ends:
// the fault handler reads them, and their stacks wait in caches that outlive any stream. Where all
// its stacks are vacant the memory may be unmapped; then its record serves another slab.
//
// field          written by                         read by          order
// next           the creator                        anybody          release push on slab_list,
//                                                                    acquire read
// carved         the owning OS thread; unmap: 0     fault handler    release / acquire
// guards         the owning OS thread; refit        remake, refit    the store's lock
// vacant, next_vacant, is_listed  the store's lock  the same         the lock
// memory.. size_class  the creator                  the same         published by carved, which is
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
// Under the store's lock: by class, slabs with vacant stacks; and records without memory.
constinit std::array<stack_slab*, largest_stack_class - smallest_stack_class + 1> vacant_slabs{};
constinit stack_slab* spare_slabs = nullptr;
std::atomic<std::uint64_t> slab_total{0};
std::atomic<std::uint64_t> reserved_total{0};
std::atomic<std::uint64_t> carved_total{0};
std::array<std::atomic<std::uint64_t>, 4> guards_total{};

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

// One that had memory once is listed already.
stack_slab* take_spare_record() noexcept {
    const store_lock hold;
    stack_slab* const spare = spare_slabs;
    if (spare != nullptr) {
        spare_slabs = spare->next_vacant;
    }
    return spare;
}
void keep_spare_record(stack_slab* s) noexcept {
    const store_lock hold;
    s->next_vacant = spare_slabs;
    spare_slabs = s;
}

std::size_t guard_bytes() noexcept {
    return base::current_settings().guard == base::guard_kind::none ? 0 : os::page_size();
}

void* reserve_for(stack_slab& fresh) noexcept {
    // the last addresses are for somebody's stacks too
    for (; fresh.count != 0; fresh.count /= 2) {
        if (void* const memory = os::reserve(fresh.stride * fresh.count, os::page_size());
            memory != nullptr) {
            return memory;
        }
    }
    return nullptr;
}

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
    if (base::current_settings().huge_pages) {
        os::advise_huge(fresh->memory, fresh->stride * fresh->count);
    }
    if (spare == nullptr) {
        publish(fresh);
    }
    count_slab(*fresh, 1);
    return fresh;
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
        slab.carved.load(std::memory_order_acquire);  // pairs with: carve(), store of carved
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

// Its guard is there.
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

stack* carve(stack_slab& from, stack_cache* owner) noexcept {
    const std::size_t index = from.carved.load(std::memory_order_relaxed);
    guard_by(from, index, wanted_guard());
    stack* const s = make_header(from, index, owner);
    carved_total.fetch_add(1, std::memory_order_relaxed);
    // pairs with: stack_with_guard_at(), load of carved
    from.carved.store(index + 1, std::memory_order_release);
    return s;
}

// A guard that only tells afterwards: the program's memory below may be damaged, so it must not go
// on.
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

std::uint8_t stack_class_for(std::size_t bytes) noexcept {
    const auto wanted =
        static_cast<std::uint8_t>(std::bit_width(bytes <= 1 ? std::size_t{1} : bytes - 1));
    return std::clamp(wanted, smallest_stack_class, largest_stack_class);
}

// What has no room here goes on to the store.
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

// Called once, when the settings are frozen. A class that shares the ULTs' bin waits in its list.
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

// How many go to the store at once, or come from there.
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
        some[i]->owner = this;  // independent of one another: the processor fetches many at once
    }
    for (std::size_t i = 1; i < count; ++i) {
        if (!keep_at_once(some[i])) {
            free_of(size_class).keep(some[i]);
        }
    }
    return count == 0 ? nullptr : some[0];
}

// Where there are no addresses for one that fits.
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
        put_away();  // of other classes
        current = unmap_stored_stacks() != 0 ? reserve_slab(size_class) : nullptr;
    }
    if (current == nullptr) {
        return take_larger(size_class);
    }
    ++carved_;
    stack* const s = carve(*current, this);
    if (current->carved.load(std::memory_order_relaxed) == current->count) {
        current = nullptr;  // it may be unmapped when all its stacks are vacant
    }
    return s;
}

namespace {

// Of a field that its owner writes without regard for others: a hint.
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

// Those that were taken from here and not given back, and those that are kept.
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

// The bin is full, unless nothing is to be kept.
void stack_cache::store_coldest(bin& b) noexcept {
    const std::size_t count = std::min(batch(), b.count());
    if (count == 0) {
        return;
    }
    sold_ += count;
    // The stacks leave the bin before store_stacks() is called. That may start a thread, and code
    // that runs for this may take a stack from the bin.
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

// Of ours, what keep_at_once() has refused. Where more is to be kept than the bin holds, the list
// has the rest. Stacks with canaries are in the list alone, and so of a class that has both kinds
// up to a bin more is kept than is wanted: the bin does not ask about the list.
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

// By another thread than the owner.
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

void describe_stack(stack& header, std::byte* low, std::byte* high) noexcept {
    header.base = low;
    header.low = low;
    header.high = high;
    header.owner = nullptr;
    header.fiber = probe::fiber_current();
    header.size_class = stack_class_for(static_cast<std::size_t>(high - low));
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

namespace {

void guard_user_stack(stack& s) noexcept {
    const std::size_t page = os::page_size();
    auto* first = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(s.base) + page - 1) & ~(page - 1));
    if (first + page + smallest_user_stack > s.high) {
        return;
    }
    if (os::install_guard(first, page, os::guard_method::mprotect) == os::guard_method::mprotect) {
        s.guard = os::guard_method::mprotect;
        s.low = first + page;
    }
}

}  // namespace

stack* adopt_user_stack(void* memory, std::size_t bytes, user_guard guard) noexcept {
    if (memory == nullptr || bytes < smallest_user_stack) {
        return nullptr;
    }
    auto* low = static_cast<std::byte*>(memory);
    const auto end =
        reinterpret_cast<std::uintptr_t>(low + bytes) & ~(std::uintptr_t{base::cache_line} - 1);
    auto* s = new (stack::header_below(reinterpret_cast<std::byte*>(end))) stack;
    describe_stack(*s, low, s->top());
    if (guard == user_guard::with) {
        guard_user_stack(*s);
    }
    s->fiber = probe::fiber_create();
    s->valgrind_id = probe::valgrind_register_stack(s->low, s->top());
    return s;
}

void disown_user_stack(stack* s) noexcept {
    if (s->guard == os::guard_method::mprotect) {
        const std::size_t page = os::page_size();
        os::remove_guard(s->low - page, page, s->guard);
    }
    probe::valgrind_deregister_stack(s->valgrind_id);
    if (probe::tsan) {
        probe::fiber_destroy(s->fiber);
    }
}

const stack* stack_with_guard_at(const void* address) noexcept {
    const auto* at = static_cast<const std::byte*>(address);
    // acquire pairs with: publish(), CAS of slab_list
    for (const stack_slab* s = slab_list.load(std::memory_order_acquire); s != nullptr;
         s = s->next) {
        // acquire pairs with: carve(), store of carved
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
    const bool has_canary = s.guard == os::guard_method::canary;  // that is memory too
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
    // before the memory goes: a fault there is not ours
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

stack_statistics count_stacks() noexcept {
    stack_statistics result{};
    result.slabs = slab_total.load(std::memory_order_relaxed);
    result.carved = carved_total.load(std::memory_order_relaxed);
    result.stored = count_stored_stacks();
    result.reserved_bytes = reserved_total.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < guards_total.size(); ++i) {
        result.guards_by_method[i] = guards_total[i].load(std::memory_order_relaxed);
    }
    return result;
}

}  // namespace lazult::core
