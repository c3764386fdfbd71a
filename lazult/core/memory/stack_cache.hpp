// SPDX-License-Identifier: BSD-3-Clause
// A stream's cache of free stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lazult/core/memory/stack.hpp"
#include "lazult/core/memory/stack_wait.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::core {

// Free stacks of one cache, linked through their headers. The newest, the warmest, comes first.
struct stack_list {
    stack* first = nullptr;
    std::size_t count = 0;

    void keep(stack* s) noexcept {
        s->next = first;
        first = s;
        ++count;
    }
    stack* take() noexcept {
        stack* s = first;
        if (s != nullptr) {
            first = s->next;
            --count;
        }
        return s;
    }
};

// For ThreadSanitizer, which takes all that runs on one stack for one thread. A stack rests until
// so many others were freed, so that units do not seem ordered because they used the same stack.
struct resting_stacks {
    static constexpr std::size_t rest = 64;
    stack* first = nullptr;
    stack* last = nullptr;
    std::size_t count = 0;

    void keep(stack* s) noexcept {
        s->next = nullptr;
        (first == nullptr ? first : last->next) = s;
        last = s;
        ++count;
    }
    stack* take() noexcept {
        if (count <= rest) {
            return nullptr;
        }
        --count;
        stack* s = first;
        first = s->next;
        return s;
    }
};

// A stream's cache of free stacks, by size class. It keeps as many stacks of each class as
// LAZULT_MAX_CACHED_STACKS says, and as many more that others gave back meanwhile. What goes
// beyond that goes to the store that all streams share (stack_store.hpp). A stack from the store
// belongs to the stream that takes it. Otherwise each stream would keep the most stacks that it
// ever had in use. The process would keep the sum of that over all streams, which creeps up for as
// long as chance deals work out unevenly.
//
// A freer is any OS thread that frees a stack of this cache.
// field         written by                        read by            order
// bins_, free_  the owning OS thread              the same           none needed
// most_kept_    the same, before its first stack  freers             none needed: a freer got the
//                                                                    stack after that
// remote_       freers                            the owner          release push, acquire take,
//                                                                    see ds/mpsc_queue.hpp
// returning_    freers, the owner                 freers             relaxed: a bound, which may
//                                                                    be missed by a few
// lost_         freers                            tests, statistics  relaxed: a counter
// short_        the owner                         streams that wait  relaxed: a hint
class stack_cache {
public:
    // Returns nullptr when memory, or the number of mappings, is exhausted.
    stack* allocate(std::uint8_t size_class) noexcept { return allocate_inline(size_class); }
    LAZULT_ALWAYS_INLINE stack* allocate_inline(std::uint8_t size_class) noexcept {
        bin& b = bin_of(size_class);
        if (uses_bins && size_class == b.size_class && b.end != b.items) LAZULT_LIKELY {
            stack* s = *--b.end;
            if (s == nullptr) {
                __builtin_unreachable();  // so that callers need not ask
            }
            return s;
        }
        return allocate_slow(size_class);
    }

    // allocate(), for a caller that runs on the stack next. It also prefetches the next free stack
    // of the class. With thousands of stacks in use, that one is in no cache, and its page is not
    // in the TLB.
    LAZULT_NOINLINE stack* allocate_and_fetch_next(std::uint8_t size_class) noexcept {
        stack* const s = allocate_inline(size_class);
        const bin& b = bin_of(size_class);
        if (uses_bins && b.end != b.items) LAZULT_LIKELY {
            fetch_top(b.end[-1]);
        }
        return s;
    }

    // For an owner that waits after allocate() has returned nullptr: see stack_shortage.hpp. Called
    // by the owner.
    stack_wait& waiting() noexcept { return wait_; }
    // is_short() tells any thread, as a hint, whether the owner waits for a stack now.
    void set_short(bool is_short) noexcept { short_.store(is_short, std::memory_order_relaxed); }
    bool is_short() const noexcept { return short_.load(std::memory_order_relaxed); }

    // Returns the stack to the cache that it was taken from, or to the store. Any OS thread may
    // call it. `mine` is the caller's cache or nullptr.
    static void release(stack* s, stack_cache* mine) noexcept {
        if (mine == nullptr || !mine->keep_at_once(s)) LAZULT_UNLIKELY {
            release_slow(s, mine);
        }
    }

