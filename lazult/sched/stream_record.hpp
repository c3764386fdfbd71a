// SPDX-License-Identifier: BSD-3-Clause
// What components below stream.hpp know of a stream: its number, its pools and its scheduler.
// worker::stream points to it. The class stream, which has the OS thread, is derived from it.
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

class scheduler;
class stealing_pool;

// worker::number is below this number for streams to which a door gave it, and 0 for threads
// that are no streams. Other streams have greater ones, by their ranks.
inline constexpr std::size_t door_numbers = 49152;

// field              written by            read by     order
// is_ending_         begin_to_end*()       the same    the lock's of the list of streams
// the others         its own OS thread     anybody     none needed: written before it is listed, or
//                                                      while no other thread reads
class stream_record {
public:
    stream_record(const stream_record&) = delete;
    stream_record& operator=(const stream_record&) = delete;

    int rank() const noexcept { return rank_; }
    bool is_primary() const noexcept { return primary_ != nullptr; }
    // True if `u` is the primary ULT: the caller of adopt(), which became this stream.
    bool is_own_primary(const work_unit* u) const noexcept { return u != nullptr && u == primary_; }
    const work_unit* primary() const noexcept { return primary_; }
    bool is_independent() const noexcept { return independent_; }

    // Called in a forked child. The stream's OS thread exists only in the parent, so end() does
    // nothing.
    void leave_behind() noexcept { left_behind_ = true; }

    // Called under the lock of the list of streams, when a thread has begun to end the stream.
    void mark_ending() noexcept { is_ending_ = true; }
    bool is_ending() const noexcept { return is_ending_; }

    // Called by the stream's own OS thread, or while no thread replaces the scheduler.
    scheduler& main_scheduler() noexcept { return *main_; }
    void become_main(scheduler& next, ready_pool* first_pool) noexcept {
        main_ = &next;
        default_pool_ = first_pool;
    }
    // Returns the stream's pool in the steal group; nullptr under a user's scheduler.
    stealing_pool* stealing() const noexcept { return stealing_; }
    // Returns the default pool of new units; nullptr under a user's scheduler without pools.
    ready_pool* default_pool_or_null() noexcept { return default_pool_; }
    // Like default_pool_or_null(), but nullptr also for an independent stream. Such a stream ends
    // when its door likes, and an adopted one serves its pools only while its program waits there.
    ready_pool* runtime_pool_or_null() noexcept { return runtime_pool_; }
    // The stream must have a default pool.
    ready_pool& default_pool() noexcept {
        LAZULT_ASSERT(default_pool_ != nullptr);
        return *default_pool_;
    }

protected:
    explicit stream_record(int rank) noexcept : rank_(rank) {}
    ~stream_record() = default;

    int rank_;
    bool independent_ = false;
    bool left_behind_ = false;
    bool is_ending_ = false;
    work_unit* primary_ = nullptr;
    scheduler* main_ = nullptr;
    stealing_pool* stealing_ = nullptr;
    ready_pool* default_pool_ = nullptr;
    ready_pool* runtime_pool_ = nullptr;
};

// Returns the stream of an OS thread, or nullptr. `w` may be null.
inline stream_record* stream_record_of(const worker* w) noexcept {
    // relaxed: its own thread has stored it, and others look at the address alone
    return w == nullptr ? nullptr
                        : static_cast<stream_record*>(w->stream.load(std::memory_order_relaxed));
}

}  // namespace lazult::sched
