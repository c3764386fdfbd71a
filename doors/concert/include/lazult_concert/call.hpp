// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Calls of methods: call(), all(), keep(), then().
#pragma once

#include <lazult_concert/method_traits.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::concert {

namespace detail {

struct object_header;

// A context in which one call begins.
template <class F, class... A>
struct invocation : context {
    F function;
    std::tuple<A...> arguments;
    using traits = method_traits<F, A...>;
    using R = typename traits::value_type;

    static_assert(is_movable_safely<value_of<R>>, "moving a result may not throw");

    // Of one that has not been enqueued.
    static void discard(strand_data& in, context* c) noexcept {
        auto* const self = static_cast<invocation*>(c);
        std::destroy_at(&self->arguments);
        std::destroy_at(&self->function);
        give_back(in, self);
    }
    static context* make(strand_data& in, F f, std::tuple<A...> a) {
        context* const c = take_context<sizeof(invocation)>(in);
        auto* const self = ::new (c) invocation(*c, std::move(f), std::move(a));
        ++in.count.heap_calls;
        return self;
    }

private:
    invocation(const context& blank, F&& f, std::tuple<A...>&& a)
        : context(begin, 0, blank), function(std::move(f)), arguments(std::move(a)) {}

    static void begin(context* c);
};

// The result of a thread that ran in `of` goes where the thread's continuation leads.
template <class R>
void settle(context* of, outcome<R>& result) {
    context* const by = blocked_by(result);
    if ((of->waiting != 0) != (by == of)) [[unlikely]] {
        refuse_return();
    }
    if (by == nullptr) {
        resolve<R>(continuation_of(*of), value_in(result));
    } else if (by != of) {
        set_continuation(by, continuation_of(*of));
    }
}

template <class F, class... A>
void invocation<F, A...>::begin(context* c) {
    auto* const self = static_cast<invocation*>(c);
    strand_data& in = *here.inside;
    try {
        if constexpr (traits::is_passed_its_caller) {
            outcome<R> result = std::apply(
                [&](A&... a) { return self->function(caller<R>(self), std::move(a)...); },
                self->arguments);
            settle(self, result);
        } else if constexpr (traits::may_block) {
            outcome<R> result =
                std::apply([&](A&... a) { return outcome_from(self->function(std::move(a)...)); },
                           self->arguments);
            settle(self, result);
        } else if constexpr (std::is_void_v<R>) {
            std::apply([&](A&... a) { self->function(std::move(a)...); }, self->arguments);
            resolve<R>(continuation_of(*self), nothing{});
        } else {
            resolve<R>(continuation_of(*self),
                       std::apply([&](A&... a) { return self->function(std::move(a)...); },
                                  self->arguments));
        }
    } catch (...) {
        if (self->waiting != 0) [[unlikely]] {
            refuse_return();
        }
        resolve_with_error<R>(continuation_of(*self), std::current_exception());
    }
    discard(in, self);
}

template <class F, class... A>
struct outcome_type<pending_call<F, A...>> {
    static constexpr bool is_outcome = true;
    static constexpr bool is_coroutine = false;
    using value_type = typename method_traits<F, A...>::value_type;
};

// The code of a thread that returns what its only call does.
struct pass_on {
    void operator()() const noexcept {}
    template <class V>
    V operator()(V value) const {
        return value;
    }
};

}  // namespace detail

template <class... C>
class call_group;

/// A call that has not been made yet: of a method, with its arguments. Made by call().
template <class F, class... A>
class [[nodiscard]] pending_call {
public:
    using traits = detail::method_traits<F, A...>;
    using value_type = typename traits::value_type;