    // release() of a stack that the caller still stands on and is about to leave: only the caller's
    // OS thread can take it from here. Returns false if releasing the stack is not that simple.
    LAZULT_ALWAYS_INLINE bool keep_at_once(stack* s) noexcept {
        bin& b = bin_of(s->recycle_class);
        if (!uses_bins || s->owner != this || s->recycle_class != b.size_class || b.end == b.limit)
            LAZULT_UNLIKELY {
            return false;
        }
        *b.end++ = s;
        return true;
    }

    // Called by the owner: puts all stacks that are kept here into the store.
    void put_away() noexcept;
    std::size_t kept() const noexcept;

    // Returns how many stacks were taken from here and are not free. Exact only while no other
    // thread works on this cache.
    std::size_t live() noexcept;
    std::uint64_t carved() const noexcept { return carved_; }
    // Estimates for any thread: how many stacks were ever made here, and how many are in use.
    std::uint64_t made_estimate() const noexcept;
    std::uint64_t in_use_estimate() const noexcept;

private:
    // The two classes in most use, ULTs' and schedulers', are kept in arrays, because a stack is
    // taken from an array without a look at its memory. Neighbouring classes get different bins.
    static constexpr std::size_t bin_capacity = 256;
    static constexpr bool uses_bins = !probe::tsan;
    using free_stacks = std::conditional_t<probe::tsan, resting_stacks, stack_list>;
    struct bin {
        stack** end = nullptr;  // of the stacks in `items`
        stack** items = nullptr;
        stack** limit = nullptr;
        std::size_t size_class = 0;

        std::size_t count() const noexcept { return static_cast<std::size_t>(end - items); }
        std::size_t capacity() const noexcept { return static_cast<std::size_t>(limit - items); }
    };
    bin& bin_of(std::uint8_t size_class) noexcept {
        // one address in a register, and not one for each field
        return *base::anew(bins_ + size_class % 2);
    }
    // Prefetches the header and the place of the first frames.
    static void fetch_top(const stack* s) noexcept {
        const auto* const header = reinterpret_cast<const std::byte*>(s);
        for (std::ptrdiff_t line = 0; line != lines_of_first_frames; ++line) {
            __builtin_prefetch(header - line * static_cast<std::ptrdiff_t>(base::cache_line), 1);
        }
    }
    static constexpr std::ptrdiff_t lines_of_first_frames = 7;
    static constexpr std::size_t classes =
        largest_stack_class - smallest_stack_class + std::size_t{1};

    free_stacks& free_of(std::uint8_t size_class) noexcept {
        return free_[size_class - smallest_stack_class];
    }
    void choose_bins() noexcept;
    stack* allocate_slow(std::uint8_t size_class) noexcept;
    stack* find_or_carve(std::uint8_t size_class) noexcept;
    stack* take_kept(std::uint8_t size_class) noexcept;
    stack* take_stored(std::uint8_t size_class) noexcept;
    stack* take_larger(std::uint8_t size_class) noexcept;
    static void release_slow(stack* s, stack_cache* mine) noexcept;
    void send_back(stack* s) noexcept;
    void take_remote() noexcept;
    void keep(stack* s) noexcept;
    void store_coldest(bin& b) noexcept;
    void store_some(std::uint8_t size_class, std::size_t count) noexcept;
    std::size_t batch() const noexcept;
    std::uint64_t held() const noexcept;

    bin bins_[2];
    stack* bin_items_[2][bin_capacity];
    free_stacks free_[classes];        // free stacks that are in no bin
    stack_slab* slabs_[classes] = {};  // the slabs that stacks are carved from now
    std::uint64_t carved_ = 0;
    std::uint64_t bought_ = 0;  // taken from the store
    std::uint64_t sold_ = 0;    // put into the store by the owner
    std::size_t most_kept_ = 0;
    stack_wait wait_;
    ds::mpsc_queue<stack, &stack::next> remote_;
    ds::default_atomics::atomic<std::size_t> returning_{0};  // stacks in remote_
    // put into the store by other threads, because too many stacks were returning
    ds::default_atomics::atomic<std::uint64_t> lost_{0};
    ds::default_atomics::atomic<bool> short_{false};
};

}  // namespace lazult::core
