// SPDX-License-Identifier: BSD-3-Clause
// The memory of the model: for each location the list of its stores, and for each thread how far
// down these lists it must look at least.
//
// Sources: Kang et al., "A Promising Semantics for Relaxed-Memory Concurrency" (POPL 2017), without
// promises; Lahav et al., "Repairing Sequential Consistency in C/C++11" (PLDI 2017); the loom
// checker for Rust.
//
// Stronger than C++ in two places: a store is the newest of its location at the moment when it runs
// (so 2+2W's weak outcome is not seen), and a load reads only stores that ran already (so no load
// buffering).
#pragma once

#include "tests/model/visited.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace lazult::model {

inline constexpr unsigned max_threads = 8;
inline constexpr unsigned max_locations = 512;

using stamp = std::uint16_t;

// What happened before: of each location the oldest store that may still be read, and a vector
// clock for races.
class view {
public:
    void clear() {
        used_ = 0;
        clock_.fill(0);
    }
    void copy(const view& other) {
        used_ = other.used_;
        std::copy_n(other.newest_.begin(), used_, newest_.begin());
        clock_ = other.clock_;
    }
    stamp newest(unsigned location) const {
        return location < used_ ? newest_[location] : stamp{0};
    }
    void see(unsigned location, stamp at) {
        extend(location + 1);
        newest_[location] = std::max(newest_[location], at);
    }
    stamp clock(unsigned thread) const { return clock_[thread]; }
    void tick(unsigned thread) { ++clock_[thread]; }

    // Happens-before: stores and data.
    void join(const view& other) {
        join_stores(other);
        for (unsigned each = 0; each < max_threads; ++each) {
            clock_[each] = std::max(clock_[each], other.clock_[each]);
        }
    }
    // What a barrier brings: order between stores and loads of atomics, but nothing for data.
    void join_stores(const view& other) {
        extend(other.used_);
        for (unsigned each = 0; each < other.used_; ++each) {
            newest_[each] = std::max(newest_[each], other.newest_[each]);
        }
    }

private:
    void extend(unsigned size) {
        for (; used_ < size; ++used_) {
            newest_[used_] = 0;
        }
    }

    unsigned used_ = 0;
    std::array<stamp, max_locations> newest_;  // the first used_ ones hold; the rest count as 0
    std::array<stamp, max_threads> clock_{};
};

struct message {
    std::uint64_t value = 0;
    bool releases = false;
    view released;  // what a load that acquires from this store learns
};

// The modification order of one atomic object.
class location {
public:
    void start(const void* where, std::uint64_t value, unsigned thread, stamp clock);
    message& append();

    const void* address = nullptr;
    bool alive = false;
    unsigned creator = 0;
    stamp creator_clock = 0;
    stamp sequential = 0;  // the newest store that a seq_cst access wrote or read
    unsigned name = 0;     // its creator and a number there: in whatever order threads create
    fingerprint stores;    // all that stand in the list

    stamp newest() const { return static_cast<stamp>(count_ - 1); }
    const message& at(stamp position) const { return messages_[position]; }

private:
    std::vector<message> messages_;  // kept from execution to execution; the first count_ hold
    std::size_t count_ = 0;
};

inline void location::start(const void* where, std::uint64_t value, unsigned thread, stamp clock) {
    address = where;
    alive = true;
    creator = thread;
    creator_clock = clock;
    sequential = 0;
    count_ = 0;
    append().value = value;
    stores = {};
    stores.add(value);
    stores.add(std::uint64_t{thread} << 32 | clock);
}

inline message& location::append() {
    if (count_ == messages_.size()) {
        messages_.emplace_back();
    }
    message& fresh = messages_[count_++];
    fresh.releases = false;
    return fresh;
}

inline bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_consume ||
           order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

inline bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

}  // namespace lazult::model