    /// Makes the call as the last thing that a method does: its result is the method's.
    operator outcome<value_type>() && {
        if (detail::is_near_stack_limit(stack_bytes)) [[unlikely]] {
            return near_stack_limit(std::move(*this));
        }
        return std::move(*this).make_on_stack();
    }
    /// As all(*this).keep(...).
    template <class... K>
    auto keep(K... kept) && {
        return call_group<pending_call>(std::move(*this)).keep(std::move(kept)...);
    }
    /// As all(*this).then(...).
    template <class Then>
    auto then(Then function) && {
        return call_group<pending_call>(std::move(*this)).then(std::move(function));
    }

    /// For the library alone: makes the call in place of the method that `by` stands for the caller
    /// of.
    [[gnu::always_inline]] outcome<value_type> pass(caller<value_type> by) && {
        if (detail::leaves_stack(stack_bytes)) [[unlikely]] {
            return by.pass_in_context(std::move(function_), std::move(arguments_));
        }
        if constexpr (traits::is_passed_its_caller) {
            return make(by);
        } else if constexpr (traits::may_block) {
            return make();
        } else if constexpr (std::is_void_v<value_type>) {
            make();
            return {};
        } else {
            return outcome<value_type>(make());
        }
    }

    /// For the library alone.
    pending_call(F f, A... a) : function_(std::move(f)), arguments_(std::move(a)...) {}
    /// For the library alone.
    [[gnu::always_inline]] auto make() { return make(std::index_sequence_for<A...>{}); }
    /// For the library alone.
    [[gnu::always_inline]] auto make(caller<value_type> by) {
        return make(by, std::index_sequence_for<A...>{});
    }
    /// For the library alone.
    detail::blocked begin_in_context() {
        detail::strand_data& in = *detail::here.inside;
        auto* const c =
            detail::invocation<F, A...>::make(in, std::move(function_), std::move(arguments_));
        in.enqueue(c);
        return {c};
    }

private:
    // This spreads the arguments itself, because compilers do not always inline std::apply().
    template <std::size_t... I>
    [[gnu::always_inline]] auto make(std::index_sequence<I...>) {
        if constexpr (traits::may_block) {
            return detail::outcome_from(function_(std::move(std::get<I>(arguments_))...));
        } else {
            return function_(std::move(std::get<I>(arguments_))...);
        }
    }
    template <std::size_t... I>
    [[gnu::always_inline]] auto make(caller<value_type> by, std::index_sequence<I...>) {
        return function_(by, std::move(std::get<I>(arguments_))...);
    }
    [[gnu::always_inline]] outcome<value_type> make_on_stack() && {
        if constexpr (traits::is_passed_its_caller) {
            return call_group<pending_call>(std::move(*this)).keep().on_stack(detail::pass_on{});
        } else if constexpr (!traits::may_block && std::is_void_v<value_type>) {
            make();
            return {};
        } else {
            return make();
        }
    }
    // Makes the call in a context if the stack is too short, else on the stack.
    [[gnu::cold, gnu::noinline]] static outcome<value_type> near_stack_limit(pending_call call) {
        if (detail::must_leave_stack(stack_bytes)) {
            return call.begin_in_context();
        }
        return std::move(call).make_on_stack();
    }

    static constexpr std::size_t stack_bytes =
        detail::copies_on_stack * sizeof(std::tuple<F, A...>);

    [[no_unique_address]] F function_;
    std::tuple<A...> arguments_;
};

namespace detail {

// Slots one behind the other, at distances that are known when the program is compiled.
template <class... R>
struct slot_pack {
    static constexpr std::size_t count = sizeof...(R);
    static constexpr std::array<std::size_t, count + 1> offsets = [] {
        std::array<std::size_t, count + 1> at{};
        const std::size_t sizes[] = {sizeof(slot<R>)..., 0};
        const std::size_t alignments[] = {alignof(slot<R>)..., 16};
        std::size_t next = 0;
        for (std::size_t i = 0; i <= count; ++i) {
            next = (next + alignments[i] - 1) & ~(alignments[i] - 1);
            at[i] = next;
            next += sizes[i];
        }
        return at;
    }();
    template <std::size_t I>
    using type_at = std::tuple_element_t<I, std::tuple<R...>>;

