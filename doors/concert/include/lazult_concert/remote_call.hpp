// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Calls that go where their object is, or to a place: create, destroy, unguarded, and the forms of
/// call() that take a global_ptr or a place.
#pragma once

#include <lazult_concert/object.hpp>
#include <lazult_concert/remote_error.hpp>
#include <lazult_concert/transfer.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::concert {

namespace detail {

// --- what a message brings

// Answers a call that came by a message: at once if the method has ended, else when its context
// has the result.
template <class R>
void answer(message_caller& by, outcome<R>& result) {
    context* const waits = blocked_by(result);
    if ((by.made != nullptr) != (waits == &by)) [[unlikely]] {
        refuse_return();
    }
    counters& count = here.inside->count;
    ++(waits == nullptr ? count.served : count.served_later);
    if (waits == nullptr) {
        resolve<R>(by.to, value_in(result));
    } else if (waits != &by) {
        set_continuation(waits, by.to);
    }
}

// Inside the strand that the message is for. `Method` is called with a caller and the arguments,
// which follow the method in the message.
template <class R, class Method, class... A>
void receive_call(arrival& from) {
    message_caller by(from.head.to);
    try {
        // Braces evaluate from left to right.
        std::tuple<Method, A...> all{transfer<Method>::get(from.rest),
                                     transfer<A>::get(from.rest)...};
        outcome<R> result = std::apply(
            [&](Method& method, A&... a) {
                return method(caller<R>(&message_kind, &by.made), std::move(a)...);
            },
            all);
        answer(by, result);
    } catch (...) {
        if (by.made != nullptr) [[unlikely]] {
            refuse_return();
        }
        resolve_with_error<R>(by.to, std::current_exception());
    }
}

// Sends a call to the strand `home`. The caller waits for its result.
template <class R, class Method, class... A>
[[gnu::cold, gnu::noinline]] outcome<R> send_call(caller<R> by, std::uint32_t home, Method method,
                                                  const A&... arguments) {
    static_assert((transferable<A> && ...),
                  "an argument for another place must be able to travel: see transfer");
    static_assert(transferable<value_of<R>>,
                  "a result from another place must be able to travel: see transfer");
    departure m;
    m.head.home = home;
    transfer<Method>::put(m.bytes, method);
    (transfer<A>::put(m.bytes, arguments), ...);
    m.head.to = by.take().words();
    ++here.inside->count.sent_calls;
    try {
        send_message(m, receive_call<R, Method, A...>);
    } catch (...) {
        resolve_with_error<R>(m.head.to, std::current_exception());
    }
    return by.given();
}

// --- what a method of an object is

// How a function takes its object: `type` is the object's type with const, or void.
template <class A>
struct object_parameter {
    using type = void;
};
template <class T>
struct object_parameter<T&> {
    using type = T;
};
template <class F>
struct object_of_function {
    using type = void;
};
template <class F>
    requires requires { &F::operator(); }
struct object_of_function<F> : object_of_function<decltype(&F::operator())> {};
template <class R, class First, class... A>
struct object_of_function<R (*)(First, A...)> : object_parameter<First> {};
template <class R, class V, class Second, class... A>
struct object_of_function<R (*)(caller<V>, Second, A...)> : object_parameter<Second> {};
template <class R, class... A>
struct object_of_function<R (*)(A...) noexcept> : object_of_function<R (*)(A...)> {};
template <class R, class C, class... A>
struct object_of_function<R (C::*)(A...) const> : object_of_function<R (*)(A...)> {};
template <class R, class C, class... A>
struct object_of_function<R (C::*)(A...) const noexcept> : object_of_function<R (*)(A...)> {};

// A pointer to a member function names the object's type.
template <class F>
struct object_of_method : object_of_function<F> {};
template <class R, class C, class... A>
struct object_of_method<R (C::*)(A...)> {
    using type = C;
};
template <class R, class C, class... A>
struct object_of_method<R (C::*)(A...) noexcept> {
    using type = C;
};
template <class R, class C, class... A>
struct object_of_method<R (C::*)(A...) const> {
    using type = const C;
};
template <class R, class C, class... A>
struct object_of_method<R (C::*)(A...) const noexcept> {
    using type = const C;
};

// Says that F is a method of objects of type T.
template <class F, class T>
concept method_of = std::is_base_of_v<std::remove_const_t<typename object_of_method<F>::type>, T>;

// A member function, as a function with the same parameters.
template <class F>
struct plain_function;
template <class R, class C, class... A>
struct plain_function<R (C::*)(A...)> {
    using type = R (*)(A...);
};
template <class R, class C, class... A>
struct plain_function<R (C::*)(A...) const> {
    using type = R (*)(A...);
};
template <class R, class C, class... A>
struct plain_function<R (C::*)(A...) noexcept> {
    using type = R (*)(A...);
};
template <class R, class C, class... A>
struct plain_function<R (C::*)(A...) const noexcept> {
    using type = R (*)(A...);
};

// Whether a parameter besides the object is a reference.
template <class F>
struct takes_other_references : std::false_type {};
template <class F>
    requires(std::is_member_function_pointer_v<F>)
struct takes_other_references<F> : takes_references<typename plain_function<F>::type> {};
template <class F>
    requires requires { &F::operator(); }
struct takes_other_references<F>
    : takes_other_references<typename plain_function<decltype(&F::operator())>::type> {};
template <class R, class First, class... A>
struct takes_other_references<R (*)(First, A...)>
    : std::bool_constant<(std::is_reference_v<A> || ...)> {};
template <class R, class V, class Second, class... A>
struct takes_other_references<R (*)(caller<V>, Second, A...)>
    : std::bool_constant<(std::is_reference_v<A> || ...)> {};

// Calls the method `f` of the object.
template <class F, class T, class R, class... A>
[[gnu::always_inline]] inline decltype(auto) invoke_on(F& f, [[maybe_unused]] caller<R> by,
                                                       T& object, A&... arguments) {
    if constexpr (std::is_member_function_pointer_v<F>) {
        if constexpr (takes_caller<F>::value) {
            return (object.*f)(by, std::move(arguments)...);
        } else {
            return (object.*f)(std::move(arguments)...);
        }
    } else if constexpr (takes_caller<F>::value) {
        return f(by, object, std::move(arguments)...);
    } else {
        return f(object, std::move(arguments)...);
    }
}

template <class F, class T, class... A>
struct object_result {
    using returned = decltype(invoke_on(std::declval<F&>(), std::declval<caller<int>>(),
                                        std::declval<T&>(), std::declval<A&>()...));
    using type = typename outcome_type<returned>::value_type;
};
template <class F, class T, class... A>
    requires(takes_caller<F>::value)
struct object_result<F, T, A...> {
    using type = typename takes_caller<F>::value_type;
};

// Not a function: it ends the object.
struct destroyer {};

template <class T>
struct object_result_of_destroyer {
    using type = void;
};
template <class T, class... A>
    requires(sizeof...(A) == 0)
struct object_result<destroyer, T, A...> : object_result_of_destroyer<T> {};

enum class guard : bool { none, implied };

// A call of method F of an object. It takes a caller, because it needs its continuation where the
// object is elsewhere or held.
template <guard Guard, class F, class T, class... A>
struct object_method {
    using R = typename object_result<F, T, A...>::type;
    using object =
        std::conditional_t<std::is_const_v<typename object_of_method<F>::type>, const T, T>;
    static constexpr bool reads = std::is_const_v<object>;
    using hold = stack_hold<reads>;

