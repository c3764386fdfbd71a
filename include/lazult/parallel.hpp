// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops and reductions over tasks. The caller works too; loops may be nested. All functions here
/// may suspend. They rethrow the first exception that leaves a body, and skip what has not begun by
/// then. They throw error: cannot_suspend in a tasklet. Model: OpenMP's schedules, oneTBB's names.
#pragma once

#include <lazult/concepts.hpp>
#include <lazult/export.hpp>
#include <lazult/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace lazult {

/// How the iterations of a loop are distributed to workers.
struct chunking {
    /// The rules of static_chunks(), dynamic_chunks() and guided_chunks().
    enum class kind : unsigned char { fixed, dynamic, guided };

    kind how = kind::fixed;  ///< the rule
    std::size_t size = 0;    ///< iterations in a chunk; 0: the rule's default
};

/// Gives each stream one equal part, or, with a size, chunks of that size in turn. The loop's
/// arguments alone decide which worker runs an iteration.
constexpr chunking static_chunks(std::size_t size = 0) noexcept {
    return {chunking::kind::fixed, size};
}
/// Gives a worker that is free the next chunk of `size` iterations.
constexpr chunking dynamic_chunks(std::size_t size = 1) noexcept {
    return {chunking::kind::dynamic, size};
}
/// Gives a worker that is free the next chunk. Chunks are large at first and smaller towards the
/// end, and have at least `least` iterations.
constexpr chunking guided_chunks(std::size_t least = 1) noexcept {
    return {chunking::kind::guided, least};
}

namespace detail {

// True if F has one call operator, which is const. If the argument is an index, the operator may be
// a template, because this check instantiates it with the type with which the loop calls it.
template <class F, class... Args>
concept calls_as_const =
    requires { requires std::is_invocable_v<decltype(&F::operator()), const F&, Args...>; } ||
    (sizeof...(Args) == 1 && (std::integral<Args> && ...) && requires {
        requires std::is_invocable_v<decltype(&F::template operator()<Args...>), const F&, Args...>;
    });
// True for lambdas with captures, and for hardly anything else: they can be copied, but neither
// assigned nor default-constructed.
template <class F>
concept closure = std::is_class_v<F> && !std::is_aggregate_v<F> && std::copy_constructible<F> &&
                  !std::is_copy_assignable_v<F> && !std::is_default_constructible_v<F>;
// True if a loop calls a copy of the function object: for a small lambda that its calls do not
// change. The compiler knows that nothing else refers to the copy. So captured values stay in
// registers, whatever the lambda writes to memory.
template <class F, class... Args>
inline constexpr bool is_copied_in_loop = false;
template <closure F, class... Args>
    requires(std::is_trivially_copy_constructible_v<F> && std::is_trivially_destructible_v<F> &&
             sizeof(F) <= 64)
inline constexpr bool is_copied_in_loop<F, Args...> = calls_as_const<F, Args...>;

// The type of the object that a loop calls. F is deduced from a forwarding reference.
template <class F, class... Args>
using called_in_loop =
    std::conditional_t<is_copied_in_loop<std::remove_cvref_t<F>, Args...>,
                       const std::remove_cvref_t<F>, std::remove_reference_t<F>&>;

// Returns the number of streams, at least 1. Starts the runtime if need be.
LAZULT_API std::size_t concurrency();

// Distributes the iterations [0, count) to workers.
//
// field  written by  read by    order
// next   workers     workers    relaxed: it only counts; the join orders the loop's data
class dealer {
public:
    dealer(std::size_t count, chunking how, std::size_t workers) noexcept
        : count_(count), how_(how.how), workers_(workers), size_(chunk_size(count, how, workers)) {}

    std::size_t workers() const noexcept { return workers_; }

