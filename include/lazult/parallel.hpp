// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops and reductions over tasks. The caller works too; nested loops are fine. Everything here
/// may suspend, rethrows the first exception that left a body (what has not begun is skipped then),
/// and throws error: cannot_suspend in a tasklet. Model: OpenMP's schedules, oneTBB's names.
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

/// How the iterations of a loop are dealt out.
struct chunking {
    /// The three ways below.
    enum class kind : unsigned char { fixed, dynamic, guided };

    kind how = kind::fixed;  ///< the rule
    std::size_t size = 0;    ///< iterations in a chunk; 0: as the rule says
};

/// Equal parts, one to a stream; with a size: chunks of it, in turn. Each iteration's worker is
/// known beforehand.
constexpr chunking static_chunks(std::size_t size = 0) noexcept {
    return {chunking::kind::fixed, size};
}
/// Chunks of that size. A worker that is free takes the next one.
constexpr chunking dynamic_chunks(std::size_t size = 1) noexcept {
    return {chunking::kind::dynamic, size};
}
/// A worker that is free takes the next chunk. Chunks are large at first and smaller towards the
/// end, and have at least that size.
constexpr chunking guided_chunks(std::size_t least = 1) noexcept {
    return {chunking::kind::guided, least};
}

namespace detail {

// Whether F has one call operator, which is const. It may be a template where the argument is an
// index, as the loop calls it with that type: a template is instantiated by the question.
template <class F, class... Args>
concept calls_as_const =
    requires { requires std::is_invocable_v<decltype(&F::operator()), const F&, Args...>; } ||
    (sizeof...(Args) == 1 && (std::integral<Args> && ...) && requires {
        requires std::is_invocable_v<decltype(&F::template operator()<Args...>), const F&, Args...>;
    });
// What a lambda with captures is, and hardly anything else: it can be copied, but neither assigned
// nor made from nothing.
template <class F>
concept closure = std::is_class_v<F> && !std::is_aggregate_v<F> && std::copy_constructible<F> &&
                  !std::is_copy_assignable_v<F> && !std::is_default_constructible_v<F>;
// Whether a loop calls a copy of a function object: of a small lambda that its calls do not change.
// Nothing else refers to the copy, and the compiler knows that. So what it has captured stays in
// registers, whatever it stores.
template <class F, class... Args>
inline constexpr bool is_copied_in_loop = false;
template <closure F, class... Args>
    requires(std::is_trivially_copy_constructible_v<F> && std::is_trivially_destructible_v<F> &&
             sizeof(F) <= 64)
inline constexpr bool is_copied_in_loop<F, Args...> = calls_as_const<F, Args...>;

// F is deduced from a forwarding reference.
template <class F, class... Args>
using called_in_loop =
    std::conditional_t<is_copied_in_loop<std::remove_cvref_t<F>, Args...>,
                       const std::remove_cvref_t<F>, std::remove_reference_t<F>&>;

// How many tasks can run at once: the streams, one at least. Starts the runtime if need be.
LAZULT_API std::size_t concurrency();

// Deals out [0, count).
//
// field  written by  read by    order
// next   workers     workers    relaxed: it only counts; the join orders the rest
class dealer {
public:
    dealer(std::size_t count, chunking how, std::size_t workers) noexcept
        : count_(count), how_(how.how), workers_(workers), size_(chunk_size(count, how, workers)) {}

    std::size_t workers() const noexcept { return workers_; }

    // Calls body(first, last) for the chunks of one worker until there are none, or `stop()`.
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
    // Where chunk c begins. Equal parts without a product that may overflow.
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

// make_body(worker) returns what is called as body(first, last).
template <class MakeBody>
class chunked_loop {
public:
    chunked_loop(std::size_t count, chunking how, std::size_t workers, const MakeBody& make_body)
        : make_body_(make_body), deals_(count, how, workers) {}

    // When the caller's own part throws, the group's destructor cancels the others and waits.
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

// A single worker's chunks follow one another: they are one call, and need no group.
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

// Calls visit(element) for the elements of [from, to). Indices are counted in their own type: a
// compiler knows then that they follow one another, and may use vector instructions. `first` is a
// copy, because the body may write to its caller's.
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

// Adds the elements of [from, to) to `sum`, which is a local variable so that it can stay in a
// register.
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

/// Calls body(element) for each element.
template <std::ranges::random_access_range R, loop_body<std::ranges::iterator_t<R>> Body>
void parallel_for(R&& range, Body&& body, chunking how = {}) {
    parallel_for(std::ranges::begin(range),
                 std::ranges::begin(range) + std::ranges::distance(range), body, how);
}

/// Combines map(i), or map(*i), of all iterations: `combine` must be associative, and commutative
/// but for static_chunks(), and combine(identity, x) must be x. Each worker begins with the
/// identity.
template <loop_index I, class T, class Map, class Combine>
    requires reduction_over<Map, Combine, T, I>
T parallel_reduce(I first, std::type_identity_t<I> last, T identity, Map&& map, Combine&& combine,
                  chunking how = {}) {
    // The sums of two workers never lie on one cache line.
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

/// The same over a range.
template <std::ranges::random_access_range R, class T, class Map, class Combine>
    requires reduction_over<Map, Combine, T, std::ranges::iterator_t<R>>
T parallel_reduce(R&& range, T identity, Map&& map, Combine&& combine, chunking how = {}) {
    const auto first = std::ranges::begin(range);
    return parallel_reduce(first, first + std::ranges::distance(range), std::move(identity), map,
                           combine, how);
}

/// Calls all, the last one in the caller.
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