    [[no_unique_address]] F method;

    [[gnu::always_inline]] outcome<R> operator()(caller<R> by, global_ptr<T> of, A... a) {
        strand_data& in = *here.inside;
        const object_words& name = of.words();
        if (name.home() != in.home) [[unlikely]] {
            return go_there(by, std::move(*this), of, a...);
        }
        object_header& h = *name.address();
        if (h.generation != name.generation()) [[unlikely]] {
            refuse_name(name);
        }
        if constexpr (Guard == guard::none) {
            return call_inside(by, h, a...);
        } else {
            if (!begin_at_once<reads>(h)) [[unlikely]] {
                return enter_late(by, h, std::move(*this), std::move(a)...);
            }
            hold mine(&h);
            return call_held(mine, by, h, a...);
        }
    }

    // The method is inside the object. `mine` is empty if a caller of it holds the object.
    [[gnu::always_inline]] outcome<R> call_held(hold& mine, caller<R> by, object_header& h,
                                                A&... a) {
        if constexpr (std::is_same_v<F, destroyer>) {
            if (mine.of() == nullptr) {
                refuse_to_end_itself();
            }
            if (h.size_class == object_header::in_array) {
                refuse_to_end_element();
            }
            mine.give_up();
            end_object(h);
            return {};
        } else {
            outcome<R> result = call_inside(by, h, a...);
            context* const waits = blocked_by(result);
            if (waits == nullptr || mine.of() == nullptr || by.is_given(waits)) [[likely]] {
                return result;
            }
            return keep_inside<R>(mine, waits);
        }
    }

private:
    [[gnu::always_inline]] outcome<R> call_inside(caller<R> by, object_header& h, A&... a) {
        using returned = decltype(invoke_on(method, by, std::declval<object&>(), a...));
        static_assert(
            !outcome_type<returned>::is_coroutine || !takes_other_references<F>::value,
            "a coroutine's parameters are values: what a reference names is gone when it waits");
        auto& self = *static_cast<object*>(h.body);
        if constexpr (outcome_type<returned>::is_outcome) {
            return outcome_from(invoke_on(method, by, self, a...));
        } else if constexpr (std::is_void_v<R>) {
            invoke_on(method, by, self, a...);
            return {};
        } else {
            return invoke_on(method, by, self, a...);
        }
    }
    [[gnu::cold, gnu::noinline]] static outcome<R> go_there(caller<R> by, object_method self,
                                                            global_ptr<T> of, const A&... a) {
        if (!of) {
            refuse_name(of.words());
        }
        return send_call<R>(by, of.words().home(), std::move(self), of, a...);
    }
    [[gnu::cold, gnu::noinline]] static outcome<R> enter_late(caller<R> by, object_header& h,
                                                              object_method self, A... a);
};

// Waits until the method may be inside the object.
struct entrance {
    outcome<context_hold> operator()(caller<context_hold> by, object_words name, bool reads) const {
        object_header& h = *name.address();
        if (h.generation != name.generation()) {
            refuse_name(name);
        }
        if (may_enter(h, reads)) {
            return context_hold(h, reads);
        }
        const continuation_words to = by.take().words();
        try {
            wait_for_object(h, to, reads);
        } catch (...) {
            resolve_with_error<context_hold>(to, std::current_exception());
        }
        return by.given();
    }
};

// The call of a method that has been let in.
template <class Method, class T, class... A>
struct entered_call {
    using R = typename Method::R;
    outcome<R> operator()(caller<R> by, Method method, context_hold entered, A... a) const {
        object_header& h = entered.to_stack();
        typename Method::hold mine(&h);
        return method.call_held(mine, by, h, a...);
    }
};

template <class Method, class T, class... A>
struct call_when_inside {
    outcome<typename Method::R> operator()(Method method, std::tuple<A...> arguments,
                                           context_hold entered) const {
        return std::apply(
            [&](A&... a) -> outcome<typename Method::R> {
                return pending_call<entered_call<Method, T, A...>, Method, context_hold, A...>(
                    {}, std::move(method), std::move(entered), std::move(a)...);
            },
            arguments);
    }
};

template <guard Guard, class F, class T, class... A>
auto object_method<Guard, F, T, A...>::enter_late(caller<R> by, object_header& h,
                                                  object_method self, A... a) -> outcome<R> {
    if (may_enter_again(*here.inside, h, reads)) {
        hold none(nullptr);
        return self.call_held(none, by, h, a...);
    }
    return call_group(pending_call<entrance, object_words, bool>({}, words_of(h), reads))
        .keep(std::move(self), std::tuple<A...>(std::move(a)...))
        .then(call_when_inside<object_method, T, A...>{});
}

// --- calls at a place

// A method F that takes a caller or not, as one that does.
template <class F, class... A>
struct here_method {
    using R = typename method_traits<F, A...>::value_type;

