// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays of objects over all ranks: one name, many elements.
#pragma once

#include <lazult_concert/coroutine.hpp>
#include <lazult_concert/loops.hpp>
#include <lazult_concert/remote_call.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace lazult::concert {

/// How the elements of an array are spread over places.
enum class spread : std::uint32_t {
    block,  ///< neighbours are together: the first n elements at the first place, and so on
    cyclic  ///< one element at each place, then the next one at each place
};

/// As an argument of create_array: stands for the element's index, a std::uint64_t.
struct own_index_argument {};
inline constexpr own_index_argument own_index{};

namespace detail {

// What every rank knows of an array. It is made on one rank, copied to all, and never changed.
struct array_table {
    std::uint64_t id = 0;
    std::uint64_t count = 0;
    spread how = spread::block;
    std::uint64_t stride = 0;          // bytes from element to element of one place
    std::vector<object_words> firsts;  // of each place: its first element

    std::size_t places() const noexcept { return firsts.size(); }
    std::uint64_t in_a_block() const noexcept { return (count + places() - 1) / places(); }
    // How many elements are at the place.
    std::uint64_t count_at(std::size_t p) const noexcept {
        if (how == spread::cyclic) {
            return count / places() + (p < count % places() ? 1 : 0);
        }
        const std::uint64_t before = std::min(count, p * in_a_block());
        return std::min(count - before, in_a_block());
    }
    std::size_t place_of(std::uint64_t i) const noexcept {
        return how == spread::cyclic ? i % places() : i / in_a_block();
    }
    std::uint64_t index_at(std::size_t p, std::uint64_t j) const noexcept {
        return how == spread::cyclic ? j * places() + p : p * in_a_block() + j;
    }
    object_words element(std::uint64_t i) const noexcept {
        const std::uint64_t j = how == spread::cyclic ? i / places() : i % in_a_block();
        object_words words = firsts[place_of(i)];
        words.target += (j * stride) << 16;
        return words;
    }
};

// Throws error: invalid_argument: an array of fewer than no elements.
[[noreturn]] LAZULT_API void refuse_count();
// A number that no other array of any rank has.
LAZULT_API std::uint64_t new_array_id();
// Keeps the table for good, and returns it. Throws std::bad_alloc.
LAZULT_API const array_table* keep_table(array_table table);
// Ends the process with a report if this rank has no such table.
LAZULT_API const array_table* table_of(std::uint64_t id) noexcept;
// Memory for so many objects in the strand that the caller is inside, one stride apart, with equal
// generations. Throws std::bad_alloc.
LAZULT_API object_header* take_objects(std::size_t count, std::size_t stride);
LAZULT_API void give_objects_back(object_header* first, std::size_t count,
                                  std::size_t stride) noexcept;
// How many places an array uses on each rank, and how many ranks there are.
LAZULT_API std::size_t strands_of_each_rank() noexcept;
LAZULT_API std::uint32_t count_of_ranks() noexcept;
LAZULT_API std::uint32_t number_of_this_rank() noexcept;

template <class T>
inline constexpr std::size_t stride_of = (sizeof(object_header) + sizeof(T) + 63) / 64 * 64;

inline object_header* header_at(object_header* first, std::size_t i, std::size_t stride) noexcept {
    return reinterpret_cast<object_header*>(reinterpret_cast<std::byte*>(first) + i * stride);
}

template <class A>
A argument_for(std::uint64_t, const A& argument) {
    return argument;
}
inline std::uint64_t argument_for(std::uint64_t index, own_index_argument) noexcept {
    return index;
}

// Makes the elements of one place.
template <class T, class... A>
object_words make_part(array_table shape, std::uint64_t p, A... arguments) {
    static_assert(alignof(T) <= 16, "an object may not be aligned to more than 16 bytes");
    const std::uint64_t count = shape.count_at(p);
    if (count == 0) {
        return {};
    }
    object_header* const first = take_objects(count, stride_of<T>);
    std::uint64_t made = 0;
    try {
        for (; made < count; ++made) {
            object_header* const h = header_at(first, made, stride_of<T>);
            ::new (h->body) T(argument_for(shape.index_at(p, made), arguments)...);
            h->type = &type_of_object<T>;
        }
    } catch (...) {
        while (made > 0) {
            std::destroy_at(static_cast<T*>(header_at(first, --made, stride_of<T>)->body));
        }
        give_objects_back(first, count, stride_of<T>);
        throw;
    }
    return words_of(*first);
}

}  // namespace detail

