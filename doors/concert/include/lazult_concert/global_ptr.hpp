// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Names of objects that hold on every rank, and the places where objects live.
#pragma once

#include <lazult_concert/continuation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lazult::concert {

/// Where an object lives or a method runs: a rank, and one of its strands. A rank runs methods in
/// strands, one for each of its streams. Methods of one strand never run at the same time; those of
/// two strands may.
struct place {
    /// MPI's rank in MPI_COMM_WORLD.
    std::uint32_t rank = 0;
    /// The strand's number, or any: then the receiving rank takes one strand after the other.
    std::uint32_t strand = any;

    static constexpr std::uint32_t any = detail::any_strand;

    friend bool operator==(const place&, const place&) = default;
};

/// A rank, and any of its strands.
inline place on(int rank) noexcept { return {static_cast<std::uint32_t>(rank), place::any}; }
/// One strand of a rank: from 0 to 63.
inline place on(int rank, int strand) noexcept {
    return {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(strand)};
}

namespace detail {

// Throws error: invalid_argument. There is no such rank or strand.
[[noreturn]] LAZULT_API void refuse_place(const place& where);

// As it stands in a message's head and in a strand's `home`.
inline std::uint32_t home_of(const place& where) {
    constexpr std::uint32_t most_ranks = 1U << 16;
    constexpr std::uint32_t most_strands = 64;
    if (where.rank >= most_ranks || (where.strand >= most_strands && where.strand != place::any))
        [[unlikely]] {
        refuse_place(where);
    }
    return where.rank | (where.strand << 16);
}

struct object_header;

// The words of a global_ptr.
//   target  address of the object's header (48 bits), then the low half of its generation
//   where   rank (16 bits), strand (8), eight zero bits, the high half of the generation
struct object_words {
    std::uint64_t target = 0;
    std::uint64_t where = continuation_words::nowhere;

    std::uint32_t home() const noexcept { return static_cast<std::uint32_t>(where); }
    object_header* address() const noexcept {
        return reinterpret_cast<object_header*>(
            static_cast<std::uintptr_t>(static_cast<std::int64_t>(target) >> 16));
    }
    std::uint32_t generation() const noexcept {
        return static_cast<std::uint32_t>((target & 0xffff) | (where >> 32 << 16));
    }
    friend bool operator==(const object_words&, const object_words&) = default;
};

}  // namespace detail

/// The name of an object of type T, valid on every rank: 16 bytes that may be copied, kept, and
/// sent in messages. The object lives in one place until it is destroyed; its methods are called by
/// call(&T::method, pointer, arguments...), wherever the caller is. A call by the name of an object
/// that was destroyed throws error: freed_handle, or remote_error with that code if the object was
/// on another rank.
/// Source: Concert, section 5 ("global object space").
template <class T>
class global_ptr {
public:
    using element_type = T;

    /// The name of no object.
    global_ptr() noexcept = default;
    /// The same.
    global_ptr(std::nullptr_t) noexcept {}

    explicit operator bool() const noexcept { return words_.target != 0; }
    /// The rank where the object lives.
    int rank() const noexcept { return static_cast<int>(words_.where & 0xffff); }
    /// Where the object lives.
    place home() const noexcept { return {words_.home() & 0xffff, (words_.home() >> 16) & 0xff}; }

    friend bool operator==(const global_ptr&, const global_ptr&) = default;

    /// For the library alone.
    explicit global_ptr(const detail::object_words& words) noexcept : words_(words) {}
    /// For the library alone.
    const detail::object_words& words() const noexcept { return words_; }

private:
    detail::object_words words_;
};

}  // namespace lazult::concert

/// @cond
template <class T>
struct std::hash<lazult::concert::global_ptr<T>> {
    std::size_t operator()(const lazult::concert::global_ptr<T>& p) const noexcept {
        return std::hash<std::uint64_t>()(p.words().target ^ (p.words().where << 48));
    }
};
/// @endcond