    [[no_unique_address]] F method;

    outcome<R> operator()([[maybe_unused]] caller<R> by, A... a) {
        using traits = method_traits<F, A...>;
        if constexpr (traits::is_passed_its_caller) {
            return method(by, std::move(a)...);
        } else if constexpr (traits::may_block) {
            return outcome_from(method(std::move(a)...));
        } else if constexpr (std::is_void_v<R>) {
            method(std::move(a)...);
            return {};
        } else {
            return method(std::move(a)...);
        }
    }
};

template <class F, class... A>
struct placed_method {
    using R = typename here_method<F, A...>::R;

    [[no_unique_address]] F method;

    outcome<R> operator()(caller<R> by, place where, A... a) {
        const std::uint32_t home = home_of(where);
        here_method<F, A...> called{std::move(method)};
        if (home == here.inside->home) {
            return called(by, std::move(a)...);
        }
        return send_call<R>(by, home, std::move(called), a...);
    }
};

// Calls `f` as a method of the object, not as a function that takes a global_ptr.
template <class F, class T, class... A>
concept object_call = method_of<F, T> && !std::is_invocable_v<F&, global_ptr<T>, A...>;

template <guard Guard, class F, class T, class... A>
using pending_object_call = pending_call<object_method<Guard, F, T, A...>, global_ptr<T>, A...>;
template <class F, class... A>
using pending_placed_call = pending_call<placed_method<F, A...>, place, A...>;

template <class T>
struct creator {
    template <class... A>
    global_ptr<T> operator()(A... arguments) const;
};

template <auto Method>
struct unguarded_method {};

}  // namespace detail

