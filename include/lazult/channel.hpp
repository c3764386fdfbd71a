// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bounded queues between threads.
#pragma once

#include <lazult/concepts.hpp>
#include <lazult/detail/deadline.hpp>
#include <lazult/error.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace lazult {

namespace detail {

struct channel_access;

struct channel_element {
    std::size_t size;
    std::size_t alignment;
    void (*move)(void* to, void* from) noexcept;
    void (*destroy)(void* element) noexcept;
};

enum class transfer : int { done, closed, not_yet };

class LAZULT_API channel_base {
public:
    // Throws error: invalid_argument (the capacity is 0); std::bad_alloc.
    channel_base(std::size_t capacity, const channel_element& type);
    ~channel_base();
    channel_base(const channel_base&) = delete;
    channel_base& operator=(const channel_base&) = delete;

    transfer send(void* from, std::int64_t deadline, const std::stop_token* stop = nullptr);
    transfer try_send(void* from) noexcept;
    transfer receive(void* into, std::int64_t deadline, const std::stop_token* stop = nullptr);
    transfer try_receive(void* into) noexcept;
    bool close() noexcept;
    bool is_closed() const noexcept;
    std::size_t size() const noexcept;
    std::size_t capacity() const noexcept;

private:
    friend struct channel_access;
    alignas(8) std::byte state_[96];
};

// Memory for an element that is received.
template <class T>
class channel_slot {
public:
    void* place() noexcept { return bytes_; }
    std::optional<T> take() {
        T& there = *std::launder(reinterpret_cast<T*>(bytes_));
        std::optional<T> result(std::move(there));
        std::destroy_at(&there);
        return result;
    }

private:
    alignas(T) std::byte bytes_[sizeof(T)];
};

}  // namespace detail

/// A queue with room for a fixed number of elements, for any number of senders and receivers, which
/// are served in the order in which they come. After close() nothing can be sent, but elements that
/// were sent before can be received. Model: Go's channels. Thread-safe. try_send(), try_receive()
/// and close() never suspend and are for tasklets too. The other forms throw error: cannot_suspend
/// (in a tasklet, when they would have to wait).
template <moves_without_throwing T>
class channel {
public:
    /// A channel for `capacity` elements. Throws error: invalid_argument (0); std::bad_alloc.
    explicit channel(std::size_t capacity) : base_(capacity, type()) {}

    /// Sends the value. May suspend while the channel is full. Returns false if it is closed.
    bool send(T value) { return base_.send(&value, detail::no_deadline) == detail::transfer::done; }
    /// Sends the value if there is room. Returns false if the channel is full or closed; then the
    /// value is unchanged.
    bool try_send(T& value) noexcept { return base_.try_send(&value) == detail::transfer::done; }
    /// Does what the other try_send() does, for a temporary value.
    bool try_send(T&& value) noexcept { return try_send(value); }
    /// Does what try_send() does, but waits up to `span` for room. May suspend.
    template <class Rep, class Period>
    bool try_send_for(T& value, std::chrono::duration<Rep, Period> span) {
        return base_.send(&value, detail::deadline_after(span)) == detail::transfer::done;
    }

    /// Sends the value. May suspend while the channel is full. Returns false, with the value
    /// unchanged, if the channel is closed, or when a stop is requested first.
    bool send(std::stop_token stop, T& value) {
        return base_.send(&value, detail::no_deadline, &stop) == detail::transfer::done;
    }

    /// Receives the oldest element. May suspend while the channel is empty. Returns nothing if the
    /// channel is closed and empty.
    std::optional<T> receive() {
        detail::channel_slot<T> slot;
        return taken(base_.receive(slot.place(), detail::no_deadline), slot);
    }
    /// Does what receive() does, but returns nothing when a stop is requested first.
    std::optional<T> receive(std::stop_token stop) {
        detail::channel_slot<T> slot;
        return taken(base_.receive(slot.place(), detail::no_deadline, &stop), slot);
    }
    /// Receives the oldest element, or returns nothing if the channel is empty.
    std::optional<T> try_receive() {
        detail::channel_slot<T> slot;
        return taken(base_.try_receive(slot.place()), slot);
    }
    /// Does what try_receive() does, but waits up to `span` for an element. May suspend.
    template <class Rep, class Period>
    std::optional<T> try_receive_for(std::chrono::duration<Rep, Period> span) {
        detail::channel_slot<T> slot;
        return taken(base_.receive(slot.place(), detail::deadline_after(span)), slot);
    }

    /// Closes the channel and resumes all waiters. Returns false if it was closed before.
    bool close() noexcept { return base_.close(); }
    /// Returns true after close(). Elements that were sent before may still be there to receive.
    bool is_closed() const noexcept { return base_.is_closed(); }
    /// Returns the number of elements in the channel: a hint while other threads use it.
    std::size_t size() const noexcept { return base_.size(); }
    /// Returns true if the channel has no elements: a hint while other threads use it.
    bool empty() const noexcept { return size() == 0; }
    /// Returns how many elements the channel has room for: the constructor's argument.
    std::size_t capacity() const noexcept { return base_.capacity(); }

    /// For wait_any: receive_from() and send_to() use it.
    detail::channel_base& as_base() noexcept { return base_; }

private:
    // Null functions mean: copy the bytes, and destroy nothing.
    static constexpr detail::channel_element type() noexcept {
        if constexpr (std::is_trivially_copyable_v<T>) {
            return {sizeof(T), alignof(T), nullptr, nullptr};
        }
        return {
            sizeof(T), alignof(T),
            [](void* to, void* from) noexcept { ::new (to) T(std::move(*static_cast<T*>(from))); },
            [](void* element) noexcept { std::destroy_at(static_cast<T*>(element)); }};
    }
    static std::optional<T> taken(detail::transfer outcome, detail::channel_slot<T>& slot) {
        return outcome == detail::transfer::done ? slot.take() : std::nullopt;
    }

    detail::channel_base base_;
};

}  // namespace lazult