    // Calls body(first, last) for the chunks of one worker until none is left or stop() is true.
    template <class Body, class Stop>
    void deal(std::size_t worker, Body& body, Stop stop) {
        if (how_ == chunking::kind::fixed) {
            for (std::size_t c = worker; c < chunks() && !stop(); c += workers_) {
                body(bound(c), bound(c + 1));
            }
            return;
        }
        std::size_t first = 0;
        std::size_t last = 0;
        while (!stop() && take(first, last)) {
            body(first, last);
        }
    }

private:
    static std::size_t chunk_size(std::size_t count, chunking how, std::size_t workers) noexcept {
        const bool even = how.how == chunking::kind::fixed && how.size == 0;
        return even ? 0
                    : std::clamp<std::size_t>(how.size, 1, std::max<std::size_t>(count, workers));
    }
    std::size_t chunks() const noexcept { return size_ == 0 ? workers_ : (count_ - 1) / size_ + 1; }
    // Returns where chunk c begins. Equal parts are computed without a product that may overflow.
    std::size_t bound(std::size_t c) const noexcept {
        return size_ != 0 ? (c < chunks() ? c * size_ : count_)
                          : count_ / workers_ * c + std::min(c, count_ % workers_);
    }
    bool take(std::size_t& first, std::size_t& last) noexcept {
        first = next_.load(std::memory_order_relaxed);
        do {
            if (first >= count_) {
                return false;
            }
            const std::size_t left = count_ - first;
            const std::size_t share =
                how_ == chunking::kind::guided ? std::max(size_, left / (2 * workers_)) : size_;
            last = first + std::min(share, left);
        } while (!next_.compare_exchange_weak(first, last, std::memory_order_relaxed,
                                              std::memory_order_relaxed));
        return true;
    }

    std::size_t count_;
    chunking::kind how_;
    std::size_t workers_;
    std::size_t size_;
    std::atomic<std::size_t> next_{0};
};

// Runs a loop with a task for each worker. make_body(worker) returns a body(first, last).
template <class MakeBody>
class chunked_loop {
public:
    chunked_loop(std::size_t count, chunking how, std::size_t workers, const MakeBody& make_body)
        : make_body_(make_body), deals_(count, how, workers) {}

    // If the caller's own part throws, the group's destructor cancels the other tasks and waits.
    void run() {
        for (std::size_t worker = 1; worker < deals_.workers(); ++worker) {
            group_.run([this, worker] { work(worker); });
        }
        work(0);
        group_.wait();
    }

private:
    void work(std::size_t worker) {
        auto body = make_body_(worker);
        deals_.deal(worker, body, [this] { return group_.is_canceled(); });
    }

    const MakeBody& make_body_;
    dealer deals_;
    task_group group_;  // the last member: its destructor waits for tasks that use the others
};

// Runs a loop. A single worker needs no group, and gets all iterations in one call.
template <class MakeBody>
void parallel_chunks(std::size_t count, chunking how, std::size_t workers,
                     const MakeBody& make_body) {
    if (workers == 1) {
        make_body(0)(std::size_t{0}, count);
        return;
    }
    chunked_loop<MakeBody>(count, how, workers, make_body).run();
}

inline std::size_t workers_for(std::size_t count) { return std::min(count, concurrency()); }

template <class I>
std::size_t distance_between(I first, I last) {
    if constexpr (std::integral<I>) {
        return first < last ? static_cast<std::size_t>(last) - static_cast<std::size_t>(first) : 0;
    } else {
        return static_cast<std::size_t>(last - first);
    }
}

template <class I>
decltype(auto) element_at(I first, std::size_t offset) {
    if constexpr (std::integral<I>) {
        return static_cast<I>(static_cast<std::size_t>(first) + offset);
    } else {
        return first[static_cast<std::iter_difference_t<I>>(offset)];
    }
}

// Calls visit(element) for the elements of [from, to). Indices are counted in their own type, so
// that a compiler knows that they are consecutive, and may use vector instructions. `first` is
// passed by value, because the body may write to the caller's variable.
template <class I, class Visit>
void for_each_element(const I first, std::size_t from, std::size_t to, Visit&& visit) {
    if constexpr (std::integral<I> && !std::same_as<I, bool>) {
        const I end = element_at(first, to);
        for (I i = element_at(first, from); i < end; ++i) {
            visit(I{i});
        }
    } else {
        for (; from < to; ++from) {
            visit(element_at(first, from));
        }
    }
}

// Adds the elements of [from, to) to `sum`, a local variable so that it can stay in a register.
template <class I, class T, class Map, class Combine>
T fold(I first, std::size_t from, std::size_t to, T sum, Map& map, Combine& combine) {
    called_in_loop<Map&, loop_element_t<I>> own_map = map;
    using mapped = decltype(own_map(std::declval<loop_element_t<I>>()));
    called_in_loop<Combine&, T, mapped> own_combine = combine;
    for_each_element(first, from, to, [&](auto&& element) {
        sum = own_combine(std::move(sum), own_map(std::forward<decltype(element)>(element)));
    });
    return sum;
}

}  // namespace detail

