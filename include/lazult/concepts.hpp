// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Concepts of what may be passed to the templates of the library. If a compiler refuses a call, it
/// names one of these, and the part of it that does not hold.
#pragma once

#include <lazult/export.hpp>

#include <concepts>
#include <functional>
#include <iterator>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace lazult {

/// Values of which a thread or task can keep a copy, or which can be moved into it.
template <class... A>
concept can_be_kept = (std::constructible_from<std::decay_t<A>, A> && ...);

/// A callable that can be called once, as std::thread calls it: with copies of the arguments.
template <class F, class... A>
concept callable_with = can_be_kept<F, A...> && std::invocable<std::decay_t<F>, std::decay_t<A>...>;

/// A callable for a thread. It takes the arguments, or a std::stop_token and then the arguments.
template <class F, class... A>
concept thread_callable =
    can_be_kept<F, A...> && (std::invocable<std::decay_t<F>, std::stop_token, std::decay_t<A>...> ||
                             std::invocable<std::decay_t<F>, std::decay_t<A>...>);

/// A callable for a task. It takes no arguments.
template <class F>
concept task_callable = callable_with<F>;

/// An element type of a channel. Elements move under a spin lock, so moving must not throw. If the
/// move of a type may throw, send a std::unique_ptr to it instead.
template <class T>
concept moves_without_throwing = std::is_object_v<T> && std::is_nothrow_move_constructible_v<T> &&
                                 std::is_nothrow_destructible_v<T>;

/// The type of a loop's bounds: indices, or random access iterators.
template <class I>
concept loop_index = std::integral<I> || std::random_access_iterator<I>;

namespace detail {

template <class I>
struct loop_element {
    using type = I;
};
template <class I>
    requires(!std::integral<I>)
struct loop_element<I> {
    using type = std::iter_reference_t<I>;
};
template <class I>
using loop_element_t = typename loop_element<I>::type;

}  // namespace detail

/// A loop body. Several threads call it at once, with an index or with an iterator's element.
template <class Body, class I>
concept loop_body = loop_index<I> && requires(std::remove_reference_t<Body>& body,
                                              detail::loop_element_t<I>&& element) {
    body(std::forward<detail::loop_element_t<I>>(element));
};

/// The functions of a reduction: map(element) makes a T, and combine(T, T) makes one T of two.
template <class Map, class Combine, class T, class I>
concept reduction_over =
    loop_index<I> && std::copy_constructible<T> && std::movable<T> &&
    requires(std::remove_reference_t<Map>& map, std::remove_reference_t<Combine>& combine, T value,
             detail::loop_element_t<I>&& element) {
        {
            combine(std::move(value), map(std::forward<detail::loop_element_t<I>>(element)))
        } -> std::convertible_to<T>;
        { combine(std::move(value), std::move(value)) } -> std::convertible_to<T>;
    };

}  // namespace lazult
