// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Waits for the first of several threads, futures, channels and other objects.
#pragma once

#include <lazult/channel.hpp>
#include <lazult/detail/deadline.hpp>
#include <lazult/eventual.hpp>
#include <lazult/export.hpp>
#include <lazult/future.hpp>
#include <lazult/semaphore.hpp>
#include <lazult/thread.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace lazult {

namespace detail {

struct raw_choice {
    enum class kind : std::uint8_t { finished, set, acquired, sent, received };

    kind what;
    void* object;
    void* buffer;
};

inline constexpr std::size_t nobody = ~std::size_t{0};  // in raw_result: none of the choices

struct raw_result {
    std::size_t index;  // the choice that is done; nobody: the time is over, or a stop requested
    bool closed;        // that choice was a channel, which is closed
};

// May suspend. Throws error.
LAZULT_API raw_result wait_any_raw(std::span<const raw_choice> choices, std::int64_t deadline,
                                   const std::stop_token* stop = nullptr);

// A choice that needs no further work when it wins.
struct plain_choice {
    raw_choice raw;

    const raw_choice& as_raw() noexcept { return raw; }
    void complete(bool) noexcept {}
};

template <class T>
struct receive_choice {
    channel<T>* from;
    std::optional<T>* into;
    channel_slot<T> slot;
    raw_choice raw{};

    const raw_choice& as_raw() noexcept {
        return raw = {raw_choice::kind::received, &from->as_base(), slot.place()};
    }
    void complete(bool closed) { *into = closed ? std::nullopt : slot.take(); }
};

template <class T>
struct send_choice {
    raw_choice raw;
    bool* sent;

    const raw_choice& as_raw() noexcept { return raw; }
    void complete(bool closed) noexcept { *sent = !closed; }
};

inline plain_choice to_choice(thread& t) noexcept {
    return {{raw_choice::kind::finished, t.native_handle(), nullptr}};
}
template <class T>
plain_choice to_choice(const future_base<T>& f) {
    return {{raw_choice::kind::set, &f.as_event(), nullptr}};
}
template <class T>
plain_choice to_choice(eventual<T>& e) noexcept {
    return {{raw_choice::kind::set, &e.as_event(), nullptr}};
}
template <class T>
plain_choice to_choice(compartments<T>& c) noexcept {
    return {{raw_choice::kind::set, &c.as_event(), nullptr}};
}
inline plain_choice to_choice(semaphore_base& s) noexcept {
    return {{raw_choice::kind::acquired, &s, nullptr}};
}
template <class T>
receive_choice<T>& to_choice(receive_choice<T>&& choice) noexcept {
    return choice;
}
template <class T>
send_choice<T>& to_choice(send_choice<T>&& choice) noexcept {
    return choice;
}

template <class... C>
std::optional<std::size_t> wait_any_of(std::int64_t deadline, const std::stop_token* stop,
                                       C&&... choices) {
    const std::array<raw_choice, sizeof...(C)> raw{choices.as_raw()...};
    const raw_result first = wait_any_raw(raw, deadline, stop);
    if (first.index == nobody) {
        return std::nullopt;
    }
    std::size_t index = 0;
    ((index++ == first.index ? choices.complete(first.closed) : void()), ...);
    return first.index;
}

template <class Things>
std::optional<std::size_t> wait_any_in(Things& things, std::int64_t deadline) {
    std::vector<raw_choice> raw;
    for (auto& thing : things) {
        raw.push_back(to_choice(thing).as_raw());
    }
    const raw_result first = wait_any_raw(raw, deadline);
    return first.index == nobody ? std::nullopt : std::optional(first.index);
}

}  // namespace detail

/// An object for which wait_any can wait: a thread, a future, an eventual, compartments, a
/// semaphore, or the result of receive_from() or send_to().
template <class C>
concept waitable = requires(C&& thing) { detail::to_choice(std::forward<C>(thing)); };

/// For wait_any: receives an element of a channel into `into`; nothing if the channel is closed.
template <class T>
detail::receive_choice<T> receive_from(channel<T>& from, std::optional<T>& into) noexcept {
    return {&from, &into, {}};
}
/// For wait_any: sends the value by a move. `sent` becomes false if the channel is closed.
template <class T>
detail::send_choice<T> send_to(channel<T>& to, T& value, bool& sent) noexcept {
    return {{detail::raw_choice::kind::sent, &to.as_base(), &value}, &sent};
}

/// Waits until the first of these is done, and returns its index: a thread has ended (it must still
/// be joined), a future or an eventual is set, a semaphore gave a token, a channel took or gave an
/// element. Changes none of the others. If several need no wait, it takes the first. May suspend.
/// Throws error: cannot_suspend (in a tasklet), already_joined, invalid_handle. Model: Go's select.
template <waitable... C>
    requires(sizeof...(C) > 0)
std::size_t wait_any(C&&... things) {
    return *detail::wait_any_of(detail::no_deadline, nullptr,
                                detail::to_choice(std::forward<C>(things))...);
}
/// Does what wait_any() does, but returns nothing when a stop is requested first.
template <class... C>
    requires(sizeof...(C) > 0)
std::optional<std::size_t> wait_any(std::stop_token stop, C&&... things) {
    return detail::wait_any_of(detail::no_deadline, &stop,
                               detail::to_choice(std::forward<C>(things))...);
}
/// Does what wait_any() does, but returns nothing if none is done within `span`.
template <class Rep, class Period, waitable... C>
    requires(sizeof...(C) > 0)
std::optional<std::size_t> wait_any_for(std::chrono::duration<Rep, Period> span, C&&... things) {
    return detail::wait_any_of(detail::deadline_after(span), nullptr,
                               detail::to_choice(std::forward<C>(things))...);
}

/// Does what the other wait_any() does, for a span of threads, futures or eventuals. May suspend.
template <class T>
    requires waitable<T&>
std::size_t wait_any(std::span<T> things) {
    return *detail::wait_any_in(things, detail::no_deadline);
}
/// Does what wait_any() does for a span, but returns nothing if none is done within `span`.
template <class T, class Rep, class Period>
    requires waitable<T&>
std::optional<std::size_t> wait_any_for(std::chrono::duration<Rep, Period> span,
                                        std::span<T> things) {
    return detail::wait_any_in(things, detail::deadline_after(span));
}

}  // namespace lazult
