// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a method returns, and what one that wants its continuation is given.
#pragma once

#include <lazult_concert/continuation.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::concert {

template <class F, class... A>
class pending_call;
template <class T>
class global_ptr;
struct place;

namespace detail {

template <class R>
struct outcome_access;

template <class T>
struct is_pending_call : std::false_type {};
template <class F, class... A>
struct is_pending_call<pending_call<F, A...>> : std::true_type {};

// Says that a method has not ended: its thread goes on in the context `by`, which will give the
// result.
struct blocked {
    context* by;
};

}  // namespace detail

/// What a method that may block returns: a value, or word that its thread goes on in a context. A
/// value converts to it. What else there is to do with it is up to call(), all() and run(). One
/// that is dropped throws the result away; the method goes on all the same. Trivially copyable if R
/// is, and then it travels in registers. Source: Concert, section 4 ("may-block schema").
template <class R>
class [[nodiscard]] outcome {
public:
    using value_type = R;

    /// The method is done.
    template <class V = R>
        requires(!std::is_same_v<std::remove_cvref_t<V>, outcome> &&
                 !detail::is_pending_call<std::remove_cvref_t<V>>::value &&
                 std::is_convertible_v<V, R>)
    outcome(V&& value) : by_(nullptr), value_(std::forward<V>(value)) {}
    /// For the library alone.
    outcome(detail::blocked b) noexcept : by_(b.by) {}

    outcome(outcome&&) = default;
    outcome& operator=(outcome&&) = delete;
    ~outcome()
        requires(std::is_trivially_destructible_v<R>)
    = default;
    ~outcome() {
        if (by_ == nullptr) {
            std::destroy_at(&value_);
        }
    }
    outcome(outcome&& other) noexcept(std::is_nothrow_move_constructible_v<R>)
        requires(!std::is_trivially_move_constructible_v<R>)
        : by_(other.by_) {
        if (by_ == nullptr) {
            std::construct_at(&value_, std::move(other.value_));
        }
    }

private:
    friend detail::outcome_access<R>;
    detail::context* by_;
    union {
        R value_;
    };
};

/// The same, of a method without a value: `return {};` says that it is done.
template <>
class [[nodiscard]] outcome<void> {
public:
    using value_type = void;

    /// The method is done.
    outcome() noexcept : by_(nullptr) {}
    /// For the library alone.
    outcome(detail::blocked b) noexcept : by_(b.by) {}

private:
    friend detail::outcome_access<void>;
    detail::context* by_;
};

namespace detail {

template <class R>
struct outcome_access {
    static context* blocked_by(const outcome<R>& o) noexcept { return o.by_; }
    static value_of<R> take(outcome<R>& o) {
        if constexpr (std::is_void_v<R>) {
            return {};
        } else {
            return std::move(o.value_);
        }
    }
};

template <class R>
context* blocked_by(const outcome<R>& o) noexcept {
    return outcome_access<R>::blocked_by(o);
}
template <class R>
value_of<R> value_in(outcome<R>& o) {
    return outcome_access<R>::take(o);
}

template <class T>
struct outcome_type {
    static constexpr bool is_outcome = false;
    static constexpr bool is_coroutine = false;
    using value_type = T;
};
template <class R>
struct outcome_type<outcome<R>> {
    static constexpr bool is_outcome = true;
    static constexpr bool is_coroutine = false;
    using value_type = R;
};

// The result goes to a slot of `by`, once the context exists.
inline void set_continuation(context* by, const continuation_words& to) noexcept {
    by->to_target = to.target;
    by->to_where = to.where;
}
inline continuation_words continuation_of(const context& c) noexcept {
    return {c.to_target, c.to_where};
}

// How a callee makes the context of its caller, which still runs on the stack. One for each call
// that stands in the code.
struct caller_kind {
    // Its slots unused, `waiting` 1 until the caller has moved. `made` is where the caller looks.
    context* (*make)(strand_data& in, context** made);
    std::uint32_t distance;  // of the slot for this call
    bool is_message;         // the caller is a message: see message_caller
};

// The caller of a method that a message has called. It has its continuation already, and no
// context. What take() makes is this object.
struct message_made {
    context* made = nullptr;
};
struct message_caller : message_made, context {
    alignas(16) slot_base taken;
    continuation_words to;

