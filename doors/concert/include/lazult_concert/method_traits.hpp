// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a function is as a method: its arguments, its result, and how it is called.
#pragma once

#include <lazult_concert/outcome.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::concert {

namespace detail {

// `type` is the type of a function's first parameter, or void if the function has none. A generic
// function object has no `type`, because its parameters are not known before a call.
template <class F>
struct first_argument {};
template <class F>
    requires requires { &F::operator(); }
struct first_argument<F> : first_argument<decltype(&F::operator())> {};
template <class R, class... A>
struct first_argument<R (*)(A...)> {
    using type = std::tuple_element_t<0, std::tuple<A..., void>>;
};
template <class R, class... A>
struct first_argument<R (*)(A...) noexcept> : first_argument<R (*)(A...)> {};
template <class R, class C, class... A>
struct first_argument<R (C::*)(A...) const> : first_argument<R (*)(A...)> {};
template <class R, class C, class... A>
struct first_argument<R (C::*)(A...) const noexcept> : first_argument<R (*)(A...)> {};
template <class R, class C, class... A>
struct first_argument<R (C::*)(A...)> : first_argument<R (*)(A...)> {};
template <class R, class C, class... A>
struct first_argument<R (C::*)(A...) noexcept> : first_argument<R (*)(A...)> {};

template <class T>
struct is_caller : std::false_type {};
template <class R>
struct is_caller<caller<R>> : std::true_type {
    using value_type = R;
};

template <class F>
concept has_known_arguments = requires { typename first_argument<F>::type; };

// Whether a parameter is a reference.
template <class F>
struct takes_references : std::false_type {};
template <class F>
    requires requires { &F::operator(); }
struct takes_references<F> : takes_references<decltype(&F::operator())> {};
template <class R, class... A>
struct takes_references<R (*)(A...)> : std::bool_constant<(std::is_reference_v<A> || ...)> {};
template <class R, class C, class... A>
struct takes_references<R (C::*)(A...) const> : takes_references<R (*)(A...)> {};

template <class F>
struct takes_caller : std::false_type {};
template <has_known_arguments F>
struct takes_caller<F> : is_caller<typename first_argument<F>::type> {};

// What a call of F with A... returns, and by which schema it is called.
template <class F, class... A>
struct method_traits {
    using returned = std::invoke_result_t<F&, A...>;
    using value_type = typename outcome_type<returned>::value_type;
    static constexpr bool is_passed_its_caller = false;
    static constexpr bool may_block = outcome_type<returned>::is_outcome;
    static_assert(
        !outcome_type<returned>::is_coroutine || !takes_references<F>::value,
        "a coroutine's parameters are values: what a reference names is gone when it waits");
};
template <class F, class... A>
    requires(takes_caller<F>::value)
struct method_traits<F, A...> {
    using value_type = typename takes_caller<F>::value_type;
    static constexpr bool is_passed_its_caller = true;
    static constexpr bool may_block = true;
};

// What a method that may block returned, as an outcome. One that is a coroutine has not begun.
template <class R>
outcome<R> outcome_from(outcome<R>&& returned) {
    return std::move(returned);
}
template <class F, class... A>
[[gnu::always_inline]] inline auto outcome_from(pending_call<F, A...>&& returned) {
    return outcome<typename method_traits<F, A...>::value_type>(std::move(returned));
}
template <class Task>
auto outcome_from(Task&& returned) -> decltype(std::forward<Task>(returned).start()) {
    return std::forward<Task>(returned).start();
}

// Of what a thread or a group of calls returns, as an outcome.
template <class T>
using outcome_of = outcome<typename outcome_type<T>::value_type>;

}  // namespace detail

}  // namespace lazult::concert
