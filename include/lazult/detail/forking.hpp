// SPDX-License-Identifier: BSD-3-Clause
// The implementation of lazult::forker for each kind of callable. Not for direct use.
#pragma once

#include <lazult/detail/latent.hpp>
#include <lazult/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace lazult {

class forker;

namespace detail {

struct forker_access;

struct no_value {};

template <class F>
using forked_result = std::invoke_result_t<F&, forker>;
// The value of such a call, or no_value if it returns void.
template <class F>
using forked_value =
    std::conditional_t<std::is_void_v<forked_result<F>>, no_value, std::decay_t<forked_result<F>>>;

template <class C>
C from_words(words w) noexcept {
    alignas(C) std::byte place[sizeof(C)];
    std::memcpy(place, &w, sizeof(C));
    return *std::launder(reinterpret_cast<C*>(place));
}

// Calls function(forker at `next`). Access is forker_access, as a parameter because that is
// complete only where this is used.
template <class F, class Access = forker_access>
[[gnu::always_inline]] inline forked_value<F> value_of(F& function, latent_slot* next) {
    if constexpr (std::is_void_v<forked_result<F>>) {
        std::invoke(function, Access::at(next));
        return {};
    } else {
        return std::invoke(function, Access::at(next));
    }
}

template <class C>
inline constexpr bool is_copied_as_words = travels_in_words<C> && std::is_copy_constructible_v<C>;
template <class F>
inline constexpr bool forks_in_words = is_copied_as_words<F> && is_copied_as_words<forked_value<F>>;

// A callable that is copied bytewise into the slot. Its value is copied bytewise, too.
template <class F>
struct copied_call {
    using value_type = forked_value<F>;
    F function;

    [[gnu::always_inline]] void put_into(words& closure) const noexcept {
        if constexpr (!std::is_empty_v<F>) {
            std::memcpy(&closure, &function, sizeof(F));
        }
    }
    [[gnu::always_inline]] value_type make(latent_slot* next) { return value_of(function, next); }
    value_type take(words value) noexcept { return from_words<value_type>(value); }
    static words call(words closure, latent_slot* next) {
        F function = from_words<F>(closure);
        return to_words(value_of(function, next));
    }
};

// Any other callable stays in its caller's frame, with room for its value.
template <class F>
struct framed_call {
    using value_type = forked_value<F>;
    F& function;
    std::optional<value_type> value{};

