// SPDX-License-Identifier: BSD-3-Clause
// All streams of the process.
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

    // The lowest free one. With room for its stream in the list: a stream that could not be listed
    // once it runs would be nobody's, and go on to serve pools that their owner believes to be
    // free.
    int take_rank();
    void give_rank(int rank);
    void add(stream_record& s);
    void remove(stream_record& s);
    int count() const noexcept { return count_.load(std::memory_order_relaxed); }

    std::vector<stream_record*> copy();
    // Under the lock.
    template <class Visit>
    void for_each(Visit visit) {
        const std::lock_guard hold(lock_);
        for (stream_record* s : streams_) {
            visit(*s);
        }
    }
    // The first one of which `which` is true, or nullptr.
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
    // The one with the lowest rank above this one, or nullptr.
    stream_record* first_above(int rank);

    // Of a stream that the runtime's own scheduler serves, and that nobody has begun to end;
    // nullptr when there is no other.
    stealing_pool* pool_of_another(const stream_record& but) noexcept;
    // From now on no unit is sent to the stream's pool because its own stream ends.
    void begin_to_end(stream_record& s) noexcept;
    // As above, by a unit that runs there and is at home in that pool. Where it goes on until the
    // stream has ended: at home, if neither this stream nor another one that ends has to do with
    // that, for a unit of a work-stealing pool goes on wherever what it waited for has ended; else
    // in the pool of a stream that stays. The choice and the mark are one step: a unit waits on no
    // stream that began to end before its own, so no two units wait for each other's streams.
    // nullptr, and no mark: there is none.
    core::pool* begin_to_end_by(stream_record& s, core::pool& home) noexcept;

private:
    stealing_pool* pool_that_stays(const stream_record& but) const noexcept;
    bool is_of_ending_stream(const core::pool& p) const noexcept;

    std::mutex lock_;
    std::vector<stream_record*> streams_;
    std::vector<bool> ranks_;  // taken
    ds::default_atomics::atomic<int> count_{0};
};

stream_list& streams();
int stream_count() noexcept;

}  // namespace lazult::sched