/// Calls body(i) for each index i of [first, last), or body(*i) for iterators. A small lambda that
/// is not mutable and can be copied byte by byte is copied for each chunk, so that the compiler can
/// vectorise the loop. Any other body is called itself.
template <loop_index I, loop_body<I> Body>
void parallel_for(I first, std::type_identity_t<I> last, Body&& body, chunking how = {}) {
    const std::size_t count = detail::distance_between(first, last);
    if (count == 0) {
        return;
    }
    detail::parallel_chunks(count, how, detail::workers_for(count), [&](std::size_t) {
        return [&](std::size_t from, std::size_t to) {
            detail::called_in_loop<Body, detail::loop_element_t<I>> own = body;
            detail::for_each_element(first, from, to, own);
        };
    });
}

/// Calls body(element) for each element of the range.
template <std::ranges::random_access_range R, loop_body<std::ranges::iterator_t<R>> Body>
void parallel_for(R&& range, Body&& body, chunking how = {}) {
    parallel_for(std::ranges::begin(range),
                 std::ranges::begin(range) + std::ranges::distance(range), body, how);
}

/// Returns the combination of map(i), or map(*i) for iterators, over all iterations. `combine` must
/// be associative, and commutative unless static_chunks() is used without a size. combine(identity,
/// x) must be x, because each worker begins with the identity.
template <loop_index I, class T, class Map, class Combine>
    requires reduction_over<Map, Combine, T, I>
T parallel_reduce(I first, std::type_identity_t<I> last, T identity, Map&& map, Combine&& combine,
                  chunking how = {}) {
    // The gap keeps the sums of two workers on different cache lines.
    struct partial {
        T sum;
        std::byte gap[64];
    };
    const std::size_t count = detail::distance_between(first, last);
    if (count == 0) {
        return identity;
    }
    const std::size_t workers = detail::workers_for(count);
    if (workers == 1) {
        return detail::fold(first, 0, count, std::move(identity), map, combine);
    }
    std::vector<partial> partials(workers, partial{identity, {}});
    detail::parallel_chunks(count, how, workers, [&](std::size_t worker) {
        return [&, sum = &partials[worker].sum](std::size_t from, std::size_t to) {
            *sum = detail::fold(first, from, to, std::move(*sum), map, combine);
        };
    });
    T total = std::move(partials.front().sum);
    for (std::size_t i = 1; i < partials.size(); ++i) {
        total = combine(std::move(total), std::move(partials[i].sum));
    }
    return total;
}

/// Does what the other parallel_reduce() does, over the elements of a range.
template <std::ranges::random_access_range R, class T, class Map, class Combine>
    requires reduction_over<Map, Combine, T, std::ranges::iterator_t<R>>
T parallel_reduce(R&& range, T identity, Map&& map, Combine&& combine, chunking how = {}) {
    const auto first = std::ranges::begin(range);
    return parallel_reduce(first, first + std::ranges::distance(range), std::move(identity), map,
                           combine, how);
}

/// Calls all functions, each in a task of its own but the last one, which the caller calls.
template <class... F>
    requires(sizeof...(F) > 0 && (std::invocable<std::remove_reference_t<F>&> && ...))
void parallel_invoke(F&&... functions) {
    task_group group;
    std::size_t left = sizeof...(F);
    const auto start = [&](auto& function) {
        if (--left != 0) {
            group.run([&function] { std::invoke(function); });
        } else {
            std::invoke(function);
        }
    };
    (start(functions), ...);
    group.wait();
}

}  // namespace lazult
