// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Slots and continuations: the place that a result fills, and the right to fill it.
#pragma once

#include <lazult_concert/context.hpp>
#include <lazult_concert/transfer.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace lazult::concert {

namespace detail {

struct nothing {};

// What stands in a slot or comes out of a call that returns R.
template <class R>
using value_of = std::conditional_t<std::is_void_v<R>, nothing, R>;

enum class slot_state : std::uint8_t { unused, empty, full, failed, untouched };

// The states of a slot:
//
//   unused     no call has been made for it
//   empty      a continuation for it is under way; the context counts it in `waiting`
//   full       has the value
//   failed     has the exception that the call ended with
//   untouched  a continuation is under way, and the thread does not wait for it yet
struct slot_base {
    slot_state state = slot_state::unused;
};

// A slot of a context, for the result of one call.
template <class R>
class slot : public slot_base {
public:
    using value_type = value_of<R>;

    slot() noexcept {}
    ~slot() {}
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;

    template <class V>
    void fill(V&& value) {
        std::construct_at(&value_, std::forward<V>(value));
        state = slot_state::full;
    }
    void fail(std::exception_ptr error) noexcept {
        std::construct_at(&error_, std::move(error));
        state = slot_state::failed;
    }
    // Each at most once.
    value_type take() noexcept(std::is_nothrow_move_constructible_v<value_type>) {
        value_type taken(std::move(value_));
        clear();
        return taken;
    }
    std::exception_ptr take_error() noexcept {
        std::exception_ptr taken(std::move(error_));
        clear();
        return taken;
    }
    void clear() noexcept {
        if (state == slot_state::full) {
            std::destroy_at(&value_);
        } else if (state == slot_state::failed) {
            std::destroy_at(&error_);
        }
        state = slot_state::unused;
    }

private:
    union {
        value_type value_;
        std::exception_ptr error_;
    };
};

// What a continuation leads to. `future` must be 0: see continuation::resolve().
enum class target_kind : std::uint8_t { future, counter, waiter, nobody, counting_slot };

// The words of a continuation, the same for every type of value.
//   target    address of the context (48 bits), then the low half of its generation
//   where     rank (16 bits), strand (8), kind (8), the slot's distance from the context in steps
//             of eight bytes (16), the high half of the generation
struct continuation_words {
    std::uint64_t target = 0;
    std::uint64_t where = 0;

    static continuation_words to_slot(const strand_data& in, const context* c,
                                      std::size_t distance) noexcept {
        return {(reinterpret_cast<std::uint64_t>(c) << 16) | (c->generation & 0xffff),
                in.home | (std::uint64_t{distance / 8} << 32) |
                    (std::uint64_t{c->generation >> 16} << 48)};
    }
    // Leads nowhere: the result is thrown away.
    static constexpr continuation_words to_nobody() noexcept {
        return {0, (static_cast<std::uint64_t>(target_kind::nobody) << 24) | nowhere};
    }
    // No strand's home: what leads to no slot of a strand has it as its rank.
    static constexpr std::uint64_t nowhere = 0xffff;

