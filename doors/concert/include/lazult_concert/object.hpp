// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Objects: what stands before each, and which methods are inside. No user names what is in detail.
#pragma once

#include <lazult_concert/call.hpp>
#include <lazult_concert/global_ptr.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace lazult::concert {

namespace detail {

// What is done with an object by code that does not know its type.
struct object_type {
    void (*destroy)(void* body) noexcept;
    const std::type_info* name;
};

template <class T>
void destroy_object(void* body) noexcept {
    std::destroy_at(static_cast<T*>(body));
}
template <class T>
inline const object_type type_of_object{destroy_object<T>, &typeid(T)};

// A method that waits until it may be inside an object.
struct object_waiter;

// What stands before an object. Only the thread inside its strand touches it, so its fields are
// plain. A header's memory is used again for headers alone, and never freed, so that a name of an
// object that was destroyed is found out by the generation.
//
// `word` says which methods hold the object, that is, are inside it:
//
//   writing    one that writes
//   on_stack   that one has not left the C stack
//   queued     others wait, the first of them at `first`
//   readers    how many that read have not left the C stack, in steps of one_reader
//   parted     how many that read go on in contexts, in steps of one_parted
//
//   from                    to                   by
//   0                       writing|on_stack     begin_at_once: one that writes
//   no writing, no queued   + one_reader         begin_at_once: one that reads
//   writing|on_stack        writing              to_context: a writer that blocks
//   one_reader more         one_parted more      to_context: a reader that blocks
//   any                     queued               wait_for_object
//   0                       writing              may_enter, let_next_in: into a context
//   no writing              + one_parted         may_enter, let_next_in: into a context
//   writing                 writing|on_stack     to_stack
//   one_parted more         one_reader more      to_stack
//   writing                 no writing           a writer that ends: then the next ones are let in
//   one reader more         one fewer            a reader that ends: the same, if it was the last
//   queued                  no queued            let_next_in: the last one that waited
struct alignas(16) object_header {
    std::uint64_t word = 0;
    std::uint32_t generation = 0;
    std::uint32_t home = 0;
    void* body = nullptr;  // the object; nullptr after its end
    object_waiter* first = nullptr;
    object_waiter** last = &first;
    const object_type* type = nullptr;
    std::size_t size_class = 0;
    // name_of() reads the word before the body: this one, unless the body stands apart.
    object_header* self = this;

    // The `size_class` of an element of an array.
    static constexpr std::size_t in_array = ~std::size_t{0};

