// SPDX-License-Identifier: BSD-3-Clause
// What the other folders ask about objects.
#pragma once

#include <lazult_concert/object.hpp>

#include <cstdint>

namespace lazult::concert {

namespace detail {

// A method that waits to be inside an object. It stands in a context's memory. Each strand has a
// list of its objects with waiters, linked through the first waiter of each.
struct object_waiter : context {
    object_waiter* behind;
    object_waiter* previous_queue;
    object_waiter* next_queue;
    object_header* of;
    continuation_words to;
    bool reads;
};

}  // namespace detail

// Called inside a strand: the beginning of that list.
const detail::object_waiter* first_queue() noexcept;
// The context that a result goes to, if that is one of the strand that the caller is inside.
const detail::context* context_above(const detail::strand_data& in,
                                     const detail::continuation_words& to) noexcept;

// How many objects there are in this process.
std::uint64_t objects_alive() noexcept;
// Adds `more`, which may be negative.
void count_objects(std::int64_t more) noexcept;

}  // namespace lazult::concert