/// A method that makes an object where it runs: call(on(3), create<T>, arguments...) makes it on
/// rank 3, call(create<T>, arguments...) in the caller's own strand. Gives its name. The object
/// lives until it is destroyed. Throws std::bad_alloc, and what T's constructor throws. Source:
/// Concert, section 5 (placement).
template <class T>
inline constexpr detail::creator<T> create{};

/// Ends an object, wherever it lives: call(destroy, pointer). It waits like a method that writes.
/// Methods that wait behind it end with error: freed_handle. Fails with error: would_deadlock,
/// inside a method of the object itself; invalid_argument, for an element of an array.
inline constexpr detail::destroyer destroy{};

/// A method that runs without exclusion: call(unguarded<&T::method>, pointer, arguments...) neither
/// waits for methods inside the object nor keeps others out. All run one at a time still, because
/// they run in one strand; but it may see what a method that waits has half done.
template <auto Method>
inline constexpr detail::unguarded_method<Method> unguarded{};

/// A call of a method of an object, wherever it lives. The method is a member function of T, or a
/// function whose first parameter, after caller<R>, is T& or const T&.
///
///     call(&counter::add, pointer, 5)
///
/// A method that is const, or takes a const T&, reads; all others write. One that writes is inside
/// the object alone; several that read may be inside together. A method is inside until its result
/// is there, also while it waits; one that takes its continuation leaves when it returns. The
/// others wait in the order in which they came. A method that is called by a method inside the
/// object may enter, if all calls from that one to it were calls in the same strand; one that
/// writes may not, while others than its caller read. It has no hold of its own: if its outcome is
/// dropped, it may go on after its caller has let others in. Where the object is in the caller's
/// strand and free, all that is a plain call.
///
/// Arguments and result must be able to travel: see transfer. Fails with error: freed_handle, if
/// the object was destroyed; invalid_handle, if the pointer is null; invalid_argument, if the
/// message is too long; shutting_down, if the session was stopped. What fails on another rank, the
/// method included, fails with remote_error. Source: Concert, sections 5 and 6.
template <class F, class T, class... A>
    requires detail::object_call<F, T, A...>
