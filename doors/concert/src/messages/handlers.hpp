// SPDX-License-Identifier: BSD-3-Clause
// Which functions messages may name. An entry is filled before any rank can name it, and stays.
//
// field      | written by                | read by        | order
// entries_   | add, one at a time        | send, deliver  | published by count_
// count_     | add, take_back            | all            | release / acquire
// retired_   | retire                    | deliver        | release / acquire
// escaped_   | is_first_escape           | the same       | relaxed: once each
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
    concert_handler run = nullptr;  // one of the two
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

    // One at a time. -1: it is full.
    int add(handler_entry entry) {
        const std::uint32_t at = count();
        if (at == most) {
            return -1;
        }
        entries_[at] = std::move(entry);
        count_.store(at + 1, std::memory_order_release);  // pairs with: count()
        return static_cast<int>(at);
    }
    // The newest, which no message has named.
    void take_back() noexcept {
        count_.store(count() - 1, std::memory_order_release);
    }  // pairs with: count()

    // nullptr: there is none.
    const handler_entry* find(std::uint32_t id) const noexcept {
        return id < count() ? &entries_[id] : nullptr;
    }

    // False: that is another one's number, of an earlier session say.
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

    // Whether no exception has left it before.
    bool is_first_escape(std::uint32_t id) const noexcept {
        // pairs with: nothing: a mark
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
