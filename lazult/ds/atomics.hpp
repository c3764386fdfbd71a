// SPDX-License-Identifier: BSD-3-Clause
// Atomics policies. Every lock-free template takes one, so that the code that ships also runs under the model
// checker of tests/model/. A policy offers what std_atomics offers: an atomic<T> whose every operation names
// its memory order, a spin hint, an asymmetric barrier and a futex.
//
// There are no bare fences: ThreadSanitizer does not model them. The asymmetric barrier orders only a
// Dekker-like pair (store, light_barrier, load) against (store, heavy_barrier, load), or against (load, heavy_barrier,
// load) where the first load is of what a third one stored. Data never hangs on it, only who may go on.
#pragma once

#include "lazult/arch/arch.hpp"
#include "lazult/base/base.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lazult::ds {

namespace detail {

// Whether the light side of the barrier may be free. Legal transitions: unknown -> free, unknown -> costly.
// field  | who writes                       | who reads     | order
// value  | first light or heavy of a thread | light_barrier | relaxed: every writer writes the same answer
enum class light_side : std::uint8_t { unknown, free, costly };
inline constinit std::atomic<light_side> light_side_known{light_side::unknown};

// Where the kernel has no membarrier, both sides meet in one read-modify-write of this shared word: of any
// two, the later one in its modification order acquires all that the earlier one's thread did before. A word
// of each thread's own would do on x86-64 only.
struct alignas(base::cache_line) meeting_point {
    std::atomic<std::uint32_t> word{0};
};
inline constinit meeting_point barrier_meeting_point{};

inline void meet() noexcept {
    // pairs with: itself in another thread
    barrier_meeting_point.word.fetch_add(1, std::memory_order_seq_cst);
}

LAZULT_COLD inline light_side learn_light_side() noexcept {
    const light_side side = os::membarrier_available() ? light_side::free : light_side::costly;
    light_side_known.store(side,
                           std::memory_order_relaxed);  // pairs with: light_barrier(); no data behind it
    return side;
}

// The rest of light_barrier().
LAZULT_NOINLINE inline void meet_unless_free() noexcept {
    light_side side = light_side_known.load(std::memory_order_relaxed);  // pairs with: learn_light_side()
    if (side == light_side::unknown) {
        side = learn_light_side();
    }
    if (side == light_side::costly) {
        meet();
    }
}

}  // namespace detail

struct std_atomics {
    template <class T>
    class atomic {
    public:
        constexpr atomic() noexcept : value_(T{}) {}
        constexpr explicit atomic(T value) noexcept : value_(value) {}
        atomic(const atomic&) = delete;
        atomic& operator=(const atomic&) = delete;

        LAZULT_ALWAYS_INLINE T load(std::memory_order order) const noexcept { return value_.load(order); }
        LAZULT_ALWAYS_INLINE void store(T value, std::memory_order order) noexcept {
            value_.store(value, order);
        }
        LAZULT_ALWAYS_INLINE T exchange(T value, std::memory_order order) noexcept {
            return value_.exchange(value, order);
        }
        LAZULT_ALWAYS_INLINE bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                                          std::memory_order failure) noexcept {
            return value_.compare_exchange_strong(expected, desired, success, failure);
        }
        LAZULT_ALWAYS_INLINE bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                                                        std::memory_order failure) noexcept {
            return value_.compare_exchange_weak(expected, desired, success, failure);
        }
        LAZULT_ALWAYS_INLINE T fetch_add(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return value_.fetch_add(value, order);
        }
        LAZULT_ALWAYS_INLINE T fetch_sub(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return value_.fetch_sub(value, order);
        }
        LAZULT_ALWAYS_INLINE T fetch_or(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return value_.fetch_or(value, order);
        }
        LAZULT_ALWAYS_INLINE T fetch_and(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return value_.fetch_and(value, order);
        }

        // For the futex, which wants the standard type.
        std::atomic<T>& underlying() noexcept { return value_; }

    private:
        std::atomic<T> value_;
    };

    LAZULT_ALWAYS_INLINE static void pause() noexcept { arch::pause(); }

    // Between a store and a load, on the side that runs often. Pairs with: heavy_barrier().
    LAZULT_ALWAYS_INLINE static void light_barrier() noexcept {
        // pairs with: learn_light_side(); the answer carries no data
        const detail::light_side side = detail::light_side_known.load(std::memory_order_relaxed);
        if (side != detail::light_side::free) LAZULT_UNLIKELY {
            detail::meet_unless_free();
        }
        // Stops the compiler; membarrier stops the processor. pairs with: heavy_barrier()
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }

    // As light_barrier(), by code that runs only where light_barrier_is_free(): not even a look whether it is.
    LAZULT_ALWAYS_INLINE static void free_barrier() noexcept {
        std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs with: heavy_barrier()
    }
    static bool light_barrier_is_free() noexcept { return os::membarrier_available(); }

    // Between a store and a load, on the side that runs rarely. Pairs with: light_barrier() and itself.
    static void heavy_barrier() noexcept {
        detail::meet();
        if (os::membarrier_available()) {
            os::membarrier();
        }
    }

    // As os::futex_wait and os::futex_wake.
    static bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                           std::int64_t deadline_ns) noexcept {
        return os::futex_wait(word.underlying(), expected, deadline_ns);
    }
    static int futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
        return os::futex_wake(word.underlying(), count);
    }
};

// std_atomics with a chaos point before each operation.
struct chaos_atomics : std_atomics {
    template <class T>
    class atomic {
    public:
        constexpr atomic() noexcept : value_() {}
        constexpr explicit atomic(T value) noexcept : value_(value) {}
        atomic(const atomic&) = delete;
        atomic& operator=(const atomic&) = delete;

        T load(std::memory_order order) const noexcept { return disturbed().load(order); }
        void store(T value, std::memory_order order) noexcept { disturbed().store(value, order); }
        T exchange(T value, std::memory_order order) noexcept { return disturbed().exchange(value, order); }
        bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                     std::memory_order failure) noexcept {
            return disturbed().compare_exchange_strong(expected, desired, success, failure);
        }
        bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                                   std::memory_order failure) noexcept {
            return disturbed().compare_exchange_weak(expected, desired, success, failure);
        }
        T fetch_add(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_add(value, order);
        }
        T fetch_sub(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_sub(value, order);
        }
        T fetch_or(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_or(value, order);
        }
        T fetch_and(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_and(value, order);
        }

        std::atomic<T>& underlying() noexcept { return value_.underlying(); }

    private:
        std_atomics::atomic<T>& disturbed() noexcept {
            probe::chaos_point();
            return value_;
        }
        const std_atomics::atomic<T>& disturbed() const noexcept {
            probe::chaos_point();
            return value_;
        }

        std_atomics::atomic<T> value_;
    };

    static bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                           std::int64_t deadline_ns) noexcept {
        return os::futex_wait(word.underlying(), expected, deadline_ns);
    }
    static int futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
        return os::futex_wake(word.underlying(), count);
    }
};

using default_atomics = std::conditional_t<probe::chaos, chaos_atomics, std_atomics>;

}  // namespace lazult::ds