    context* address() const noexcept {
        // arithmetic: an address has its highest bits equal
        return reinterpret_cast<context*>(
            static_cast<std::uintptr_t>(static_cast<std::int64_t>(target) >> 16));
    }
    std::uint32_t generation() const noexcept {
        return static_cast<std::uint32_t>((target & 0xffff) | (where >> 48 << 16));
    }
    std::size_t distance() const noexcept { return ((where >> 32) & 0xffff) * 8; }
    std::uint32_t rank() const noexcept { return static_cast<std::uint32_t>(where & 0xffff); }
    std::uint32_t strand() const noexcept { return (where >> 16) & 0xff; }
    target_kind kind() const noexcept { return static_cast<target_kind>((where >> 24) & 0xff); }
};

inline context::context(void (*code)(context*), std::uint32_t waits_for,
                        const context& blank) noexcept
    : run(code),
      next(nullptr),
      to_target(continuation_words::to_nobody().target),
      to_where(continuation_words::to_nobody().where),
      waiting(waits_for),
      generation(blank.generation),
      size_class(blank.size_class),
      holds_object(false) {}

struct parcel;
struct arrival;

// What is done with a result by code that does not know its type.
struct result_type {
    void (*put)(void* slot, parcel& from);
    std::size_t bytes;
    void (*destroy)(void* value) noexcept;
    void (*move)(void* to, void* from);
    // For other ranks. nullptr: values of the type cannot travel.
    void (*pack)(packer& to, const void* value);
    void (*receive)(arrival& from);  // resolves, on the rank that the result was sent to
};

// A value or an exception, moved out of the caller's hands.
struct parcel {
    void* value;                // of the type that `of` knows, or nullptr
    std::exception_ptr* error;  // or nullptr
    const result_type* of;
};

// Resolves a continuation that leads to another strand, to a counter, to a thread that waits
// outside every strand, or to another rank.
LAZULT_API void resolve_elsewhere(const continuation_words& to, parcel& what);
// Each function named refuse_... ends the process with a report of misuse. This one: a continuation
// was used twice, or after its thread had ended.
[[noreturn]] LAZULT_API void refuse_resolution(const continuation_words& to) noexcept;
// Calls refuse_resolution(), unless the context is still the one that `to` leads to and the slot is
// untouched.
LAZULT_API void check_untouched(const continuation_words& to, const context& c,
                                const slot_base& s) noexcept;
// A method took its continuation, and then threw or did not return given(). Or it returned given()
// without having taken its continuation.
[[noreturn]] LAZULT_API void refuse_return() noexcept;
// A method takes its continuation for the second time.
[[noreturn]] LAZULT_API void refuse_second_take() noexcept;
// The argument of continuation::fail() is null.
[[noreturn]] LAZULT_API void refuse_no_exception() noexcept;

template <class R>
void put_in_slot(void* where, parcel& from) {
    auto& s = *static_cast<slot<R>*>(where);
    if (from.error != nullptr) {
        s.fail(std::move(*from.error));
    } else {
        s.fill(std::move(*static_cast<value_of<R>*>(from.value)));
    }
}

template <class T>
void destroy_value(void* value) noexcept {
    std::destroy_at(static_cast<T*>(value));
}
template <class T>
void move_value(void* to, void* from) {
    ::new (to) T(std::move(*static_cast<T*>(from)));
}

template <class T>
void pack_value(packer& to, const void* value) {
    transfer<T>::put(to, *static_cast<const T*>(value));
}
// What sends a result, or nullptr.
template <class T>
constexpr auto packing() noexcept -> void (*)(packer& to, const void* value) {
    if constexpr (transferable<T>) {
        return pack_value<T>;
    } else {
        return nullptr;
    }
}

template <class R>
void receive_result(arrival& from);
template <class R>
constexpr auto receiving() noexcept -> void (*)(arrival& from) {
    if constexpr (transferable<value_of<R>>) {
        return receive_result<R>;
    } else {
        return nullptr;
    }
}

template <class R>
inline constexpr result_type type_of_result{
    put_in_slot<R>,          sizeof(value_of<R>),    destroy_value<value_of<R>>,
    move_value<value_of<R>>, packing<value_of<R>>(), receiving<R>()};

template <class R>
parcel parcel_of(value_of<R>* value, std::exception_ptr* error) noexcept {
    return {value, error, &type_of_result<R>};
}

// Fills the slot of a context of the strand that the caller is inside.
template <class Fill>
void fill_slot(strand_data& in, const continuation_words& to, Fill&& fill) {
    context* const c = to.address();
    auto* const s = reinterpret_cast<slot_base*>(reinterpret_cast<std::byte*>(c) + to.distance());
    if (c->generation != to.generation() || s->state != slot_state::empty) [[unlikely]] {
        check_untouched(to, *c, *s);
        fill(s);
        return;
    }
    fill(s);
    if (--c->waiting == 0) {
        in.enqueue(c);
    }
}

template <class R, class V>
void resolve(const continuation_words& to, V&& value) {
    strand_data& in = strand_of_thread();
    if (static_cast<std::uint32_t>(to.where) == in.home) [[likely]] {
        fill_slot(in, to,
                  [&](slot_base* s) { static_cast<slot<R>*>(s)->fill(std::forward<V>(value)); });
    } else {
        value_of<R> moved(std::forward<V>(value));
        parcel what = parcel_of<R>(&moved, nullptr);
        resolve_elsewhere(to, what);
    }
}

// Not inlined: the caller may be a ULT that has moved to another OS thread since it last looked at
// `here`, and a compiler may keep such an address over a suspension.
template <class R, class V>
[[gnu::noinline]] void resolve_from_anywhere(const continuation_words& to, V&& value) {
    resolve<R>(to, std::forward<V>(value));
}

template <class R>
[[gnu::cold, gnu::noinline]] void resolve_with_error(const continuation_words& to,
                                                     std::exception_ptr error) {
    strand_data& in = strand_of_thread();
    if (static_cast<std::uint32_t>(to.where) == in.home) {
        fill_slot(in, to, [&](slot_base* s) { static_cast<slot<R>*>(s)->fail(std::move(error)); });
    } else {
        parcel what = parcel_of<R>(nullptr, &error);
        resolve_elsewhere(to, what);
    }
}

// The beginning of each message between strands.
struct message_head {
    std::uint64_t code = 0;  // the name of the function that takes the message
    continuation_words to;   // where the result goes: of a call, or the one that the message brings
    std::uint32_t home = 0;  // rank and strand that the function runs in
    std::uint32_t source = 0;    // the sender's rank
    std::uint32_t is_error = 0;  // of a result: an exception stands in the value's place
    std::uint32_t unused = 0;
};

// A message that has come. The bytes are valid until its function returns.
struct arrival {
    message_head head;
    unpacker rest;
};

using message_code = void (*)(arrival& from);

// The strand's number in `home`: the receiver chooses one, or the function runs in none.
inline constexpr std::uint32_t any_strand = 0xfe;
inline constexpr std::uint32_t no_strand = 0xff;

// A message that is being made. It begins with room for the head.
class departure {
public:
    departure() { bytes.put(&head, sizeof head); }