    explicit message_caller(const continuation_words& words) noexcept : to(words) {}

    static context* make(strand_data&, context** made) noexcept {
        // `made` is the only member of a base
        return static_cast<message_caller*>(reinterpret_cast<message_made*>(made));
    }
};
// The slot is aligned to 16 bytes, so it stands right behind the context.
inline constexpr caller_kind message_kind{message_caller::make, sizeof(context), true};

}  // namespace detail

/// The first argument of a method that may want its continuation as a value: it stands for the
/// caller. Two words, which travel in registers. Valid until the method returns.
/// Source: Concert, section 4 ("continuation-passing schema").
template <class R>
class caller {
public:
    /// Makes a value of the right to give the result. The method returns given() afterwards. At
    /// most once. Throws std::bad_alloc.
    continuation<R> take() {
        return continuation<R>(kind_ == nullptr ? take_in_context() : take_on_stack());
    }
    /// For the library alone: the method has returned given().
    bool is_given(const detail::context* by) const noexcept {
        return by == (kind_ == nullptr ? in_context_ : *made_);
    }
    /// What a method returns that has taken its continuation. It throws nothing in between.
    outcome<R> given() const noexcept {
        if (!is_taken()) [[unlikely]] {
            detail::refuse_return();
        }
        return detail::blocked{kind_ == nullptr ? in_context_ : *made_};
    }
    /// Calls a method that gives the result in this one's place, as the last thing that this one
    /// does: a chain of such calls needs no more stack than one. Where the compiler optimises, this
    /// one's frame is gone before; g++ does so from -O2 on, clang 19 does not. Else a long chain
    /// goes on in contexts when the stack is short.
    template <class F, class... A>
    outcome<R> pass_to(F method, A... arguments);

    /// For the library alone.
    caller(const detail::caller_kind* kind, detail::context** made) noexcept
        : kind_(kind), made_(made) {}
    /// For the library alone.
    explicit caller(detail::context* in_context) noexcept
        : kind_(nullptr), in_context_(in_context) {}

private:
    detail::slot_base& slot_of_caller() const noexcept {
        return *reinterpret_cast<detail::slot_base*>(reinterpret_cast<std::byte*>(*made_) +
                                                     kind_->distance);
    }
    // A method in a context notes it in `waiting`, which it has no other use for.
    bool is_taken() const noexcept {
        return kind_ == nullptr
                   ? in_context_->waiting != 0
                   : *made_ != nullptr && slot_of_caller().state != detail::slot_state::unused;
    }
    detail::continuation_words take_on_stack() {
        detail::strand_data& in = *detail::here.inside;
        if (is_taken()) [[unlikely]] {
            detail::refuse_second_take();
        }
        if (*made_ == nullptr) {
            *made_ = kind_->make(in, made_);
            ++in.count.taken;
        }
        slot_of_caller().state = detail::slot_state::empty;
        if (kind_->is_message) {
            return static_cast<detail::message_caller*>(*made_)->to;
        }
        ++(*made_)->waiting;
        return detail::continuation_words::to_slot(in, *made_, kind_->distance);
    }
    detail::continuation_words take_in_context();
    template <class F, class... A>
    friend class pending_call;
    template <class F, class... A>
    outcome<R> pass_in_context(F method, std::tuple<A...> arguments);

    const detail::caller_kind* kind_;
    union {
        // Of a caller on the stack: its context, once a callee has made it.
        detail::context** made_;
        // Of a method that began in a context: that context.
        detail::context* in_context_;
    };
};

}  // namespace lazult::concert