    static_assert(((alignof(slot<R>) <= 16) && ...), "a result may not be aligned to more than 16");
    static_assert((is_movable_safely<value_of<R>> && ...), "moving a result may not throw");

    template <std::size_t I>
    slot<type_at<I>>& at() noexcept {
        return *std::launder(reinterpret_cast<slot<type_at<I>>*>(bytes + offsets[I]));
    }
    slot_pack() noexcept {
        [this]<std::size_t... I>(std::index_sequence<I...>) {
            (::new (bytes + offsets[I]) slot<type_at<I>>, ...);
        }(std::index_sequence_for<R...>{});
    }

    alignas(16) std::byte bytes[offsets[count] == 0 ? 16 : offsets[count]];
};

// The code of a thread after its calls: a function of what the thread keeps and of the results.
// Results of calls that return nothing are left out.
template <class Then, class Kept, class... R>
struct code_of_then;
template <class Then, class... K, class... R>
struct code_of_then<Then, std::tuple<K...>, R...> {
    template <class Done, class... Left>
    struct returned_by;
    template <class... Done>
    struct returned_by<std::tuple<Done...>> {
        using type = std::invoke_result_t<Then&, K..., Done...>;
    };
    template <class... Done, class First, class... Left>
    struct returned_by<std::tuple<Done...>, First, Left...>
        : std::conditional_t<std::is_void_v<First>, returned_by<std::tuple<Done...>, Left...>,
                             returned_by<std::tuple<Done..., value_of<First>>, Left...>> {};

    using returned = typename returned_by<std::tuple<>, R...>::type;
    using result = outcome_of<returned>;
    using value_type = typename outcome_type<returned>::value_type;

    // `take<I>()` gives the result of call I.
    template <std::size_t I, class Take, class... V>
    [[gnu::always_inline]] static result run(std::tuple<K...>& kept, Take& take, V&&... values) {
        if constexpr (I == sizeof...(R)) {
            return finish(kept, std::forward<V>(values)...);
        } else if constexpr (std::is_void_v<std::tuple_element_t<I, std::tuple<R...>>>) {
            return run<I + 1>(kept, take, std::forward<V>(values)...);
        } else {
            return run<I + 1>(kept, take, std::forward<V>(values)..., take.template get<I>());
        }
    }

private:
    template <class... V>
    [[gnu::always_inline]] static result finish(std::tuple<K...>& kept, V&&... values) {
        return std::apply(
            [&](K&... k) -> result {
                if constexpr (std::is_void_v<returned>) {
                    Then{}(std::move(k)..., std::forward<V>(values)...);
                    return {};
                } else {
                    return Then{}(std::move(k)..., std::forward<V>(values)...);
                }
            },
            kept);
    }
};

// A thread that waits for calls: a slot for each result, what it keeps, and its code.
//
// `waiting` counts the empty slots, and one more until the frame is finished. So a callee that was
// handed the continuation may resolve it at once.
template <class Then, class Kept, class... R>
struct frame : context {
    using code = code_of_then<Then, Kept, R...>;
    using slots_type = slot_pack<R...>;
    static constexpr std::size_t all = sizeof...(R);

    slots_type slots;
    union {
        Kept kept;  // since the frame is finished
    };

    static context* make(strand_data& in, context** = nullptr) {
        context* const c = take_context<sizeof(frame)>(in);
        return ::new (c) frame(*c);
    }
    template <std::size_t I>
    static constexpr std::uint32_t distance() noexcept {
        static_assert(sizeof(context) % 16 == 0);
        return static_cast<std::uint32_t>(sizeof(context) + slots_type::offsets[I]);
    }
    template <std::size_t I>
    static constexpr caller_kind kind{make, distance<I>(), false};

