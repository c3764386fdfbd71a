// SPDX-License-Identifier: BSD-3-Clause
// Model runs of sync::end_watched() and sync::stop_watching(): wait_any's wait for units, which
// other sources may end. A finisher touches no record that is gone, no end is missed, and what the
// unit did is visible.
#include "lazult/sync/end_watch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "tests/model/sync_callers.hpp"

namespace lazult {
namespace {

using atomics = model::model_atomics;
using join_word = core::join_word<atomics>;
using record = sync::waiter<atomics>;
using claim_word = sync::claim_word<atomics>;

// A unit that ends on a thread of its own.
struct unit {
    join_word join;
    model::model_var<int> result{0};

    void end() {
        result = 1;
        const join_word::value found = join.finish();
        if (join_word::is_waiter(found)) {
            sync::end_watched(*reinterpret_cast<record*>(found & ~join_word::record_tag));
        }
    }
};

struct watched {
    unit* of;
    std::optional<record> mine;
    bool listed = false;

    std::uintptr_t tagged() {
        return reinterpret_cast<std::uintptr_t>(&*mine) | join_word::record_tag;
    }
};

// As sync::wait_any() over units: the number of the one that had ended, or none after the deadline.
class wait {
public:
    static constexpr std::size_t none = 2;

    std::size_t for_one_of(unit& first, unit& second, std::int64_t deadline) {
        watches_[0].of = &first;
        watches_[1].of = &second;
        std::size_t ended = none;
        for (std::size_t i = 0; i < watches_.size() && ended == none; ++i) {
            ended = list(i) ? none : i;
        }
        if (ended == none) {
            const std::uint32_t winner = wait_.sleep(deadline);
            if (winner != claim_word::timed_out) {
                ended = winner - claim_word::first_index;
                sync::await_release(*watches_[ended].mine);
            }
        }
        withdraw_all_but(ended);
        return ended;
    }

private:
    // False where the unit has ended, and no other one has claimed the wait before.
    bool list(std::size_t i) {
        watched& w = watches_[i];
        w.mine.emplace(nullptr);
        w.mine->index = claim_word::first_index + static_cast<std::uint32_t>(i);
        wait_.covers(*w.mine);
        join_word::value found;
        w.listed = w.of->join.try_wait(w.tagged(), &found);
        return w.listed || wait_.claim().claim(w.mine->index) == claim_word::result::lost;
    }
    void withdraw_all_but(std::size_t ended) {
        for (std::size_t i = 0; i < watches_.size(); ++i) {
            watched& w = watches_[i];
            if (w.listed && i != ended) {
                sync::stop_watching(w.of->join, w.tagged(), *w.mine);
            }
            w.mine.reset();
        }
    }

    std::array<watched, 2> watches_;
    sync::claimed_wait<atomics> wait_{nullptr};
};

void expect_result(unit& first, unit& second, std::size_t ended) {
    if (ended != wait::none) {
        model::check((ended == 0 ? first : second).result == 1, "what the unit did is visible");
    }
}

void two_end(model::run& run) {
    unit first;
    unit second;
    run.label(first, "first");
    run.label(second, "second");
    run.thread("waits", [&] {
        const std::size_t ended = wait().for_one_of(first, second, sync::no_deadline);
        model::check(ended != wait::none, "one of them has ended");
        expect_result(first, second, ended);
    });
    run.thread("one", [&] { first.end(); });
    run.thread("two", [&] { second.end(); });
    run.join();
    model::check(first.join.is_finished() && second.join.is_finished(), "both have ended");
}

void one_ends_at_the_deadline(model::run& run) {
    unit first;
    unit second;
    run.label(first, "first");
    run.thread("waits", [&] {
        expect_result(first, second, wait().for_one_of(first, second, model::some_time));
    });
    run.thread("one", [&] { first.end(); });
    run.join();
    model::check(first.join.is_finished() && !second.join.is_finished(), "the first has ended");
}

// The same join word has a second wait after the first one was withdrawn.
void it_is_waited_for_again(model::run& run) {
    unit first;
    unit second;
    run.label(first, "first");
    run.thread("waits", [&] {
        expect_result(first, second, wait().for_one_of(first, second, model::some_time));
        const std::size_t ended = wait().for_one_of(first, second, sync::no_deadline);
        model::check(ended == 0, "the first one has ended");
        expect_result(first, second, ended);
    });
    run.thread("one", [&] { first.end(); });
    run.join();
}

const std::vector<model::scenario> scenarios = {
    {"one_ends_at_the_deadline", one_ends_at_the_deadline},
    {"it_is_waited_for_again", it_is_waited_for_again, 2},
    {"two_end", two_end, 2},
};

TEST(end_watch_model, loses_no_end_and_touches_nothing_that_is_gone) {
    model::expect_sound(scenarios);
}

}  // namespace
}  // namespace lazult
