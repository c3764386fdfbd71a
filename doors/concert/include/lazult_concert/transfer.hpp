// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How values travel between ranks: transfer<T> says it for each type.
#pragma once

#include <lazult/export.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace lazult::concert {

/// The bytes of a message that is being made. Small ones stand in the object itself.
class packer {
public:
    packer() noexcept = default;
    packer(const packer&) = delete;
    packer& operator=(const packer&) = delete;

    /// Appends so many bytes. Throws std::bad_alloc.
    void put(const void* from, std::size_t bytes) {
        if (capacity_ - size_ < bytes) [[unlikely]] {
            grow(bytes);
        }
        if (bytes != 0) {
            std::memcpy(room() + size_, from, bytes);
        }
        size_ += bytes;
    }
    /// Writes over the first bytes, which are there already.
    void replace_front(const void* from, std::size_t bytes) noexcept {
        std::memcpy(room(), from, bytes);
    }
    /// All bytes so far.
    const std::byte* data() const noexcept { return large_ ? large_.get() : small_; }
    /// How many bytes there are.
    std::size_t size() const noexcept { return size_; }

private:
    std::byte* room() noexcept { return large_ ? large_.get() : small_; }
    [[gnu::cold, gnu::noinline]] void grow(std::size_t bytes) {
        const std::size_t capacity = std::max(2 * capacity_, size_ + bytes);
        auto larger = std::make_unique<std::byte[]>(capacity);
        std::memcpy(larger.get(), data(), size_);
        large_ = std::move(larger);
        capacity_ = capacity;
    }

    std::size_t size_ = 0;
    std::size_t capacity_ = sizeof small_;
    std::unique_ptr<std::byte[]> large_;
    std::byte small_[192];
};

namespace detail {
// The process ends with a report: a message is shorter than its method says. The ranks run
// different programs, or a transfer<T>::get() reads more than put() wrote.
[[noreturn]] LAZULT_API void refuse_short_message() noexcept;
}  // namespace detail

/// The bytes of a message that has come.
class unpacker {
public:
    unpacker(const std::byte* data, std::size_t size) noexcept : next_(data), left_(size) {}

    /// Takes the next bytes. Ends the process with a report if there are not so many.
    void get(void* to, std::size_t bytes) noexcept {
        if (bytes != 0) {
            std::memcpy(to, view(bytes), bytes);
        }
    }
    /// The next bytes, where they stand. Valid as long as the message.
    const std::byte* view(std::size_t bytes) noexcept {
        if (bytes > left_) [[unlikely]] {
            detail::refuse_short_message();
        }
        const std::byte* const at = next_;
        next_ += bytes;
        left_ -= bytes;
        return at;
    }
    /// How many bytes have not been taken.
    std::size_t left() const noexcept { return left_; }

private:
    const std::byte* next_;
    std::size_t left_;
};

/// How a value of type T travels: `put` appends it to a message, and `get` takes it out again. It
/// is there for trivially copyable types, for functions and member functions of the program, and
/// for std::string, vector, array, pair, tuple and optional of such types. It is not there for
/// pointers, views and references. The compiler cannot look into a struct: one with a pointer in it
/// arrives with the sender's address. Specialise it for a type of your own:
///
///     template <>
///     struct lazult::concert::transfer<matrix> {
///         static void put(packer& to, const matrix& m);
///         static matrix get(unpacker& from);
///     };
template <class T>
struct transfer;

/// A value that can travel to another rank.
template <class T>
concept transferable = requires(packer& to, unpacker& from, const T& value) {
    transfer<T>::put(to, value);
    { transfer<T>::get(from) } -> std::same_as<T>;
};

namespace detail {

// Trivially copyable types that must not travel as bytes: they refer to the sender's memory, or
// contain values with a transfer of their own.
template <class T>
struct is_more_than_bytes
    : std::bool_constant<std::is_pointer_v<T> || std::is_member_pointer_v<T> ||
                         std::is_null_pointer_v<T>> {};
template <class C, class Traits>
struct is_more_than_bytes<std::basic_string_view<C, Traits>> : std::true_type {};
template <class T, std::size_t N>
struct is_more_than_bytes<std::span<T, N>> : std::true_type {};
template <class T>
struct is_more_than_bytes<std::reference_wrapper<T>> : std::true_type {};
template <class T>
concept copied_by_bytes = requires { transfer<T>::copies_bytes; };
template <class T>
struct is_more_than_bytes<std::optional<T>> : std::bool_constant<!copied_by_bytes<T>> {};
template <class T, std::size_t N>
struct is_more_than_bytes<std::array<T, N>> : std::bool_constant<!copied_by_bytes<T>> {};
template <class A, class B>
struct is_more_than_bytes<std::pair<A, B>> : std::true_type {};
template <class... A>
struct is_more_than_bytes<std::tuple<A...>> : std::true_type {};

}  // namespace detail

template <class T>
    requires(std::is_trivially_copyable_v<T> && !detail::is_more_than_bytes<T>::value)
struct transfer<T> {
    // Other types may copy the bytes of many such values at once.
    static constexpr bool copies_bytes = true;

    static void put(packer& to, const T& value) { to.put(&value, sizeof value); }
    static T get(unpacker& from) noexcept {
        struct bytes {
            alignas(T) std::byte of[sizeof(T)];
        } raw;
        from.get(raw.of, sizeof raw.of);
        return __builtin_bit_cast(T, raw);
    }
};

