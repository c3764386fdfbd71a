// SPDX-License-Identifier: BSD-3-Clause
// Strands: each runs contexts, one at a time, for whichever thread is inside it.
#pragma once

#include "contexts/turn.hpp"

#include "lazult/ds/ds.hpp"
#include "lazult/sync/sync.hpp"

#include <lazult_concert_threads.h>
#include <lazult_concert_methods.hpp>

#include <cstddef>
#include <cstdint>

namespace lazult::concert {

// A resolution that comes from outside of the strand whose context it is for. It owns the value.
struct posted {
    posted* next = nullptr;
    detail::continuation_words to;
    detail::parcel what;
    std::exception_ptr error;

    // Moves the value out of the parcel. Returns nullptr, and moves nothing, if there is no memory.
    static posted* make(const detail::continuation_words& to, detail::parcel& from) noexcept;
    static void free(posted* p) noexcept;

private:
    posted() = default;
    ~posted() = default;
};

class alignas(64) strand : public detail::strand_data {
public:
    // Any thread that is inside no strand. False: another thread is inside.
    bool try_enter() noexcept;
    // The thread inside. Contexts that are ready are left to a visit.
    void leave() noexcept;
    // The thread inside: runs contexts until none is ready or as many have run as one visit may.
    void run_ready() noexcept;
    // The thread inside: runs contexts until the event has happened. False: none is ready before.
    bool run_until(sync::event_cell& result) noexcept;
    // Any thread that is inside no strand. Adds what this strand has counted. False: another thread
    // is inside.
    bool try_to_count(method_counters& sum) noexcept;
    // The thread inside. One resolution of a counter, or of a slot that counts.
    void count_down(const detail::continuation_words& to, detail::parcel& what);
    // Any thread. Fills a slot of one of this strand's contexts, soon.
    void post(posted* p) noexcept;

private:
    static constexpr unsigned visit_length = 1000;

    void count_down_slot(detail::context& of, const detail::continuation_words& to) noexcept;
    bool look_for_news() noexcept;
    void take_in() noexcept;
    void send_visit() noexcept;
    static void visit(strand* s);

    turn<> turn_;
    ds::mpsc_queue<posted, &posted::next> posted_;
};

inline constexpr std::size_t most_strands = 64;
strand& strand_number(std::size_t i) noexcept;

}  // namespace lazult::concert