    // From here on the thread waits: all its calls are under way.
    void finish(strand_data& in, Kept&& k) {
        std::construct_at(&kept, std::move(k));
        if (--waiting == 0) {
            in.enqueue(this);
        }
    }
    template <std::size_t I>
    void expect(strand_data& in, context* from) noexcept {
        slots.template at<I>().state = slot_state::empty;
        ++waiting;
        set_continuation(from, continuation_words::to_slot(in, this, distance<I>()));
    }
    // While it waits, its method is inside the object.
    void hold(object_header* of) noexcept {
        next = reinterpret_cast<context*>(of);
        holds_object = true;
    }
    // Call I has ended on the stack.
    template <std::size_t I, class V>
    void accept_value(V&& value) {
        if (slots.template at<I>().state != slot_state::unused) [[unlikely]] {
            refuse_return();
        }
        slots.template at<I>().fill(std::forward<V>(value));
    }
    // Call I has thrown the current exception.
    template <std::size_t I>
    void accept_error() noexcept {
        if (slots.template at<I>().state != slot_state::unused) [[unlikely]] {
            refuse_return();
        }
        slots.template at<I>().fail(std::current_exception());
    }
    // What became of call I, which began on the stack.
    template <std::size_t I, class O>
    void accept(strand_data& in, O& result) {
        auto& mine = slots.template at<I>();
        context* const by = blocked_by(result);
        if ((mine.state != slot_state::unused) != (by == this)) [[unlikely]] {
            refuse_return();
        }
        if (by == nullptr) {
            mine.fill(value_in(result));
        } else if (by != this) {
            expect<I>(in, by);
        }
    }

    frame(const frame&) = delete;
    frame& operator=(const frame&) = delete;

private:
    explicit frame(const context& blank) noexcept : context(go_on, 1, blank) {}
    ~frame() {}

    struct taker {
        frame& from;
        template <std::size_t I>
        auto get() {
            return from.slots.template at<I>().take();
        }
    };
    // The exception of the first call that failed, or null.
    std::exception_ptr first_error() noexcept {
        std::exception_ptr error;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (..., [&](auto& s) {
                if (s.state == slot_state::failed && error == nullptr) {
                    error = s.take_error();
                }
            }(slots.template at<I>()));
        }(std::make_index_sequence<all>{});
        return error;
    }
    void clear() noexcept {
        [this]<std::size_t... I>(std::index_sequence<I...>) {
            (slots.template at<I>().clear(), ...);
        }(std::make_index_sequence<all>{});
        std::destroy_at(&kept);
    }
    static void go_on(context* c) {
        auto* const self = static_cast<frame*>(c);
        using T = typename code::value_type;
        try {
            if (std::exception_ptr error = self->first_error()) [[unlikely]] {
                std::rethrow_exception(std::move(error));
            }
            taker take{*self};
            auto result = code::template run<0>(self->kept, take);
            settle<T>(self, result);
        } catch (...) {
            resolve_with_error<T>(continuation_of(*self), std::current_exception());
        }
        self->clear();
        give_back(*here.inside, self);
    }
};

// The results of calls that did not block.
template <class... O>
struct results_on_stack {
    std::tuple<O&...> from;
    template <std::size_t I>
    [[gnu::always_inline]] auto get() {
        return value_in(std::get<I>(from));
    }
};

// The calls of a group, and what their thread keeps meanwhile.
template <class Calls, class Kept>
class calls_and_kept;

template <class... C, class... K>
class [[nodiscard]] calls_and_kept<std::tuple<C...>, std::tuple<K...>> {
public:
    calls_and_kept(std::tuple<C...>&& calls, std::tuple<K...>&& kept)
        : calls_(std::move(calls)), kept_(std::move(kept)) {}

