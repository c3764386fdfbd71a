// SPDX-License-Identifier: BSD-3-Clause
// Strands: each runs contexts, one at a time, for whichever thread is inside it.
#pragma once

#include "contexts/turn.hpp"
#include "support/hold_count.hpp"

#include "lazult/ds/ds.hpp"
#include "lazult/sync/sync.hpp"

#include <lazult_concert_threads.h>
#include <lazult_concert_methods.hpp>

#include <cstddef>
#include <cstdint>

namespace lazult::concert {

class strand;
class transport;
namespace detail {
struct object_header;
struct object_waiter;
}  // namespace detail

// What a thread outside of a strand leaves for the thread inside.
struct news {
    news* next = nullptr;
    // Called by the thread inside. It does what there is to do, and frees the news.
    void (*take)(news* self, strand& in) = nullptr;
};

// What strands have begun and not ended: see counted_turn.
[[gnu::visibility("hidden")]] extern hold_count<> strands_at_work;

// What objects of one strand have in common: see objects.cpp.
struct objects_of_strand {
    static constexpr std::size_t classes = 64;
    detail::object_header* free[classes] = {};
    detail::object_waiter* queues = nullptr;
};

class alignas(64) strand : public detail::strand_data {
public:
    constexpr strand() noexcept : strand(strands_at_work) {}
    // `work` is held while a thread is inside or a visit is due.
    constexpr explicit strand(hold_count<>& work, std::uint32_t simulated_number = 0) noexcept
        : turn_(work) {
        simulated = simulated_number;
    }

    // Any thread that is not inside this strand. The caller must restore `here` after leave() if it
    // is inside another one. False: another thread is inside.
    bool try_enter() noexcept;
    // The thread inside. Contexts that are ready are left to a visit.
    void leave() noexcept;
    // The thread inside: runs contexts, and lets messages come, until the event has happened; and
    // leaves. False: it has left before, as no context is ready or another thread is inside now.
    bool leave_after(sync::event_cell& result) noexcept;
    // Makes the visits that are due and have not come yet. A visit is a tasklet, so it comes late
    // if the streams are busy, and not at all if the only stream never gives way. Called outside of
    // strands and handlers, by a thread that waits. Returns true if there was one.
    static bool make_due_visits() noexcept;
    // A visit that is due, by a thread that is inside no strand.
    void visit() noexcept;
    // Any thread that is inside no strand. Adds what this strand has counted. False: another thread
    // is inside.
    bool try_to_count(method_counters& sum) noexcept;
    // The thread inside: see detail::must_give_way().
    bool must_give_way() noexcept;
    // The thread inside. One resolution of a counter, or of a slot that counts.
    void count_down(const detail::continuation_words& to, detail::parcel& what);
    // Any thread. The news is taken soon.
    void post(news* n) noexcept;

    std::uint32_t number() const noexcept;

    objects_of_strand objects;

private:
    void count_down_slot(detail::context& of, const detail::continuation_words& to) noexcept;
    bool look_for_news() noexcept;
    // Runs contexts until none is ready, or so many have run.
    void run_some(unsigned most) noexcept;
    bool make_visit_if_due() noexcept;
    bool run_and_look(void (transport::*look)(std::int64_t)) noexcept;
    std::int64_t run_for_a_while() noexcept;
    void run_and_take_news() noexcept;
    bool has_others() const noexcept;
    void begin_slice() noexcept;
    void come_in() noexcept;
    void take_in() noexcept;
    void send_visit() noexcept;

    counted_turn<> turn_;
    ds::mpsc_queue<news, &news::next> news_;
};

// Sets detail::here of the calling OS thread. ThreadSanitizer treats the ULTs of one OS thread as
// separate threads. This function tells it that these ULTs use `here` one after the other.
void stand_at(const detail::position& where) noexcept;

inline constexpr std::size_t most_strands = 64;
strand& strand_number(std::size_t i) noexcept;
// The strand that the calling thread tries first: a stream has one of its own as long as there are
// enough.
std::size_t favourite_strand() noexcept;

// How many strands have a stream of their own.
std::size_t strands_in_use() noexcept;

// This process's rank in the homes of its strands. Before the first session it is own_rank_unknown.
// It never changes after that, because MPI_COMM_WORLD does not.
inline constexpr std::uint32_t own_rank_unknown = 0xfffe;
std::uint32_t own_rank() noexcept;
void set_own_rank(std::uint32_t rank) noexcept;

// LAZULT_CONCERT_CALLS=heap: no call runs on its caller's stack, and no message's method in the
// message's handler.
bool all_calls_in_contexts() noexcept;

// What a thread outside of all strands waits for.
sync::event_cell& event_of(detail::waiting_thread& t) noexcept;

// Sends a result to the rank that its continuation leads to. Reports misuse if it cannot.
void send_result(const detail::continuation_words& to, detail::parcel& what) noexcept;

}  // namespace lazult::concert
