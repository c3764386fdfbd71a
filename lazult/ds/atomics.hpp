// SPDX-License-Identifier: BSD-3-Clause
// Atomics policies. Every lock-free template takes one, so that the code that ships also runs under
// the model checker of tests/model/. A policy offers what std_atomics offers: an atomic<T> that
// takes an explicit memory order in every operation, a spin hint, an asymmetric barrier and a
// futex.
//
// There are no bare fences: ThreadSanitizer does not model them. The asymmetric barrier orders only
// a Dekker-like pair (store, light_barrier, load) against (store, heavy_barrier, load), or against
// (load, heavy_barrier, load) if the first load reads what a third thread stored. It never
// publishes data; it only decides which thread may go on.
#pragma once

#include "lazult/arch/arch.hpp"
#include "lazult/ds/asymmetric_barrier.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

#include <atomic>
#include <concepts>
#include <cstdint>

namespace lazult::ds {

// The part of std_atomics that needs no asymmetric barrier, because that is built upon this part.
// In chaos builds each operation is a chaos point.
struct plain_atomics {
    template <class T>
    class atomic {
    public:
        constexpr atomic() noexcept : value_(T{}) {}
        constexpr explicit atomic(T value) noexcept : value_(value) {}

        LAZULT_ALWAYS_INLINE T load(std::memory_order order) const noexcept {
            return disturbed().load(order);
        }
        LAZULT_ALWAYS_INLINE void store(T value, std::memory_order order) noexcept {
            disturbed().store(value, order);
        }
        LAZULT_ALWAYS_INLINE T exchange(T value, std::memory_order order) noexcept {
            return disturbed().exchange(value, order);
        }
        LAZULT_ALWAYS_INLINE bool compare_exchange_strong(T& expected, T desired,
                                                          std::memory_order success,
                                                          std::memory_order failure) noexcept {
            return disturbed().compare_exchange_strong(expected, desired, success, failure);
        }
        LAZULT_ALWAYS_INLINE bool compare_exchange_weak(T& expected, T desired,
                                                        std::memory_order success,
                                                        std::memory_order failure) noexcept {
            return disturbed().compare_exchange_weak(expected, desired, success, failure);
        }
        LAZULT_ALWAYS_INLINE T fetch_add(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_add(value, order);
        }
        LAZULT_ALWAYS_INLINE T fetch_sub(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_sub(value, order);
        }
        LAZULT_ALWAYS_INLINE T fetch_or(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_or(value, order);
        }
        LAZULT_ALWAYS_INLINE T fetch_and(T value, std::memory_order order) noexcept
            requires std::integral<T>
        {
            return disturbed().fetch_and(value, order);
        }

        // Returns the standard type, which the futex functions need.
        std::atomic<T>& underlying() noexcept { return value_; }

    private:
        LAZULT_ALWAYS_INLINE std::atomic<T>& disturbed() noexcept {
            probe::chaos_point();
            return value_;
        }
        LAZULT_ALWAYS_INLINE const std::atomic<T>& disturbed() const noexcept {
            probe::chaos_point();
            return value_;
        }

        std::atomic<T> value_;
    };

    LAZULT_ALWAYS_INLINE static void pause() noexcept { arch::pause(); }

    // Keeps the compiler from moving memory accesses across this call.
    LAZULT_ALWAYS_INLINE static void compiler_barrier() noexcept {
        std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs with: heavy_barrier()
    }

    // See os::futex_wait() and os::futex_wake().
    static bool futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected,
                           std::int64_t deadline_ns) noexcept {
        return os::futex_wait(word.underlying(), expected, deadline_ns);
    }
    static int futex_wake(atomic<std::uint32_t>& word, int count) noexcept {
        return os::futex_wake(word.underlying(), count);
    }
};

struct kernel_barrier {
    // has_barrier() and so on: see the parameter `Kernel` of asymmetric_barrier.
    static bool has_barrier() noexcept { return os::membarrier_available(); }
    static bool barrier() noexcept { return os::membarrier(); }
    LAZULT_COLD static void reach_all() noexcept;
    static void wait() noexcept { os::yield_thread(); }
};

inline constinit asymmetric_barrier<plain_atomics, kernel_barrier> barrier_of_process;

struct std_atomics : plain_atomics {
    // Between a store and a load, on the side that runs often. Pairs with: heavy_barrier().
    LAZULT_ALWAYS_INLINE static void light_barrier() noexcept { barrier_of_process.light(); }

    // A light barrier for code that runs only after light_barrier_is_free() has returned true once.
    // It does not check whether the barrier is still free. Stands between a store and a load.
    // Pairs with: barrier_against_free().
    LAZULT_ALWAYS_INLINE static void free_barrier() noexcept { barrier_of_process.nothing(); }
    // If it returns false, no more code may begin to rely on free_barrier(). The answer may change
    // from true to false.
    static bool light_barrier_is_free() noexcept { return barrier_of_process.is_free(); }

    // Between a store and a load, on the side that runs rarely. Pairs with: light_barrier() and
    // itself.
    static void heavy_barrier() noexcept { barrier_of_process.heavy(); }
    // Between a store and a load, on the side that runs rarely. Pairs with: free_barrier().
    static void barrier_against_free() noexcept { barrier_of_process.heavy_against_nothing(); }
};

using default_atomics = std_atomics;

}  // namespace lazult::ds
