// SPDX-License-Identifier: BSD-3-Clause
// A value of any size that is set once, and may be made unset again: ABT_eventual.
//
// The state in the word:
//   unset -> setting   set, under the spin bit: the setter owns the buffer
//   setting -> set     set: the value is there; all waiters go on
//   set -> unset       reset
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstddef>
#include <cstring>

namespace lazult::sync {

// An eventual that keeps its value in its creator's memory. All zeros is an eventual that is unset
// and carries no value.
template <class Atomics = ds::default_atomics>
class basic_event_cell {
public:
    using record = waiter<Atomics>;

    constexpr basic_event_cell() noexcept = default;
    // `value` points to memory for `bytes` bytes, which must last as long as this object.
    basic_event_cell(std::size_t bytes, void* value) noexcept : size_(bytes), value_(value) {}

    // Waits until the eventual is set. Returns the value, which stays until the next reset().
    // Misuse in a tasklet, if the eventual is not set.
    void* wait() {
        if (!is_set() && wait_slow(no_deadline) != base::status::ok) {
            refuse_to_wait("eventual", "ask is_set(), or wait for it in a ULT");
        }
        return value();
    }
    // Returns ok, timed_out, canceled, or cannot_suspend in a tasklet.
    base::status wait_until(const wait_limit& limit) {
        return is_set() ? base::status::ok : wait_slow(limit);
    }
    bool is_set() const noexcept { return (queue_.peek() & set_bit) != 0; }

    // Copies `bytes` bytes, and wakes all waiters. Returns invalid_argument if `bytes` is more than
    // size(), and busy if the eventual is set, or is being set.
    base::status set(const void* from = nullptr, std::size_t bytes = 0) noexcept {
        if (bytes > size_) {
            return base::status::invalid_argument;
        }
        const word w = queue_.hold();
        if ((w & (set_bit | setting_bit)) != 0) {
            queue_.let_go(w);
            return base::status::busy;
        }
        if (bytes != 0) {
            queue_.let_go(w | setting_bit);  // because a large copy takes long
            std::memcpy(value(), from, bytes);
            queue_.hold();
        }
        record* waiting = queue_.take_chain();
        queue_.let_go(set_bit);
        wake_all(waiting);
        return base::status::ok;
    }

    // Unsets the eventual; waiters wait for the next value. No set() may be under way.
    void reset() noexcept { queue_.let_go(queue_.hold() & ~set_bit); }

    // Returns the memory of the value, also before the value is set.
    void* value() const noexcept { return value_; }
    std::size_t size() const noexcept { return size_; }

    // The next two functions are for wait_any().
    static bool passes(std::uint64_t w) noexcept { return (w & set_bit) != 0; }
    wait_queue<Atomics>& waiters() noexcept { return queue_; }

private:
    using queue = wait_queue<Atomics>;
    using word = typename queue::word;
    static constexpr word set_bit = queue::one;
    static constexpr word setting_bit = 2 * queue::one;

    LAZULT_NOINLINE base::status wait_slow(const wait_limit& limit) {
        const caller self = this_caller<Atomics>();
        record me(self.unit, wait_kind::eventual, this);
        const base::status outcome = queue_.wait(
            me, self.may_wait, limit, [](const word& w, record*&) noexcept { return passes(w); });
        cancellation_point(self.unit);
        return outcome;
    }

    queue queue_;
    std::size_t size_ = 0;
    void* value_ = nullptr;
};

// An eventual with memory of its own.
template <class Atomics = ds::default_atomics>
class basic_eventual : public basic_event_cell<Atomics> {
public:
    // Values of up to 16 bytes need no allocation. Throws std::bad_alloc for larger ones.
    explicit basic_eventual(std::size_t bytes = 0)
        : basic_event_cell<Atomics>(bytes, bytes > sizeof small_ ? new std::byte[bytes] : small_) {}
    ~basic_eventual() {
        if (this->value() != small_) {
            delete[] static_cast<std::byte*>(this->value());
        }
    }

private:
    alignas(std::max_align_t) std::byte small_[16] = {};
};

extern template class basic_event_cell<ds::default_atomics>;
using event_cell = basic_event_cell<>;
using eventual = basic_eventual<>;
static_assert(sizeof(event_cell) == 32);

}  // namespace lazult::sync
