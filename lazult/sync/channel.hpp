// SPDX-License-Identifier: BSD-3-Clause
// A bounded queue between any number of senders and receivers, first in, first out on both sides.
// An element goes straight to a receiver that waits. After close() nothing is sent any more; what
// was sent is still received.
//
// The state in the word: the number of elements in the ring, and whether the channel is closed.
//   n -> n + 1       send, below the capacity, while no receiver waits
//   n -> n - 1       receive, while no sender waits
//   n -> n           receive, with the element of the first waiting sender put in its place
//   open -> closed   close; all waiters get `closed`
// One queue of waiters serves both sides, because receivers wait only while the ring is empty,
// senders only while it is full, and the capacity is not 0.
//
// field   written by                read by     order
// ring_   the holder of the spin    the same    the spin bit's
// head_   the holder of the spin    the same    the spin bit's
// buffer  a waiter, in its record   its taker   the spin bit's; after wake() it is the waiter's
//                                               again
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace lazult::sync {

// How a channel moves and destroys elements, under its spin bit: neither may throw or wait.
struct element_type {
    std::size_t size;
    std::size_t alignment;
    // constructs `to` from `from`; nullptr: the bytes are copied
    void (*move)(void* to, void* from) noexcept;
    void (*destroy)(void* element) noexcept;  // nullptr: nothing to do

    static constexpr element_type bytes(std::size_t size) noexcept {
        return {size, alignof(std::max_align_t), nullptr, nullptr};
    }
};

class channel_base {
public:
    using queue = wait_queue<>;
    using record = waiter<>;
    using word = queue::word;

    // The ring has room for `capacity` elements; 0 is misuse. Throws std::bad_alloc.
    channel_base(std::size_t capacity, const element_type& elements);
    // No caller may use the channel any more.
    ~channel_base();

    // send() moves an element from *from; receive() moves one to the uninitialised *into. They do
    // so only with the outcome ok.
    // Outcomes: ok, closed, timed_out, canceled; busy: a try_ call would have to wait;
    // cannot_suspend: the call would have to wait, but the caller is a tasklet.
    base::status send(void* from, const wait_limit& limit = no_deadline);
    base::status try_send(void* from) noexcept;
    base::status receive(void* into, const wait_limit& limit = no_deadline);
    base::status try_receive(void* into) noexcept;
    // Like send() and receive(), but without a first attempt: for callers that have just got busy
    // from try_send() or try_receive().
    base::status wait_to_send(void* from, const wait_limit& limit);
    base::status wait_to_receive(void* into, const wait_limit& limit);

    // Closes the channel. Returns false if it was closed before.
    bool close() noexcept;
    bool is_closed() const noexcept { return (queue_.peek() & closed_bit) != 0; }
    // Hints: the channel may have changed when the caller looks at the result.
    std::size_t size() const noexcept { return queue_.peek() / one_element; }
    std::size_t capacity() const noexcept { return capacity_; }

    // For wait_any(): whether a send or a receive needs no waiting, and the transfers themselves.
    // The caller holds the spin bit.
    bool can_send(word w) const noexcept {
        return (w & closed_bit) != 0 || w / one_element < capacity_;
    }
    bool can_receive(word w) const noexcept {
        return (w & closed_bit) != 0 || w / one_element != 0;
    }
    base::status send_held(word& w, void* from, record*& to_wake) noexcept;
    base::status receive_held(word& w, void* into, record*& to_wake) noexcept;
    queue& waiters() noexcept { return queue_; }

private:
    static constexpr word closed_bit = queue::one;
    static constexpr word one_element = 2 * queue::one;

    // send_held() or receive_held().
    using transfer = base::status (channel_base::*)(word&, void*, record*&) noexcept;
    base::status finish_held(transfer how, word w, void* buffer) noexcept;
    base::status wait_for(transfer how, void* buffer, const wait_limit& limit);

    // True if the queue of waiters is empty, and the ring has room for an element (can_store) or
    // holds one (can_load).
    bool can_store(word w) const noexcept {
        return (w & (closed_bit | queue::waited_for)) == 0 && w / one_element < capacity_;
    }
    static bool can_load(word w) noexcept {
        return (w & queue::waited_for) == 0 && w >= one_element;
    }

    // Positions count from the first element, and are below the capacity.
    std::byte* slot(std::size_t position) noexcept {
        const std::size_t at = head_ + position;
        return ring_ + (at < capacity_ ? at : at - capacity_) * stride_;
    }
    void drop_first() noexcept { head_ = head_ + 1 == capacity_ ? 0 : head_ + 1; }
    void move(void* to, void* from) const noexcept;
    void move_out(void* to, void* slot) const noexcept;

    queue queue_;
    std::size_t head_ = 0;
    std::byte* ring_ = nullptr;
    std::size_t capacity_;
    std::size_t stride_;
    element_type elements_;
};

// A channel of elements of type T. A failed send leaves the value with the caller.
template <class T>
class channel {
    static_assert(
        std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
        "elements move under a spin lock: use std::unique_ptr for a type whose move may throw");

public:
    explicit channel(std::size_t capacity) : base_(capacity, type()) {}

    base::status send(T& value, const wait_limit& limit = no_deadline) {
        return base_.send(&value, limit);
    }
    base::status send(T&& value, const wait_limit& limit = no_deadline) {
        return base_.send(&value, limit);
    }
    base::status try_send(T& value) noexcept { return base_.try_send(&value); }
    base::status try_send(T&& value) noexcept { return base_.try_send(&value); }

    // Assigns the element to `value`, which stays as it was unless the outcome is ok.
    base::status receive(T& value, const wait_limit& limit = no_deadline) {
        return into(value, [&](void* place) { return base_.receive(place, limit); });
    }
    base::status try_receive(T& value) {
        return into(value, [&](void* place) { return base_.try_receive(place); });
    }

    bool close() noexcept { return base_.close(); }
    bool is_closed() const noexcept { return base_.is_closed(); }
    std::size_t size() const noexcept { return base_.size(); }
    std::size_t capacity() const noexcept { return base_.capacity(); }

    // For wait_any().
    channel_base& untyped() noexcept { return base_; }

private:
    static constexpr element_type type() noexcept {
        return {
            sizeof(T), alignof(T),
            [](void* to, void* from) noexcept { ::new (to) T(std::move(*static_cast<T*>(from))); },
            [](void* element) noexcept { static_cast<T*>(element)->~T(); }};
    }

    template <class Receive>
    static base::status into(T& value, Receive receive) {
        alignas(T) std::byte memory[sizeof(T)];
        const base::status outcome = receive(memory);
        if (outcome == base::status::ok) {
            T* received = std::launder(reinterpret_cast<T*>(memory));
            value = std::move(*received);
            received->~T();
        }
        return outcome;
    }

    channel_base base_;
};

}  // namespace lazult::sync