    /// Makes the calls, and runs the function with what is kept and with the results: at once, or
    /// later in a context if one of them blocks. The function has no captures, because the frame
    /// that it was made in may be gone by then: name what it needs by keep().
    template <class Then>
    [[gnu::always_inline]] auto then(Then) && {
        static_assert(
            std::is_empty_v<Then> && std::is_default_constructible_v<Then>,
            "then() takes a lambda that captures nothing, and no function's address: name "
            "what it needs by keep()");
        using run = maker<Then>;
        if (is_near_stack_limit(stack_bytes)) [[unlikely]] {
            return run::near_stack_limit(std::move(calls_), std::move(kept_));
        }
        return std::move(*this).on_stack(Then{});
    }
    /// For the library alone: then(), where the stack is known to be long enough.
    template <class Then>
    [[gnu::always_inline]] auto on_stack(Then) && {
        context* mine = nullptr;
        return maker<Then>::template on_stack<0>(calls_, kept_, mine);
    }

private:
    static constexpr std::size_t stack_bytes =
        copies_on_stack *
        (sizeof(std::tuple<C..., K...>) + (sizeof(outcome<typename C::value_type>) + ... + 0));

    // No other function gets a reference to a variable of on_stack(), but for `mine`. So compilers
    // that optimise keep these variables in registers. Code that runs rarely is in functions of its
    // own, which get copies.
    template <class Then>
    struct maker {
        using frame_type = frame<Then, std::tuple<K...>, typename C::value_type...>;
        using code = typename frame_type::code;
        using result = typename code::result;
        template <std::size_t I>
        using value_at = std::tuple_element_t<I, std::tuple<typename C::value_type...>>;

        // Makes call I and those after it. The calls before it have ended. If a callee takes its
        // continuation, it makes this thread's frame, and writes the frame's address to `mine`.
        template <std::size_t I, class... Done>
        [[gnu::always_inline]] static result on_stack(std::tuple<C...>& calls,
                                                      std::tuple<K...>& kept, context*& mine,
                                                      Done... done) {
            if constexpr (I == sizeof...(C)) {
                if constexpr ((C::traits::is_passed_its_caller || ...)) {
                    // A callee took its continuation and gave a value.
                    if (mine != nullptr) [[unlikely]] {
                        refuse_return();
                    }
                }
                results_on_stack<Done...> take{{done...}};
                return code::template run<0>(kept, take);
            } else {
                outcome<value_at<I>> last = make_on_stack<I>(std::get<I>(calls), mine);
                if (blocked_by(last) != nullptr) [[unlikely]] {
                    return fall_back<I>(calls_after<I>(calls), std::tuple<K...>(std::move(kept)),
                                        mine, std::move(last), value_in(done)...);
                }
                return on_stack<I + 1>(calls, kept, mine, std::move(done)..., std::move(last));
            }
        }

        template <std::size_t I, class Call>
        [[gnu::always_inline]] static auto make_on_stack(Call& call, context*& mine) {
            if constexpr ((C::traits::is_passed_its_caller || ...)) {
                try {
                    return make<I>(call, mine);
                } catch (...) {
                    // This callee took its continuation and threw, or one before it gave a value.
                    if (mine != nullptr) {
                        refuse_return();
                    }
                    throw;
                }
            } else {
                return make<I>(call, mine);
            }
        }
        // Makes call I by the schema of its callee.
        template <std::size_t I, class Call>
        [[gnu::always_inline]] static auto make(Call& call, context*& mine)
            -> outcome<typename Call::value_type> {
            using R = typename Call::value_type;
            if constexpr (Call::traits::is_passed_its_caller) {
                return call.make(caller<R>(&frame_type::template kind<I>, &mine));
            } else if constexpr (Call::traits::may_block) {
                return call.make();
            } else if constexpr (std::is_void_v<R>) {
                call.make();
                return {};
            } else {
                return outcome<R>(call.make());
            }
        }

        template <std::size_t I>
        [[gnu::always_inline]] static auto calls_after(std::tuple<C...>& calls) {
            return [&]<std::size_t... J>(std::index_sequence<J...>) {
                return std::tuple<std::tuple_element_t<I + 1 + J, std::tuple<C...>>...>(
                    std::move(std::get<I + 1 + J>(calls))...);
            }(std::make_index_sequence<sizeof...(C) - I - 1>{});
        }