    void put_into(words& closure) noexcept {
        closure.first = reinterpret_cast<std::uintptr_t>(this);
    }
    value_type make(latent_slot* next) { return value_of(function, next); }
    value_type take(words) { return *std::move(value); }
    static words call(words closure, latent_slot* next) {
        auto& self = *reinterpret_cast<framed_call*>(closure.first);
        self.value.emplace(value_of(self.function, next));
        return {};
    }
};

template <class F>
using kept_call = std::conditional_t<forks_in_words<F>, copied_call<F>, framed_call<F>>;

// Opens slots, and closes them at the end of its scope. If memory is exhausted, first() is null.
class opened_slots {
public:
    explicit opened_slots(latent_slot* last = nullptr) noexcept : first_(open_slots(last)) {}
    opened_slots(const opened_slots&) = delete;
    opened_slots& operator=(const opened_slots&) = delete;
    ~opened_slots() {
        if (first_ != nullptr) {
            close_slots(first_);
        }
    }
    latent_slot* first() const noexcept { return first_; }

private:
    latent_slot* first_;
};

// Keeps a call in its slot until let_go(). If an exception passes, the destructor drops the call.
class held_slot {
public:
    [[gnu::always_inline]] explicit held_slot(latent_slot* slot) noexcept : slot_(slot) {}
    held_slot(const held_slot&) = delete;
    held_slot& operator=(const held_slot&) = delete;
    [[gnu::always_inline]] ~held_slot() {
        if (slot_ != nullptr) [[unlikely]] {
            abandon(slot_);
        }
    }
    [[gnu::always_inline]] latent_slot* let_go() noexcept { return std::exchange(slot_, nullptr); }
    latent_slot* get() const noexcept { return slot_; }

private:
    latent_slot* slot_;
};

// Holds a call that was given away. await() waits for its value; the destructor drops the call.
class held_given {
public:
    explicit held_given(given_call* given) noexcept : given_(given) {}
    held_given(const held_given&) = delete;
    held_given& operator=(const held_given&) = delete;
    ~held_given() {
        if (given_ != nullptr) {
            abandon(given_);
        }
    }
    words await() { return detail::await(std::exchange(given_, nullptr)); }

private:
    given_call* given_;
};

template <class Kept>
[[gnu::always_inline]] inline void put(latent_slot* mine, Kept& kept) noexcept {
    kept.put_into(mine->closure);
    mine->call.store(Kept::call, std::memory_order_relaxed);
}

template <class Kept>
// Takes the call back from a slot that wants attention. Another stream may have made it.
[[gnu::noinline]] typename Kept::value_type take_with_attention(latent_slot* mine, Kept kept) {
    words value;
    return take_back(mine, value) ? kept.make(mine) : kept.take(value);
}

// Makes the call that put() has stored, or takes its value if another stream has made the call.
template <class F>
[[gnu::always_inline]] inline forked_value<F> take(latent_slot* mine, copied_call<F>& kept) {
    if (mine->attention.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        return take_with_attention(mine, kept);
    }
    mine->call.store(nullptr, std::memory_order_relaxed);
    return kept.make(mine);
}
template <class F>
forked_value<F> take(latent_slot* mine, framed_call<F>& kept) {
    words value{};
    if (mine->attention.load(std::memory_order_relaxed) != 0 && !take_back(mine, value)) {
        return kept.take(value);
    }
    mine->call.store(nullptr, std::memory_order_relaxed);
    return kept.make(mine);
}

template <class F, class G>
using fork_values = std::pair<forked_value<F>, forked_value<G>>;

template <class F, class G>
[[gnu::always_inline]] inline fork_values<F, G> keep_second(latent_slot* mine, F& first,
                                                            kept_call<G>& second) {
    put(mine, second);
    held_slot held(mine);
    forked_value<F> value = value_of(first, mine + 1);
    held.let_go();
    return {std::move(value), take(mine, second)};
}

template <class F, class G>
fork_values<F, G> call_both(latent_slot* mine, F& first, kept_call<G>& second) {
    forked_value<F> value = value_of(first, mine);
    return {std::move(value), second.make(mine)};
}

// Gives the first call to an idle stream and makes the second call here. The second call may fork
// again, and the caller can then give away the first call of that fork, too.
template <class F, class G>
fork_values<F, G> give_first(latent_slot* mine, F& first, kept_call<G>& second) {
    framed_call<F> away{first};
    words closure{};
    away.put_into(closure);
    given_call* const given = give(mine, framed_call<F>::call, closure);
    if (given == nullptr) {
        return call_both<F, G>(mine, first, second);
    }
    held_given held(given);
    forked_value<G> value = second.make(mine);
    return {away.take(held.await()), std::move(value)};
}

template <class F, class G>
fork_values<F, G> fork_in_more_slots(latent_slot* last, F& first, kept_call<G>& second) {
    const opened_slots more(last);
    return more.first() == nullptr ? call_both<F, G>(last, first, second)
                                   : keep_second<F, G>(more.first(), first, second);
}

// Small callables are passed by value, so that the caller may keep them in registers.
template <class F>
using by_value_if_small = std::conditional_t<is_copied_as_words<F>, F, F&>;
template <class Kept>
using kept_by_value_if_small = std::conditional_t<std::is_trivially_copyable_v<Kept>, Kept, Kept&>;

template <class F, class G>
[[gnu::noinline]] fork_values<F, G> fork_with_attention(
    latent_slot* mine, by_value_if_small<F> first, kept_by_value_if_small<kept_call<G>> second) {
    switch (choose_fork(mine)) {
        case fork_choice::keep: return keep_second<F, G>(mine, first, second);
        case fork_choice::give: return give_first<F, G>(mine, first, second);
        default: return fork_in_more_slots<F, G>(mine, first, second);
    }
}

template <class F, class G>
[[gnu::always_inline]] inline fork_values<F, G> fork_both(latent_slot* mine, F& first,
                                                          kept_call<G> second) {
    if (mine->attention.load(std::memory_order_relaxed) != 0) [[unlikely]] {
        return fork_with_attention<F, G>(mine, first, second);
    }
    return keep_second<F, G>(mine, first, second);
}

// Returns the address of a function, and any other callable itself.
template <class F>
constexpr decltype(auto) as_object(F& callable) noexcept {
    if constexpr (std::is_function_v<F>) {
        return &callable;
    } else {
        return (callable);
    }
}

// Returns the values of two calls: a pair, the one value if only one call has one, or nothing.
template <class A, class B>
[[gnu::always_inline]] inline auto present(std::pair<A, B>&& values) {
    if constexpr (std::same_as<A, no_value> && std::same_as<B, no_value>) {
        return;
    } else if constexpr (std::same_as<A, no_value>) {
        return std::move(values.second);
    } else if constexpr (std::same_as<B, no_value>) {
        return std::move(values.first);
    } else {
        return std::move(values);
    }
}

}  // namespace detail
}  // namespace lazult