/// An array of objects that are spread over all ranks and strands. It is itself a name of 8 bytes.
/// It is valid on one rank, and translated when it travels: as an argument, as a result, and in
/// vectors, pairs, tuples and optionals of these. Its elements are objects, but all end together:
/// destroy refuses them. Source: Concurrent Aggregates, which Concert's language has.
template <class T>
class global_array {
public:
    /// Of no elements.
    global_array() noexcept = default;
    /// Not trivial, so that a struct that contains an array is not sent as bytes.
    // NOLINTBEGIN(modernize-use-equals-default)
    global_array(const global_array& other) noexcept : table_(other.table_) {}
    global_array& operator=(const global_array& other) noexcept {
        table_ = other.table_;
        return *this;
    }
    // NOLINTEND(modernize-use-equals-default)

    std::uint64_t size() const noexcept { return table_ == nullptr ? 0 : table_->count; }
    /// The name of an element. Precondition: 0 <= i < size().
    template <std::integral I>
    global_ptr<T> operator[](I i) const noexcept {
        return global_ptr<T>(table_->element(static_cast<std::uint64_t>(i)));
    }
    /// How many places have elements or could have.
    std::size_t places() const noexcept { return table_ == nullptr ? 0 : table_->places(); }
    friend bool operator==(const global_array&, const global_array&) = default;

    /// For the library alone.
    explicit global_array(const detail::array_table* table) noexcept : table_(table) {}
    /// For the library alone.
    const detail::array_table* table() const noexcept { return table_; }

private:
    const detail::array_table* table_ = nullptr;
};

template <class T>
struct transfer<global_array<T>> {
    static void put(packer& to, const global_array<T>& array) {
        transfer<std::uint64_t>::put(to, array.table() == nullptr ? 0 : array.table()->id);
    }
    static global_array<T> get(unpacker& from) noexcept {
        const std::uint64_t id = transfer<std::uint64_t>::get(from);
        return global_array<T>(id == 0 ? nullptr : detail::table_of(id));
    }
};
template <>
struct transfer<detail::array_table> {
    static void put(packer& to, const detail::array_table& t) {
        transfer<std::uint64_t>::put(to, t.id);
        transfer<std::uint64_t>::put(to, t.count);
        transfer<spread>::put(to, t.how);
        transfer<std::uint64_t>::put(to, t.stride);
        transfer<std::vector<detail::object_words>>::put(to, t.firsts);
    }
    static detail::array_table get(unpacker& from) {
        // Braces evaluate from left to right.
        return detail::array_table{transfer<std::uint64_t>::get(from),
                                   transfer<std::uint64_t>::get(from), transfer<spread>::get(from),
                                   transfer<std::uint64_t>::get(from),
                                   transfer<std::vector<detail::object_words>>::get(from)};
    }
};