        // Call I has blocked, and those before it have given `values`. Moves the thread to its
        // frame, and makes the calls after call I from there.
        template <std::size_t I, class... After, class... V>
        [[gnu::noinline]] static result fall_back(std::tuple<After...> after, std::tuple<K...> kept,
                                                  context* mine, outcome<value_at<I>> last,
                                                  V... values) {
            strand_data& in = *here.inside;
            ++in.count.fallbacks;
            auto* const f = static_cast<frame_type*>(mine != nullptr ? mine : frame_type::make(in));
            [&]<std::size_t... J>(std::index_sequence<J...>) {
                (f->template accept_value<J>(std::move(values)), ...);
            }(std::make_index_sequence<I>{});
            f->template accept<I>(in, last);
            [&]<std::size_t... J>(std::index_sequence<J...>) {
                static_cast<void>((make_from_frame<I + 1 + J>(*f, std::get<J>(after)) && ...));
            }(std::index_sequence_for<After...>{});
            f->finish(in, std::move(kept));
            return blocked{f};
        }

        // Makes call I, where one before it has blocked. Returns false if it throws: then those
        // after it are not made. The others are waited for, and then the exception goes to this
        // thread's caller.
        template <std::size_t I, class Call>
        [[gnu::noinline]] static bool make_from_frame(frame_type& f, Call& call) {
            context* mine = &f;
            try {
                outcome<value_at<I>> done = make<I>(call, mine);
                f.template accept<I>(*here.inside, done);
                return true;
            } catch (...) {
                f.template accept_error<I>();
                return false;
            }
        }

        // Makes the calls in contexts if the stack is too short, else on the stack.
        [[gnu::cold, gnu::noinline]] static result near_stack_limit(std::tuple<C...> calls,
                                                                    std::tuple<K...> kept) {
            if (must_leave_stack(stack_bytes)) {
                return in_contexts(calls, kept);
            }
            context* mine = nullptr;
            return on_stack<0>(calls, kept, mine);
        }

        static result in_contexts(std::tuple<C...>& calls, std::tuple<K...>& kept) {
            strand_data& in = *here.inside;
            auto* const f = static_cast<frame_type*>(frame_type::make(in));
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                (begin_in_context<I>(in, *f, std::get<I>(calls)) && ...);
            }(std::index_sequence_for<C...>{});
            f->finish(in, std::move(kept));
            return blocked{f};
        }
        // False: there is no memory for it. Calls before it have begun, so that they are waited
        // for.
        template <std::size_t I, class Call>
        static bool begin_in_context(strand_data& in, frame_type& f, Call& call) {
            try {
                f.template expect<I>(in, call.begin_in_context().by);
                return true;
            } catch (const std::bad_alloc&) {
                f.slots.template at<I>().fail(std::current_exception());
                return false;
            }
        }
    };

    std::tuple<C...> calls_;
    [[no_unique_address]] std::tuple<K...> kept_;
};

}  // namespace detail

/// Calls that are made together. Made by all().
template <class... C>
class [[nodiscard]] call_group {
public:
    /// What the function of then() needs besides the results. Copies, or what is moved in.
    template <class... K>
    [[gnu::always_inline]] auto keep(K... kept) && {
        static_assert((!detail::is_caller<K>::value && ...),
                      "caller is valid until its method returns: keep what take() gives");
        static_assert((detail::is_movable_safely<K> && ...) && ((alignof(K) <= 16) && ...),
                      "moving what is kept may not throw, nor need 16 bytes of alignment or more");
        return detail::calls_and_kept<std::tuple<C...>, std::tuple<K...>>(
            std::move(calls_), std::tuple<K...>(std::move(kept)...));
    }
    /// Makes the calls in their order, and runs the function with their results; results of calls
    /// that return nothing are left out. It runs at once if no call blocks. Else it runs later in a
    /// context, and the result says so. It returns a value, or an outcome of more calls. If a call
    /// throws, the function does not run, and the exception goes on to this method's caller.
    /// Throws std::bad_alloc where there is no memory for a context: the calls that have begun go
    /// on, and the others are not made.
    template <class Then>
    [[gnu::always_inline]] auto then(Then function) && {
        return std::move(*this).keep().then(function);
    }

