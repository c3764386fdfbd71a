// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/spares.hpp"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "lazult/sched/lending.hpp"
#include "lazult/sched/stream.hpp"

namespace lazult::sched {
namespace {

constexpr std::size_t most_spares = 64;
// So often the monitor must have found fewer caught streams before a spare stream ends. A stream
// that is caught once is often caught again soon.
constexpr int patient_looks = 40;

// field    written by                     read by     order
// all      relieve, open_spares,          the same    the lock's
//          close_spares and their like
struct spare_streams {
    std::mutex lock;
    bool is_open = false;
    std::vector<stream*> serving;
    std::vector<stream*> leaving;  // asked to stop
    int quiet_looks = 0;
};

spare_streams& spares() { return base::the_only<spare_streams>(); }

// The monitor exists only in the parent, and so do the streams.
[[gnu::constructor]] void forget_spares_in_children() {
    spares();
    ::pthread_atfork(nullptr, nullptr, [] { new (&spares()) spare_streams; });
}

void start_one(spare_streams& all) noexcept {
    try {
        all.serving.reserve(all.serving.size() + 1);
        all.leaving.reserve(all.leaving.size() + all.serving.size() + 1);
        stream* fresh = nullptr;
        if (stream::start_spare(&fresh) == base::status::ok) {
            all.serving.push_back(fresh);
        }
    } catch (const std::bad_alloc&) {  // the next look tries again
    }
}

// What is ready in its pool is run before it ends.
void dismiss_one(spare_streams& all) noexcept {
    stream* const last = all.serving.back();
    all.serving.pop_back();
    all.leaving.push_back(last);  // start_one() has reserved the place
    last->main_scheduler().request_stop(scheduler::stop_when_empty);
}

// What has begun on a spare stream goes on there.
bool units_stay_there() noexcept {
    return base::current_settings().started == base::started_kind::stay;
}

// Spare streams steal. Under other schedulers than work_stealing what has begun stays because
// nobody steals.
bool would_move_what_stays() noexcept {
    return units_stay_there() &&
           base::current_settings().scheduler != base::scheduler_kind::work_stealing;
}

// Each caught stream has one in its place. A spare stream may be caught, too, and one must be free
// to look into its port.
std::size_t spares_for(std::span<worker* const> caught, const spare_streams& all) noexcept {
    if (caught.empty() || would_move_what_stays()) {
        return 0;
    }
    const auto are_caught = std::ranges::count_if(all.serving, [&](const stream* s) {
        return std::ranges::any_of(caught, [s](worker* w) { return stream_record_of(w) == s; });
    });
    const std::size_t with_one_free = static_cast<std::size_t>(are_caught) + 1;
    return std::min(std::max(caught.size(), with_one_free), most_spares);
}

void join_those_that_ended(spare_streams& all) noexcept {
    std::erase_if(all.leaving, [](stream* s) {
        if (s->state() != stream_state::ended) {
            return false;
        }
        stream::join(s);
        return true;
    });
}

}  // namespace

void relieve(std::span<worker* const> caught) noexcept {
    const bool can_lend = lending().note_caught(caught);
    spare_streams& all = spares();
    const std::lock_guard hold(all.lock);
    if (!all.is_open) {
        return;
    }
    join_those_that_ended(all);
    if (can_lend) {  // a spare stream that sleeps does not know yet
        for (stream* s : all.serving) {
            s->main_scheduler().wake();
        }
    }
    const std::size_t wanted = spares_for(caught, all);
    if (wanted > all.serving.size()) {
        start_one(all);
    }
    if (wanted >= all.serving.size() || units_stay_there()) {
        all.quiet_looks = 0;
    } else if (++all.quiet_looks >= patient_looks) {
        all.quiet_looks = 0;
        dismiss_one(all);
    }
}

void open_spares() noexcept {
    const std::lock_guard hold(spares().lock);
    spares().is_open = true;
}

void close_spares() noexcept {
    const std::lock_guard hold(spares().lock);
    spares().is_open = false;
}

void hand_over_spares() noexcept {
    spare_streams& all = spares();
    const std::lock_guard hold(all.lock);
    all.is_open = false;
    all.serving.clear();
    all.leaving.clear();
    all.quiet_looks = 0;
}

void end_spares() noexcept {
    for (std::vector<stream*>* those : {&spares().serving, &spares().leaving}) {
        std::ranges::for_each(*those, stream::join);
        those->clear();
    }
}

}  // namespace lazult::sched
