// SPDX-License-Identifier: BSD-3-Clause
// The list of all streams of the process.
#pragma once

#include <mutex>
#include <vector>

#include "lazult/sched/stream_record.hpp"

namespace lazult::sched {

// field            written by             read by        order
// streams_, ranks_ under lock_            under lock_    the lock's
// count_           add, remove            anybody        relaxed: a hint
class stream_list {
public:
    stream_list() noexcept;

    // Takes the lowest free rank, and reserves room for its stream in the list. Otherwise add()
    // could fail for a stream that runs already. Such a stream would go on to serve pools that
    // their owner believes to be free.
    int take_rank();
    void give_rank(int rank);
    void add(stream_record& s);
    void remove(stream_record& s);
    int count() const noexcept { return count_.load(std::memory_order_relaxed); }

    std::vector<stream_record*> copy();
    // Calls visit() with each stream, under the lock.
    template <class Visit>
    void for_each(Visit visit) {
        const std::lock_guard hold(lock_);
        for (stream_record* s : streams_) {
            visit(*s);
        }
    }
    // Returns the first stream for which `which` is true, or nullptr.
    template <class Which>
    stream_record* first(Which which) {
        const std::lock_guard hold(lock_);
        for (stream_record* s : streams_) {
            if (which(*s)) {
                return s;
            }
        }
        return nullptr;
    }
    // Returns the stream with the lowest rank above `rank`, or nullptr.
    stream_record* first_above(int rank);

    // Returns the stealing pool of another stream that no thread has begun to end, or nullptr.
    stealing_pool* pool_of_another(const stream_record& but) noexcept;
    // Marks the stream as ending. From now on, units that must leave their own stream, because it
    // ends, are not sent to this stream's pool.
    void begin_to_end(stream_record& s) noexcept;
    // Like begin_to_end(), for a unit that runs on the stream and is at home in `home`. Returns the
    // pool in which the unit goes on until the stream has ended. That is `home`, unless this stream
    // or another one that ends takes units from it, so that the unit might be resumed there. Else
    // it is the pool of a stream that stays. If there is none, returns nullptr, and does not mark
    // the stream. The choice and the mark are one step, so no unit goes to a stream that began to
    // end before the unit's own. So no two units wait for each other's streams.
    core::pool* begin_to_end_by(stream_record& s, core::pool& home) noexcept;

private:
    stealing_pool* pool_that_stays(const stream_record& but) const noexcept;
    bool is_of_ending_stream(const core::pool& p) const noexcept;

    std::mutex lock_;
    std::vector<stream_record*> streams_;
    std::vector<bool> ranks_;  // by rank: whether it is taken
    ds::default_atomics::atomic<int> count_{0};
};

stream_list& streams();
int stream_count() noexcept;

}  // namespace lazult::sched