    packer bytes;
    message_head head;
};

// Sends the message to the strand head.home, which runs `code`: at once on this stack, if that is a
// strand of this process where nobody is. Throws std::bad_alloc; error: invalid_argument, if the
// message is too long or there is no such rank; not_supported, in a process that has no session.
LAZULT_API void send_message(departure& what, message_code code);

// The exception of a result from another rank.
LAZULT_API std::exception_ptr exception_in(arrival& from) noexcept;

template <class R>
void receive_result(arrival& from) {
    const continuation_words& to = from.head.to;
    if (from.head.is_error != 0) {
        resolve_with_error<R>(to, exception_in(from));
        return;
    }
    try {
        resolve<R>(to, transfer<value_of<R>>::get(from.rest));
    } catch (...) {
        resolve_with_error<R>(to, std::current_exception());
    }
}

}  // namespace detail

/// The right to give a waiting thread its result. A plain value of 16 bytes: keep it, hand it to
/// another method, put it into a data structure. It is used exactly once; a second use, and a use
/// after the waiting thread has ended, end the process with a report. So does want of memory for a
/// result that comes from another strand, and a result that cannot travel if the waiting thread is
/// on another rank: see transfer. Thread-safe: any thread of the process may use it, inside a
/// method or not, and any rank. Nothing here suspends. Source: Concert, section 3
/// ("continuations").
template <class R>
class continuation {
public:
    /// Leads nowhere: the result is thrown away.
    continuation() noexcept : words_(detail::continuation_words::to_nobody()) {}

    /// Gives the value.
    template <class V = R>
        requires(!std::is_void_v<R> && std::is_convertible_v<V, R>)
    void resolve(V&& value) const {
        detail::resolve_from_anywhere<R>(words_, std::forward<V>(value));
    }
    /// Says that it is done.
    void resolve() const
        requires(std::is_void_v<R>)
    {
        detail::resolve_from_anywhere<R>(words_, detail::nothing{});
    }
    /// Gives the exception that the waiting thread gets in place of a value.
    void fail(std::exception_ptr error) const {
        if (error == nullptr) [[unlikely]] {
            detail::refuse_no_exception();
        }
        detail::resolve_with_error<R>(words_, std::move(error));
    }

    /// For the library alone.
    explicit continuation(const detail::continuation_words& words) noexcept : words_(words) {}
    /// For the library alone.
    const detail::continuation_words& words() const noexcept { return words_; }

private:
    detail::continuation_words words_;
};

}  // namespace lazult::concert