namespace detail {

// Code may have another address on each rank. In a message it stands as its module and the distance
// from the module's beginning; a null pointer has the name 0. Throws error: not_supported, for code
// that is in no module, such as code generated at run time.
LAZULT_API std::uint64_t name_of_code(const void* code);
// Ends the process with a report if this rank does not have the module.
LAZULT_API const void* code_of_name(std::uint64_t name) noexcept;

// The two words of a pointer to a member function. The first is an address, or says which virtual
// function it is.
struct member_words {
    std::uintptr_t code;
    std::uintptr_t adjustment;
    LAZULT_API bool is_virtual() const noexcept;
};

template <class T>
struct transfer_of_list {
    static void put(packer& to, const T& list) {
        const std::uint64_t count = list.size();
        to.put(&count, sizeof count);
        for (const auto& each : list) {
            transfer<typename T::value_type>::put(to, each);
        }
    }
    static T get(unpacker& from) {
        std::uint64_t count = 0;
        from.get(&count, sizeof count);
        T list;
        list.reserve(std::min<std::uint64_t>(count, from.left()));
        for (std::uint64_t i = 0; i < count; ++i) {
            list.push_back(transfer<typename T::value_type>::get(from));
        }
        return list;
    }
};

// Of values that stand behind each other.
template <class T>
struct transfer_of_bytes {
    using value = typename T::value_type;
    static void put(packer& to, const T& list) {
        const std::uint64_t count = list.size();
        to.put(&count, sizeof count);
        to.put(list.data(), count * sizeof(value));
    }
    static T get(unpacker& from) {
        std::uint64_t count = 0;
        from.get(&count, sizeof count);
        if (count > from.left() / sizeof(value)) {
            refuse_short_message();
        }
        T list(static_cast<std::size_t>(count), value{});
        from.get(list.data(), count * sizeof(value));
        return list;
    }
};

// Whether a list of such values travels as its bytes. A transfer<T> of a user's own is asked for
// each value.
template <class T>
concept plain =
    copied_by_bytes<T> && !std::is_same_v<T, bool> && std::is_default_constructible_v<T>;

}  // namespace detail

template <class F>
    requires(std::is_function_v<F>)
struct transfer<F*> {
    static void put(packer& to, F* function) {
        transfer<std::uint64_t>::put(to,
                                     detail::name_of_code(reinterpret_cast<const void*>(function)));
    }
    static F* get(unpacker& from) noexcept {
        const std::uint64_t name = transfer<std::uint64_t>::get(from);
        return reinterpret_cast<F*>(const_cast<void*>(detail::code_of_name(name)));
    }
};

template <class M>
    requires(std::is_member_function_pointer_v<M>)
struct transfer<M> {
    static_assert(sizeof(M) == sizeof(detail::member_words));

    static void put(packer& to, const M& member) {
        auto words = __builtin_bit_cast(detail::member_words, member);
        if (!words.is_virtual()) {
            words.code = detail::name_of_code(reinterpret_cast<const void*>(words.code));
        }
        to.put(&words, sizeof words);
    }
    static M get(unpacker& from) noexcept {
        auto words = transfer<detail::member_words>::get(from);
        if (!words.is_virtual()) {
            words.code = reinterpret_cast<std::uintptr_t>(detail::code_of_name(words.code));
        }
        return __builtin_bit_cast(M, words);
    }
};

template <>
struct transfer<std::string> : detail::transfer_of_bytes<std::string> {};

template <class T>
    requires(transferable<T> && detail::plain<T>)
struct transfer<std::vector<T>> : detail::transfer_of_bytes<std::vector<T>> {};
template <class T>
    requires(transferable<T> && !detail::plain<T>)
struct transfer<std::vector<T>> : detail::transfer_of_list<std::vector<T>> {};

template <class T, std::size_t N>
    requires(transferable<T> && !detail::copied_by_bytes<T>)
struct transfer<std::array<T, N>> {
    static void put(packer& to, const std::array<T, N>& values) {
        for (const T& each : values) {
            transfer<T>::put(to, each);
        }
    }
    static std::array<T, N> get([[maybe_unused]] unpacker& from) {
        // Braces evaluate from left to right.
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array<T, N>{(static_cast<void>(I), transfer<T>::get(from))...};
        }(std::make_index_sequence<N>{});
    }
};

template <class A, class B>
    requires(transferable<A> && transferable<B>)
struct transfer<std::pair<A, B>> {
    static void put(packer& to, const std::pair<A, B>& value) {
        transfer<A>::put(to, value.first);
        transfer<B>::put(to, value.second);
    }
    static std::pair<A, B> get(unpacker& from) {
        // Braces evaluate from left to right.
        return std::pair<A, B>{transfer<A>::get(from), transfer<B>::get(from)};
    }
};

template <class... A>
    requires(transferable<A> && ...)
struct transfer<std::tuple<A...>> {
    static void put(packer& to, const std::tuple<A...>& value) {
        std::apply([&](const A&... a) { (transfer<A>::put(to, a), ...); }, value);
    }
    static std::tuple<A...> get([[maybe_unused]] unpacker& from) {
        return std::tuple<A...>{transfer<A>::get(from)...};
    }
};

template <class T>
    requires(transferable<T> && !detail::copied_by_bytes<T>)
struct transfer<std::optional<T>> {
    static void put(packer& to, const std::optional<T>& value) {
        transfer<bool>::put(to, value.has_value());
        if (value) {
            transfer<T>::put(to, *value);
        }
    }
    static std::optional<T> get(unpacker& from) {
        if (!transfer<bool>::get(from)) {
            return std::nullopt;
        }
        return transfer<T>::get(from);
    }
};

}  // namespace lazult::concert
