// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/stack_use.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace lazult::core {
namespace {

// Of ULTs with one entry function and one stack size: how many went how deep.
using depths = std::map<std::size_t, std::uint64_t>;

// field      written by             read by                 order
// lost       those that find no     uncounted_stack_uses()  relaxed: a counter
//            memory
// is_locked  empty_pages()          the same, depth_on()    relaxed: a hint that never goes back
// others     the holder of lock     the same                the lock
struct use_book {
    std::mutex lock;
    std::map<std::pair<entry_function, std::size_t>, depths> all;
    ds::default_atomics::atomic<std::uint64_t> lost{0};
    // The process has locked its memory, so its pages cannot be given back.
    ds::default_atomics::atomic<bool> is_locked{false};
};

use_book& the_book() noexcept { return base::the_only<use_book>(); }

[[gnu::constructor]] void hold_book() {
    base::hold_across_fork(base::fork_lock::stack_use, the_book().lock);
}

bool is_ours(const stack& s) noexcept { return s.owner != nullptr; }

// Units that run on other stacks than their own are not measured: tasklets, and main.
bool has_own_stack(const work_unit& u) noexcept {
    return u.may_suspend() && u.stk != nullptr && (is_ours(*u.stk) || u.has(flag_user_stack));
}

// Returns the end of the pages that can be given back: the page with the header stays. A user's
// memory is not ours to give back.
std::byte* end_of_pages(const stack& s) noexcept {
    const auto high = reinterpret_cast<std::uintptr_t>(s.high);
    return is_ours(s) ? std::max(s.low, reinterpret_cast<std::byte*>(high & ~(os::page_size() - 1)))
                      : s.low;
}

// Returns where the pages that are still to be emptied by hand begin.
std::byte* empty_pages(const stack& s) noexcept {
    std::byte* const end = end_of_pages(s);
    if (end == s.low || os::discard(s.low, static_cast<std::size_t>(end - s.low))) {
        return end;
    }
    the_book().is_locked.store(true, std::memory_order_relaxed);
    return s.low;
}

// Returns the lowest word that is not zero. The words belong to frames that are gone, and to those
// of the callers: sanitizers would complain.
LAZULT_NOINLINE __attribute__((no_sanitize("address"), no_sanitize("thread"))) const std::byte*
first_word_in_use(const std::byte* from, const std::byte* end) noexcept {
    using word [[gnu::may_alias]] = const volatile std::uintptr_t;
    const auto first =
        (reinterpret_cast<std::uintptr_t>(from) + sizeof(word) - 1) & ~(sizeof(word) - 1);
    from = reinterpret_cast<const std::byte*>(first);
    while (from < end && *reinterpret_cast<word*>(from) == 0) {
        from += sizeof(word);
    }
    return from;
}

std::size_t depth_on(const stack& s) noexcept {
    std::byte* const end = end_of_pages(s);
    const bool has_pages = end != s.low && !the_book().is_locked.load(std::memory_order_relaxed);
    const std::optional<std::byte*> page =
        has_pages ? os::first_touched_page(s.low, end) : std::nullopt;
    const std::byte* const from = page.value_or(s.low);
    const std::byte* lowest = first_word_in_use(from, s.high);
    if (page && from != end && lowest >= from + os::page_size()) {
        lowest = from;
    }
    return static_cast<std::size_t>(s.high - lowest);
}

// Returns the size that was asked for, as a power of two, or what the user gave, without the
// header.
std::size_t size_of(const stack& s) noexcept {
    return is_ours(s) ? std::size_t{1} << s.size_class : static_cast<std::size_t>(s.high - s.base);
}

void count(entry_function entry, std::size_t stack_bytes, std::size_t depth) noexcept {
    use_book& book = the_book();
    const probe::unwatched allocating;
    const std::lock_guard hold(book.lock);
    if (!base::has_memory_for([&] { ++book.all[{entry, stack_bytes}][depth]; })) {
        book.lost.fetch_add(1, std::memory_order_relaxed);
    }
}

stack_use summary(entry_function entry, std::size_t stack_bytes, const depths& of) noexcept {
    stack_use sum{entry, stack_bytes, 0, 0, 0};
    for (const auto& [depth, units] : of) {
        sum.units += units;
        sum.deepest = depth;
    }
    std::uint64_t below = 0;
    for (const auto& [depth, units] : of) {
        below += units;
        if (2 * below >= sum.units) {
            sum.median = depth;
            break;
        }
    }
    return sum;
}

}  // namespace

std::vector<stack_use> stack_uses() {
    use_book& book = the_book();
    std::vector<stack_use> list;
    {
        const std::lock_guard hold(book.lock);
        for (const auto& [key, of] : book.all) {
            list.push_back(summary(key.first, key.second, of));
        }
    }
    std::ranges::stable_sort(list, std::greater{}, &stack_use::deepest);
    return list;
}

std::uint64_t uncounted_stack_uses() noexcept {
    return the_book().lost.load(std::memory_order_relaxed);
}

std::size_t enough_stack(std::size_t deepest) noexcept {
    constexpr std::size_t page = 4096;
    constexpr std::size_t small = 8 * page;  // of a smaller stack a thread may use all but a page
    const std::size_t needed = deepest + std::max(page, deepest / 4);
    const std::size_t size =
        needed + page < small ? needed + page : std::max(small, needed / 7 * 8 + 8);
    const std::size_t rounded = (size + os::page_size() - 1) & ~(os::page_size() - 1);
    return std::clamp(rounded, std::size_t{1} << smallest_stack_class,
                      std::size_t{1} << largest_stack_class);
}

LAZULT_COLD void give_own_stack(work_unit& u) noexcept {
    if (u.may_suspend() && u.header.plan != technique::full) {
        u.header.plan = technique::lazy_stack;
        u.header.headroom_class = unit_header::no_headroom;
    }
}

LAZULT_COLD void begin_stack_use(worker& w, work_unit& u) noexcept {
    if (u.stk == nullptr && u.may_suspend()) {
        u.stk = w.stacks.allocate(u.header.stack_class);  // if there is none, the host waits
    }
    if (!has_own_stack(u)) {
        return;
    }
    const base::errno_guard keeps_errno;
    stack& s = *u.stk;
    cleanse(&s);
    std::byte* const rest = empty_pages(s);
    const probe::unwatched emptying;  // the unit's own accesses come later, on another fiber
    std::memset(rest, 0, static_cast<std::size_t>(s.high - rest));
    s.is_measured = true;
}

LAZULT_COLD void end_stack_use(const work_unit& u) noexcept {
    // A unit that was cancelled before it started is not on its stack.
    if (!has_own_stack(u) || u.state() != life_state::running) {
        return;
    }
    const base::errno_guard keeps_errno;
    stack& s = *u.stk;
    if (std::exchange(s.is_measured, false)) {
        count(u.entry, size_of(s), depth_on(s));
    } else {
        // There was no stack when the unit was to start, and one a moment later.
        the_book().lost.fetch_add(1, std::memory_order_relaxed);
    }
}

}  // namespace lazult::core
