// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// call_cached() remembers the result of a call, and forget_cached() forgets all results.
#pragma once

#include <lazult_concert/coroutine.hpp>
#include <lazult_concert/remote_call.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lazult::concert {

namespace detail {

// How often forget_cached() was called.
LAZULT_API std::uint64_t cache_epoch() noexcept;

// The results of one method in one strand. Only the thread inside the strand touches them.
template <auto Method, class T>
class cache_of_strand {
    using R = typename object_method<guard::implied, decltype(Method), T>::R;

public:
    // The result for one object, or the continuations that wait for it. Those that wait keep the
    // entry alive, also if it is forgotten meanwhile.
    struct entry {
        bool is_there = false;
        R value{};
        std::vector<continuation<R>> waiting;
    };
    using entry_pointer = std::shared_ptr<entry>;

    static cache_of_strand& here_inside() {
        if (here.inside->simulated != 0) [[unlikely]] {
            return of_simulated(here.inside->simulated);
        }
        static std::array<cache_of_strand, 64> all;
        return all[(here.inside->home >> 16) & 63];
    }
    // Returns the object's entry, new or not. Throws std::bad_alloc.
    entry_pointer& entry_of(global_ptr<T> of) {
        if (const std::uint64_t now = cache_epoch(); now != epoch_) {
            known_.clear();
            epoch_ = now;
        }
        return known_[of];
    }
    void forget(global_ptr<T> of, const entry_pointer& e) {
        if (const auto found = known_.find(of); found != known_.end() && found->second == e) {
            known_.erase(found);
        }
    }

private:
    // Simulated ranks run one at a time. The deque does not move what is in it.
    static cache_of_strand& of_simulated(std::size_t number) {
        static std::deque<cache_of_strand> all;
        if (all.size() < number) {
            all.resize(number);
        }
        return all[number - 1];
    }

    std::uint64_t epoch_ = 0;
    std::unordered_map<global_ptr<T>, entry_pointer> known_;
};

// Calls the method, and gives its result to all that wait. A coroutine, because it must learn of an
// exception, too.
template <auto Method, class T>
task<void> fetch(global_ptr<T> of, typename cache_of_strand<Method, T>::entry_pointer into) {
    using cache = cache_of_strand<Method, T>;
    std::exception_ptr error;
    try {
        into->value = co_await call(Method, of);
        into->is_there = true;
    } catch (...) {
        error = std::current_exception();
    }
    auto waiting = std::move(into->waiting);
    if (error != nullptr) {
        cache::here_inside().forget(of, into);
    }
    for (const auto& each : waiting) {
        if (error == nullptr) {
            each.resolve(into->value);
        } else {
            each.fail(error);
        }
    }
}

template <auto Method, class T>
struct cached_method {
    using R = typename object_method<guard::implied, decltype(Method), T>::R;
    static_assert(std::is_copy_constructible_v<R> && std::is_default_constructible_v<R>,
                  "a result that is remembered must be copied, and have a default");
    static_assert(object_method<guard::implied, decltype(Method), T>::reads,
                  "the result of a method that writes cannot be remembered: make it const");

    outcome<R> operator()(caller<R> by, global_ptr<T> of) const {
        using cache = cache_of_strand<Method, T>;
        strand_data& in = *here.inside;
        if (of.words().home() == in.home) {
            return by.pass_to(Method, of);
        }
        auto& known = cache::here_inside().entry_of(of);
        if (known != nullptr && known->is_there) {
            ++in.count.cache_hits;
            return known->value;
        }
        const bool is_first = known == nullptr;
        if (is_first) {
            known = std::make_shared<typename cache::entry>();
        }
        const typename cache::entry_pointer mine = known;  // the table may change
        mine->waiting.reserve(mine->waiting.size() + 1);
        mine->waiting.push_back(by.take());
        ++in.count.cache_misses;
        if (is_first) {
            begin(of, mine);
        }
        return by.given();
    }

private:
    static void begin(global_ptr<T> of,
                      const typename cache_of_strand<Method, T>::entry_pointer& into) {
        try {
            static_cast<void>(outcome<void>(call(fetch<Method, T>, of, into)));
        } catch (...) {
            cache_of_strand<Method, T>::here_inside().forget(of, into);
            for (const auto& each : std::exchange(into->waiting, {})) {
                each.fail(std::current_exception());
            }
        }
    }
};

}  // namespace detail

/// A call of a method that reads, without arguments, whose result is remembered in the caller's
/// strand: call_cached<&T::method>(pointer). The next call from this strand gives a copy of the
/// result without going anywhere, until forget_cached() is called in this process. Calls that come
/// while the first is under way wait for the same message. An object in the caller's own strand is
/// called as by call(). An exception is not remembered.
///
/// What is remembered may be out of date: use this for what does not change until forget_cached().
/// Source: Concert's applications, which keep such caches (sections 5 and 6).
template <auto Method, class T>
[[gnu::always_inline]] inline auto call_cached(global_ptr<T> object) {
    return pending_call<detail::cached_method<Method, T>, global_ptr<T>>({}, object);
}

/// Forgets what call_cached() has remembered in this process. Calls that are under way give their
/// callers what they bring. Thread-safe. It does nothing on other ranks: use
/// call(on(rank), forget_cached) for these.
LAZULT_API void forget_cached() noexcept;

}  // namespace lazult::concert