    static constexpr std::uint64_t writing = 1;
    static constexpr std::uint64_t on_stack = 2;
    static constexpr std::uint64_t queued = 4;
    static constexpr std::uint64_t one_reader = 8;
    static constexpr std::uint64_t one_parted = std::uint64_t{1} << 32;
};
static_assert(sizeof(object_header) == 64);

inline object_words words_of(const object_header& h) noexcept {
    return {(reinterpret_cast<std::uint64_t>(&h) << 16) | (h.generation & 0xffff),
            h.home | (std::uint64_t{h.generation >> 16} << 32)};
}

// Memory for an object of so many bytes in the strand that the caller is inside. Throws
// std::bad_alloc.
LAZULT_API object_header* take_object(std::size_t bytes);
// Gives back the memory of an object that was destroyed or not made. Its names are void then.
LAZULT_API void give_object_back(object_header& h) noexcept;
// Destroys an object that the caller holds as a writer. Waiters get an error.
LAZULT_API void end_object(object_header& h) noexcept;

// A method may not enter at once: another one is inside or waits before it. Returns true if it may
// enter all the same, because a caller of it is inside. Throws error: would_deadlock, if it writes
// and others than its caller read.
LAZULT_API bool may_enter_again(const strand_data& in, const object_header& h, bool reads);
// Appends the continuation of a method that waits. It is given a context_hold. Throws
// std::bad_alloc.
LAZULT_API void wait_for_object(object_header& h, const continuation_words& to, bool reads);
// Enters for a method that goes on in a context, if no method that excludes it is inside or waits.
LAZULT_API bool may_enter(object_header& h, bool reads) noexcept;
// After a method has left: lets in the methods that may now enter.
LAZULT_API void let_next_in(object_header& h) noexcept;

// Throws error: invalid_handle for a null name, else freed_handle.
[[noreturn]] LAZULT_API void refuse_name(const object_words& name);
// Ends the process with a report: a method goes on in a context, and there is no memory for what
// would keep others out of its object.
[[noreturn]] LAZULT_API void refuse_to_let_go() noexcept;
// Throws error: would_deadlock: a method of the object destroys it.
[[noreturn]] LAZULT_API void refuse_to_end_itself();
// Throws error: invalid_argument: it is an element of an array, which ends as a whole.
[[noreturn]] LAZULT_API void refuse_to_end_element();

// A method that goes on in a context is inside the object until this is destroyed.
class context_hold {
public:
    context_hold(object_header& of, bool reads) noexcept : of_(&of), reads_(reads) {}
    context_hold(context_hold&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), reads_(other.reads_) {}
    context_hold& operator=(context_hold&&) = delete;
    ~context_hold() {
        if (of_ != nullptr) {
            of_->word -= reads_ ? object_header::one_parted : object_header::writing;
            let_next_in(*of_);
        }
    }
    object_header* of() const noexcept { return of_; }
    // The method goes on on the stack: the caller has the hold from now on.
    object_header& to_stack() noexcept {
        of_->word += reads_ ? object_header::one_reader - object_header::one_parted
                            : object_header::on_stack;
        return *std::exchange(of_, nullptr);
    }

private:
    object_header* of_;
    bool reads_;
};

// A method that runs on the stack is inside the object as long as this exists.
template <bool Reads>
class stack_hold {
public:
    // `of` has been entered; nullptr: by a caller of this method, which keeps it.
    explicit stack_hold(object_header* of) noexcept : of_(of) {}
    stack_hold(const stack_hold&) = delete;
    stack_hold& operator=(const stack_hold&) = delete;
    [[gnu::always_inline]] ~stack_hold() {
        if (of_ == nullptr) {
            return;
        }
        constexpr std::uint64_t mine =
            Reads ? object_header::one_reader : object_header::writing | object_header::on_stack;
        of_->word -= mine;
        if (of_->word != 0) [[unlikely]] {
            let_next_in(*of_);
        }
    }
    object_header* of() const noexcept { return of_; }
    // Drops the hold without letting others in: the object is about to end.
    void give_up() noexcept { of_ = nullptr; }
    context_hold to_context() noexcept {
        of_->word -=
            Reads ? object_header::one_reader - object_header::one_parted : object_header::on_stack;
        return context_hold(*std::exchange(of_, nullptr), Reads);
    }

private:
    object_header* of_;
};

// Enters at once if no method that excludes this one is inside or waits.
template <bool Reads>
[[gnu::always_inline]] inline bool begin_at_once(object_header& h) noexcept {
    if constexpr (Reads) {
        if ((h.word & (object_header::writing | object_header::queued)) == 0) [[likely]] {
            h.word += object_header::one_reader;
            return true;
        }
    } else if (h.word == 0) [[likely]] {
        h.word = object_header::writing | object_header::on_stack;
        return true;
    }
    return false;
}

// The code of a thread that holds an object until its method has its result.
struct pass_on_and_leave {
    void operator()(context_hold) const noexcept {}
    template <class V>
    V operator()(context_hold, V value) const {
        return value;
    }
};

// The method has blocked: a context takes over its hold.
template <class R, bool Reads>
[[gnu::cold, gnu::noinline]] outcome<R> keep_inside(stack_hold<Reads>& hold, context* by) {
    using holder = frame<pass_on_and_leave, std::tuple<context_hold>, R>;
    strand_data& in = *here.inside;
    holder* f = nullptr;
    try {
        f = static_cast<holder*>(holder::make(in, nullptr));
    } catch (const std::bad_alloc&) {
        refuse_to_let_go();
    }
    object_header* const of = hold.of();
    f->template expect<0>(in, by);
    f->finish(in, std::tuple<context_hold>(hold.to_context()));
    f->hold(of);
    return blocked{f};
}

}  // namespace detail

/// The name of an object that was made by create or create_array, for its own methods: T is the
/// type that it was made as, not a base of it. Call it in a method that runs in the object's
/// strand.
template <class T>
global_ptr<T> name_of(const T& object) noexcept {
    const auto* const before =
        reinterpret_cast<detail::object_header* const*>(std::addressof(object)) - 1;
    return global_ptr<T>(detail::words_of(**before));
}

}  // namespace lazult::concert