namespace detail {

inline place place_number(std::size_t p, std::size_t strands) noexcept {
    const bool is_alone = count_of_ranks() == 1;  // perhaps without a session
    return {is_alone ? number_of_this_rank() : static_cast<std::uint32_t>(p / strands),
            static_cast<std::uint32_t>(p % strands)};
}
// The place of a part that has elements.
inline place place_of_part(const array_table& t, std::size_t p) noexcept {
    const std::uint32_t home = t.firsts[p].home();
    return {home & 0xffff, (home >> 16) & 0xff};
}

inline void keep_on_this_rank(array_table table) { keep_table(std::move(table)); }

template <class T>
struct array_creator {
    template <std::integral I, class... A>
    task<global_array<T>> operator()(I count, spread how, A... arguments) const {
        if (std::cmp_less(count, 0)) {
            refuse_count();
        }
        array_table table{new_array_id(), static_cast<std::uint64_t>(count), how, stride_of<T>, {}};
        // asked once: the runtime may start its streams while this waits
        const std::size_t strands = strands_of_each_rank();
        const std::size_t places = count_of_ranks() * strands;
        table.firsts.resize(places);
        const array_table shape = table;
        for (std::size_t p = 0; p < places; ++p) {
            table.firsts[p] =
                co_await call(place_number(p, strands), make_part<T, A...>, shape, p, arguments...);
        }
        const std::uint32_t ranks = count_of_ranks();
        for (std::uint32_t r = 0; r < ranks; ++r) {
            if (ranks != 1 && r != number_of_this_rank()) {
                co_await call(place{r, 0}, keep_on_this_rank, table);
            }
        }
        co_return global_array<T>(keep_table(std::move(table)));
    }
};

// The elements of one place: all calls are made before the first is waited for.
template <class F, class T, class... A>
outcome<void> call_element(std::int64_t j, global_array<T> of, std::uint64_t p, F method,
                           A... arguments) {
    const auto i = of.table()->index_at(p, static_cast<std::uint64_t>(j));
    return call(method, of[i], std::move(arguments)...).then([](auto...) {});
}
template <class F, class T, class... A>
outcome<void> call_part(global_array<T> of, std::uint64_t p, F method, A... arguments) {
    const auto count = static_cast<std::int64_t>(of.table()->count_at(p));
    return each(0, count, call_element<F, T, A...>, of, p, method, std::move(arguments)...);
}
template <class F, class T, class... A>
outcome<void> send_to_part(std::int64_t p, global_array<T> of, F method, A... arguments) {
    const auto number = static_cast<std::uint64_t>(p);
    if (of.table()->count_at(number) == 0) {
        return {};
    }
    return call(place_of_part(*of.table(), number), call_part<F, T, A...>, of, number, method,
                std::move(arguments)...);
}

template <class T>
void end_part(global_array<T> of, std::uint64_t p) {
    const array_table& t = *of.table();
    object_header* const first = t.firsts[p].address();
    if (first->generation != t.firsts[p].generation()) {
        refuse_name(t.firsts[p]);
    }
    for (std::uint64_t j = 0; j < t.count_at(p); ++j) {
        std::destroy_at(static_cast<T*>(header_at(first, j, t.stride)->body));
    }
    give_objects_back(first, t.count_at(p), t.stride);
}
template <class T>
outcome<void> send_end_to_part(std::int64_t p, global_array<T> of) {
    const auto number = static_cast<std::uint64_t>(p);
    if (of.table()->count_at(number) == 0) {
        return {};
    }
    return call(place_of_part(*of.table(), number), end_part<T>, of, number);
}

}  // namespace detail

/// A method that makes an array: call(create_array<T>, count, spread::block, arguments...). Each
/// element is T(arguments...); own_index among these stands for the element's index. Throws
/// std::bad_alloc; error: invalid_argument, if the count is negative; what a constructor throws.
/// Elements that were made at other places by then stay for good.
template <class T>
inline constexpr detail::array_creator<T> create_array{};

/// A method that calls a method of every element: call(for_each_element, array, &T::method,
/// arguments...). One message goes to each place, and calls those of that place. Results are
/// dropped; the first exception is the caller's.
struct for_each_element_method {
    template <class T, class F, class... A>
    outcome<void> operator()(global_array<T> of, F method, A... arguments) const {
        return each(0, static_cast<std::int64_t>(of.places()), detail::send_to_part<F, T, A...>, of,
                    method, std::move(arguments)...);
    }
};
inline constexpr for_each_element_method for_each_element{};

/// A method that ends an array with all its elements: call(destroy_array, array). No method of an
/// element may be under way. Calls by the names of elements fail afterwards: freed_handle. Each
/// rank keeps a table of the array's places, because its name may still travel.
struct destroy_array_method {
    template <class T>
    outcome<void> operator()(global_array<T> of) const {
        return each(0, static_cast<std::int64_t>(of.places()), detail::send_end_to_part<T>, of);
    }
};
inline constexpr destroy_array_method destroy_array{};

}  // namespace lazult::concert
