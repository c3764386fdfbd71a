// SPDX-License-Identifier: BSD-3-Clause
// The table of the functions that messages may name. An entry is complete before any rank can name
// it, and does not change.
//
// field      | written by                | read by        | order
// entries_   | add, one at a time        | send, deliver  | published by count_
// count_     | add, take_back            | all            | release / acquire
// retired_   | retire                    | deliver        | release / acquire
// escaped_   | is_first_escape           | the same       | relaxed: publishes nothing
#pragma once

#include "lazult/ds/ds.hpp"

#include <lazult_concert.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace lazult::concert {

struct handler_entry {
    concert_handler run = nullptr;  // either run or run4 is set
    concert_handler4 run4 = nullptr;
    void* context = nullptr;
    std::string name;

    void invoke(int source, const std::byte* data, std::size_t bytes) const {
        if (run != nullptr) {
            run(source, data, bytes, context);
            return;
        }
        std::uint64_t a[4];
        std::memcpy(a, data, sizeof a);
        run4(source, a[0], a[1], a[2], a[3], context);
    }
};

class handler_table {
public:
    static constexpr std::uint32_t most = 1024;

    // Adds an entry. Returns its number, or -1 if the table is full. One thread at a time.
    int add(handler_entry entry) {
        const std::uint32_t at = count();
        if (at == most) {
            return -1;
        }
        entries_[at] = std::move(entry);
        count_.store(at + 1, std::memory_order_release);  // pairs with: count()
        return static_cast<int>(at);
    }
    // Removes the newest entry, which no message has named.
    void take_back() noexcept {
        count_.store(count() - 1, std::memory_order_release);
    }  // pairs with: count()

    // Returns nullptr if no handler has this number.
    const handler_entry* find(std::uint32_t id) const noexcept {
        return id < count() ? &entries_[id] : nullptr;
    }

    // Retires a handler. Returns false if the number is not that of the handler with this context,
    // but of a handler of another session, say.
    bool retire(int id, const void* context) noexcept {
        const handler_entry* const entry = find(static_cast<std::uint32_t>(id));
        if (entry == nullptr || entry->context != context) {
            return false;
        }
        // pairs with: is_retired()
        retired_[static_cast<std::size_t>(id)].store(true, std::memory_order_release);
        return true;
    }
    bool is_retired(std::uint32_t id) const noexcept {
        return retired_[id].load(std::memory_order_acquire);  // pairs with: retire()
    }

    // Returns true for the first exception that leaves this handler.
    bool is_first_escape(std::uint32_t id) const noexcept {
        // relaxed: a mark
        return !escaped_[id].exchange(true, std::memory_order_relaxed);
    }

private:
    std::uint32_t count() const noexcept {
        return count_.load(std::memory_order_acquire);  // pairs with: add(), take_back()
    }

    std::array<handler_entry, most> entries_;
    std::array<ds::default_atomics::atomic<bool>, most> retired_{};
    mutable std::array<ds::default_atomics::atomic<bool>, most> escaped_{};
    ds::default_atomics::atomic<std::uint32_t> count_{0};
};

}  // namespace lazult::concert