[[gnu::always_inline]] inline auto call(F method, global_ptr<T> object, A... arguments) {
    detail::check_call<F, A...>();
    using method_type = detail::object_method<detail::guard::implied, F, T, A...>;
    return detail::pending_object_call<detail::guard::implied, F, T, A...>(
        method_type{std::move(method)}, object, std::move(arguments)...);
}
/// The same without exclusion: see unguarded.
template <auto Method, class T, class... A>
[[gnu::always_inline]] inline auto call(detail::unguarded_method<Method>, global_ptr<T> object,
                                        A... arguments) {
    using method_type = detail::object_method<detail::guard::none, decltype(Method), T, A...>;
    return detail::pending_object_call<detail::guard::none, decltype(Method), T, A...>(
        method_type{Method}, object, std::move(arguments)...);
}
/// Ends the object.
template <class T>
[[gnu::always_inline]] inline auto call(detail::destroyer, global_ptr<T> object) {
    using method_type = detail::object_method<detail::guard::implied, detail::destroyer, T>;
    return detail::pending_object_call<detail::guard::implied, detail::destroyer, T>(method_type{},
                                                                                     object);
}
/// A call of a method at a place. Fails with error: invalid_argument, if there is no such place.
template <class F, class... A>
[[gnu::always_inline]] inline auto call(place where, F method, A... arguments) {
    detail::check_call<F, A...>();
    return detail::pending_placed_call<F, A...>(detail::placed_method<F, A...>{std::move(method)},
                                                where, std::move(arguments)...);
}

template <detail::guard Guard, class F, class T, class... A>
struct transfer<detail::object_method<Guard, F, T, A...>> {
    using method = detail::object_method<Guard, F, T, A...>;
    static void put([[maybe_unused]] packer& to, [[maybe_unused]] const method& m) {
        if constexpr (!std::is_empty_v<F>) {
            transfer<F>::put(to, m.method);
        }
    }
    static method get([[maybe_unused]] unpacker& from) {
        if constexpr (std::is_empty_v<F>) {
            return method{};
        } else {
            return method{transfer<F>::get(from)};
        }
    }
};
template <class F, class... A>
struct transfer<detail::here_method<F, A...>> {
    using method = detail::here_method<F, A...>;
    static void put([[maybe_unused]] packer& to, [[maybe_unused]] const method& m) {
        if constexpr (!std::is_empty_v<F>) {
            transfer<F>::put(to, m.method);
        }
    }
    static method get([[maybe_unused]] unpacker& from) {
        if constexpr (std::is_empty_v<F>) {
            return method{};
        } else {
            return method{transfer<F>::get(from)};
        }
    }
};

namespace detail {

template <class T>
template <class... A>
global_ptr<T> creator<T>::operator()(A... arguments) const {
    static_assert(alignof(T) <= 16, "an object may not be aligned to more than 16 bytes");
    object_header* const h = take_object(sizeof(T));
    try {
        ::new (h->body) T(std::move(arguments)...);
    } catch (...) {
        give_object_back(*h);
        throw;
    }
    h->type = &type_of_object<T>;
    return global_ptr<T>(words_of(*h));
}

}  // namespace detail
}  // namespace lazult::concert
