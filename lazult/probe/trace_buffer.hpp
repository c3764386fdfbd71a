// SPDX-License-Identifier: BSD-3-Clause
// The first `capacity` events of one OS thread, in order.
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/base/base.hpp"

namespace lazult::probe {

enum class trace_event : std::uint8_t {
    created,
    started,   // detail: 1 if its joiner called it in place
    suspends,  // detail: why; number: how it had started, + 256 if it suspends for the first time
    awaits,    // what the next `suspends` is for; unit, life: a unit that is joined, or nullptr;
               // object, detail: see core/observe/trace.hpp; number: how many more are awaited
    woken,     // made ready; the waker runs on this thread
    resumed,
    returned_into,  // a joiner: its child in place had suspended, and has now ended on this thread
    ended,          // number: how it had started
    idle_begins,
    idle_ends,
    stole,  // number: how many units
    stream_begins,
    stream_ends,
};

struct trace_record {
    std::uint64_t ticks;  // arch::read_tsc(), or nanoseconds where there is none
    const void* unit;
    union {
        void (*entry)(void*);
        std::uint64_t object;  // of `awaits`
    };
    std::uint32_t life;  // tells apart the units that used one descriptor
    trace_event what;
    std::uint8_t detail;
    std::uint16_t number;
};
static_assert(sizeof(trace_record) == 32);

// field     written by   read by             order
// count_    the owner    the file's writer   release / acquire: publishes the records below it
// dropped_  the owner    the file's writer   relaxed: a number
// records_  the owner    the file's writer   published by count_
class trace_buffer {
public:
    // Allocates memory for `capacity` events. If there is none, all events are dropped.
    explicit trace_buffer(std::uint32_t capacity) noexcept;

    void add(const trace_record& r) noexcept {
        const std::uint32_t at = count_.load(std::memory_order_relaxed);  // only its owner writes
        if (at == capacity_) LAZULT_UNLIKELY {
            dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            return;
        }
        records_[at] = r;
        count_.store(at + 1, std::memory_order_release);  // pairs with: count(), load of count_
    }

    std::uint32_t count() const noexcept {
        return count_.load(std::memory_order_acquire);  // pairs with: add(), store of count_
    }
    // Precondition: i < count().
    const trace_record& operator[](std::uint32_t i) const noexcept { return records_[i]; }
    std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

private:
    trace_record* records_;
    std::uint32_t capacity_;
    std::atomic<std::uint32_t> count_{0};
    std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace lazult::probe
