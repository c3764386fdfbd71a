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
    // Throws error: invalid_argument (room for none); std::bad_alloc.
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

// Where an element is received.
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

/// For any number of senders and receivers, first come, first served. After close() nothing is sent
/// any more, and what was sent is still received. Model: Go's channels. Thread-safe; the try_ forms
/// and close() never suspend and are for tasklets too. The others throw error: cannot_suspend (in a
/// tasklet, when they would have to wait).
template <moves_without_throwing T>
class channel {
public:
    /// Throws error: invalid_argument (0); std::bad_alloc.
    explicit channel(std::size_t capacity) : base_(capacity, type()) {}

    /// False when the channel is closed. May suspend while it is full.
    bool send(T value) { return base_.send(&value, detail::no_deadline) == detail::transfer::done; }
    /// False when it is full or closed: then the value is still the caller's.
    bool try_send(T& value) noexcept { return base_.try_send(&value) == detail::transfer::done; }
    /// The same for a temporary value.
    bool try_send(T&& value) noexcept { return try_send(value); }
    /// As try_send(), but it waits for so long at the most.
    template <class Rep, class Period>
    bool try_send_for(T& value, std::chrono::duration<Rep, Period> span) {
        return base_.send(&value, detail::deadline_after(span)) == detail::transfer::done;
    }

    /// Also ends when a stop is requested. False then, or when it is closed: the value is still the
    /// caller's.
    bool send(std::stop_token stop, T& value) {
        return base_.send(&value, detail::no_deadline, &stop) == detail::transfer::done;
    }

    /// Nothing when the channel is closed and empty. May suspend while it is empty.
    std::optional<T> receive() {
        detail::channel_slot<T> slot;
        return taken(base_.receive(slot.place(), detail::no_deadline), slot);
    }
    /// Also ends when a stop is requested: then nothing.
    std::optional<T> receive(std::stop_token stop) {
        detail::channel_slot<T> slot;
        return taken(base_.receive(slot.place(), detail::no_deadline, &stop), slot);
    }
    /// Nothing when it is empty.
    std::optional<T> try_receive() {
        detail::channel_slot<T> slot;
        return taken(base_.try_receive(slot.place()), slot);
    }
    /// As try_receive(), but it waits for so long at the most.
    template <class Rep, class Period>
    std::optional<T> try_receive_for(std::chrono::duration<Rep, Period> span) {
        detail::channel_slot<T> slot;
        return taken(base_.receive(slot.place(), detail::deadline_after(span)), slot);
    }

    /// Closes the channel and resumes all waiters. False if it was closed before.
    bool close() noexcept { return base_.close(); }
    /// Thread-safe. What was sent before may still be there to receive.
    bool is_closed() const noexcept { return base_.is_closed(); }
    /// How many elements wait: a hint while others use the channel.
    std::size_t size() const noexcept { return base_.size(); }
    /// Whether none waits: a hint, too.
    bool empty() const noexcept { return size() == 0; }
    /// How many elements there is room for: what the constructor was given.
    std::size_t capacity() const noexcept { return base_.capacity(); }

    /// For wait_any, by receive_from() and send_to().
    detail::channel_base& as_base() noexcept { return base_; }

private:
    // Null functions: the bytes are copied, and nothing is destroyed.
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