    /// For the library alone.
    explicit call_group(C... calls) : calls_(std::move(calls)...) {}
    /// For the library alone.
    std::tuple<C...> calls() && { return std::move(calls_); }

private:
    std::tuple<C...> calls_;
};

namespace detail {

// What every call demands of its method and arguments.
template <class F, class... A>
constexpr void check_call() noexcept {
    static_assert(
        std::is_pointer_v<F> || std::is_empty_v<F> || std::is_member_function_pointer_v<F>,
        "a method is a function, or a function object without captures");
    static_assert((!is_caller<A>::value && ...),
                  "caller is valid in its own method only: hand on what take() gives");
    static_assert((is_movable_safely<A> && ...) && ((alignof(A) <= 16) && ...),
                  "an argument's move may not throw, nor need more than 16 bytes of alignment");
}

}  // namespace detail

/// A call of a method, to be given to all() or then(), or returned. A method is a function without
/// state: a function, or a lambda without captures. Arguments are copied.
///
///     value f(A...)                    it never blocks: a plain call
///     outcome<R> f(A...)               it may block
///     outcome<R> f(caller<R>, A...)    it may want its continuation
template <class F, class... A>
[[gnu::always_inline]] inline auto call(F method, A... arguments) {
    detail::check_call<F, A...>();
    return pending_call<F, A...>(std::move(method), std::move(arguments)...);
}

template <class R>
template <class F, class... A>
[[gnu::always_inline]] inline outcome<R> caller<R>::pass_to(F method, A... arguments) {
    // found by argument-dependent lookup, too: calls of objects have forms of their own
    return call(std::move(method), std::move(arguments)...).pass(*this);
}

template <class R>
template <class F, class... A>
[[gnu::cold, gnu::noinline]] outcome<R> caller<R>::pass_in_context(F method,
                                                                   std::tuple<A...> arguments) {
    detail::strand_data& in = *detail::here.inside;
    detail::context* const c =
        detail::invocation<F, A...>::make(in, std::move(method), std::move(arguments));
    try {
        detail::set_continuation(c, take().words());
    } catch (...) {
        detail::invocation<F, A...>::discard(in, c);
        throw;
    }
    in.enqueue(c);
    return given();
}

// A counter's continuations are all alike, so that a second use of one could not be found. A method
// that wants one gets that of a frame between.
template <class R>
detail::continuation_words caller<R>::take_in_context() {
    using between = detail::frame<detail::pass_on, std::tuple<>, R>;
    if (is_taken()) [[unlikely]] {
        detail::refuse_second_take();
    }
    detail::continuation_words mine = detail::continuation_of(*in_context_);
    if (mine.kind() == detail::target_kind::counter) {
        detail::strand_data& in = *detail::here.inside;
        auto* const f = static_cast<between*>(between::make(in));
        detail::set_continuation(f, mine);
        f->slots.template at<0>().state = detail::slot_state::empty;
        ++f->waiting;
        f->finish(in, std::tuple<>());
        mine = detail::continuation_words::to_slot(in, f, between::template distance<0>());
    }
    in_context_->waiting = 1;
    return mine;
}

/// Calls to be made together: one wait serves all of them. Source: Concert, section 5 ("grouping").
template <class... C>
[[gnu::always_inline]] inline auto all(C... calls) {
    return call_group<C...>(std::move(calls)...);
}

}  // namespace lazult::concert
