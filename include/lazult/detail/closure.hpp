// SPDX-License-Identifier: BSD-3-Clause
// How a callable and its arguments get into a work unit. Not for direct use.
//
// A unit has room for 24 bytes: a word of the library and 16 bytes for the callable. A callable
// that may be copied bytewise is passed in two registers. Another callable that fits is constructed
// in the unit. A larger one is constructed in a recycled block, and the unit holds its address.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::detail {

struct unit;  // a descriptor
using entry_function = void (*)(void*);

inline constexpr std::size_t closure_bytes = 16;
inline constexpr std::size_t closure_alignment = 8;

// Allocates recycled memory, aligned to 64 bytes. Throws error: out_of_memory.
LAZULT_API void* allocate_block(std::size_t bytes);
LAZULT_API void release_block(void* block, std::size_t bytes) noexcept;

// An entry function with this bit set in its argument only destroys the callable.
inline constexpr std::uintptr_t destroy_only = 1;

inline bool is_marked(const void* at) noexcept {
    return (reinterpret_cast<std::uintptr_t>(at) & destroy_only) != 0;
}
inline void* without_mark(void* at) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at) & ~destroy_only);
}

// A callable with copies of its arguments, as std::thread keeps them.
template <class F, class... A>
struct bound {
    F function;
    [[no_unique_address]] std::tuple<A...> arguments;

    template <class G, class... B>
    explicit bound(std::in_place_t, G&& f, B&&... each)
        : function(std::forward<G>(f)), arguments(std::forward<B>(each)...) {}

    decltype(auto) operator()() {
        return std::apply(
            [this](A&... each) -> decltype(auto) {
                return std::invoke(std::move(function), std::move(each)...);
            },
            arguments);
    }
};

// Without arguments, so that it has the size and the triviality of its callable.
template <class F>
struct bound<F> {
    [[no_unique_address]] F function;

    template <class G>
    explicit bound(std::in_place_t, G&& f) : function(std::forward<G>(f)) {}

    decltype(auto) operator()() { return std::invoke(std::move(function)); }
};

template <class C>
inline constexpr bool travels_in_words =
    std::is_trivially_copyable_v<C> && std::is_trivially_destructible_v<C> &&
    sizeof(C) <= closure_bytes && alignof(C) <= closure_alignment;
template <class C>
inline constexpr bool fits_in_unit = sizeof(C) <= closure_bytes && alignof(C) <= closure_alignment;

struct words {
    std::uint64_t first;
    std::uint64_t second;
};

template <class C>
words to_words(const C& closure) noexcept {
    words result{};
    if constexpr (!std::is_empty_v<C>) {
        std::memcpy(&result, &closure, sizeof(C));
    }
    return result;
}

// Finds the callable from its place in the unit. The destructor destroys the callable.
template <class C>
class closure_owner {
public:
    explicit closure_owner(void* place) noexcept : closure_(find(place)) {}
    closure_owner(const closure_owner&) = delete;
    closure_owner& operator=(const closure_owner&) = delete;
    ~closure_owner() {
        std::destroy_at(closure_);
        if constexpr (!fits_in_unit<C>) {
            release_block(closure_, sizeof(C));
        }
    }

    void call() { (*closure_)(); }

    static void destroy(void* place) noexcept { const closure_owner gone(place); }

    // Constructs C(arguments...) at the place, or in a block, and stores the block's address there.
    template <class... A>
    static void make(void* place, A&&... arguments) {
        if constexpr (fits_in_unit<C>) {
            ::new (place) C(std::forward<A>(arguments)...);
        } else {
            ::new (place) void*(make_in_block(std::forward<A>(arguments)...));
        }
    }

    // Constructs C(arguments...) in a block, for a callable that does not fit into a unit. Throws
    // error: out_of_memory; and what C's constructor throws.
    template <class... A>
    static void* make_in_block(A&&... arguments) {
        static_assert(alignof(C) <= 64, "a callable that is aligned to more than a cache line");
        void* block = allocate_block(sizeof(C));
        try {
            return ::new (block) C(std::forward<A>(arguments)...);
        } catch (...) {
            release_block(block, sizeof(C));
            throw;
        }
    }

private:
    static C* find(void* place) noexcept {
        if constexpr (fits_in_unit<C>) {
            return std::launder(static_cast<C*>(place));
        } else {
            return static_cast<C*>(*std::launder(static_cast<void**>(place)));
        }
    }

    C* closure_;
};

}  // namespace lazult::detail
