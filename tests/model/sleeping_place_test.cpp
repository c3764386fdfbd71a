// SPDX-License-Identifier: BSD-3-Clause
// Model runs of ds::parker and ds::idle_wait. The owner sleeps in a place, and not on its word. A
// claim ends that sleep, and so does an event in the place. A late claimer meets a place that
// lives.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lazult {
namespace {

constexpr std::memory_order relaxed = std::memory_order_relaxed;

using atomics = model::model_atomics;
using parker = ds::parker<atomics>;
using lot = ds::parking_lot<atomics, 2>;
using gate = ds::gate<atomics, 2>;
using idle_wait = ds::idle_wait<atomics, 2>;

// As an epoll descriptor with an eventfd in it: what happens stays until it is taken. The kernel
// orders nothing for the parker here, so the orders are relaxed.
class place final : public ds::sleeping_place {
public:
    explicit place(model::run& run) {
        run.label(interrupts_, "interrupts");
        run.label(events_, "events");
        run.label(bell_, "bell");
    }

    // A deadline passes at once.
    bool sleep(std::int64_t deadline_ns) noexcept override {
        while (!take()) {
            if (deadline_ns >= 0) {
                return false;
            }
            atomics::futex_wait(bell_, 0, -1);
        }
        return true;
    }
    void interrupt() noexcept override { ring(interrupts_); }
    void happen() noexcept { ring(events_); }
    // Whether something happened here; the next poll finds it no more.
    bool take_event() noexcept { return events_.exchange(0, relaxed) != 0; }

private:
    void ring(atomics::atomic<std::uint32_t>& what) noexcept {
        what.store(1, relaxed);
        bell_.exchange(1, std::memory_order_acq_rel);  // keeps what the other ringer released
        atomics::futex_wake(bell_, 1);
    }
    bool take() noexcept {
        bell_.exchange(0, std::memory_order_acquire);
        const bool was_interrupted = interrupts_.exchange(0, relaxed) != 0;
        return was_interrupted || events_.load(relaxed) != 0;
    }

    atomics::atomic<std::uint32_t> interrupts_{0};
    atomics::atomic<std::uint32_t> events_{0};
    atomics::atomic<std::uint32_t> bell_{0};
};

bool sleep_in(parker& sleeper, place& where) {
    bool in_time = true;
    return sleeper.wait_in(where, parker::no_deadline, in_time);
}

void claim_gets_there(model::run& run) {
    place ring(run);
    parker sleeper;
    model::model_var<int> data{0};
    run.label(sleeper, "parker");
    sleeper.arm();
    run.thread("sleeper", [&] {
        model::check(sleep_in(sleeper, ring), "it was claimed");
        model::check(data == 1, "what the claimer did is visible");
    });
    run.thread("claimer", [&] {
        data = 1;
        model::check(sleeper.claim(), "nobody else claims it");
    });
    run.join();
    model::check(!sleeper.claim(), "it is not armed any more");
}

void one_of_two_claims(model::run& run) {
    place ring(run);
    parker sleeper;
    int claims = 0;
    run.label(sleeper, "parker");
    sleeper.arm();
    run.thread("sleeper", [&] { sleep_in(sleeper, ring); });
    for (const char* const name : {"claimer", "claimer 2"}) {
        run.thread(name, [&] { claims += sleeper.claim() ? 1 : 0; });
    }
    run.join();
    model::check(claims == 1, "one claim succeeds");
}

void event_and_claim(model::run& run) {
    place ring(run);
    parker sleeper;
    bool claimed = false;
    bool noticed = false;
    run.label(sleeper, "parker");
    sleeper.arm();
    run.thread("sleeper", [&] { noticed = sleep_in(sleeper, ring); });
    run.thread("kernel", [&] { ring.happen(); });
    run.thread("claimer", [&] { claimed = sleeper.claim(); });
    run.join();
    model::check(claimed == noticed, "both agree");
}

// The owner, woken by an event, sleeps in a second place, as a slot's next stream does. A claimer
// of the first sleep may come late, and the claim of the second one must still arrive.
void sleeps_in_another_place_next(model::run& run) {
    place first(run);
    place second(run);
    parker sleeper;
    atomics::atomic<int> goes_on{0};
    run.label(sleeper, "parker");
    run.label(goes_on, "goes_on");
    sleeper.arm();
    run.thread("sleeper", [&] {
        sleep_in(sleeper, first);
        sleeper.arm();
        while (goes_on.load(relaxed) == 0) {
            sleep_in(sleeper, second);
            sleeper.arm();
        }
        sleeper.disarm();
    });
    run.thread("kernel", [&] { first.happen(); });
    run.thread("claimer", [&] {
        sleeper.claim();
        goes_on.store(1, relaxed);
        sleeper.claim();
        second.happen();
    });
    run.join();
}

// The owner's next sleep is on its word: the claim of that must arrive, too.
void sleeps_on_its_word_next(model::run& run) {
    place ring(run);
    parker sleeper;
    model::model_var<int> data{0};
    run.label(sleeper, "parker");
    run.label(data, "data");
    atomics::atomic<int> is_second{0};
    sleeper.arm();
    run.thread("sleeper", [&] {
        sleep_in(sleeper, ring);
        sleeper.arm();
        is_second.store(1, std::memory_order_release);
        model::check(sleeper.wait(), "it was claimed");
        model::check(data == 1, "what the claimer did is visible");
    });
    run.thread("kernel", [&] { ring.happen(); });
    run.thread("claimer", [&] {
        while (is_second.load(std::memory_order_acquire) == 0) {
            atomics::pause();
        }
        data = 1;
        model::check(sleeper.claim(), "nobody else claims it");
    });
    run.join();
}

// A stream that waits for units in its pool and for events in its place, as a scheduler does.
void stream_and_pool(model::run& run) {
    place ring(run);
    lot sleepers;
    gate door(sleepers);
    atomics::atomic<int> pieces{0};
    run.label(door, "door");
    run.label(sleepers, "lot");
    run.label(pieces, "pieces");
    run.thread("stream", [&] {
        std::array<gate*, 1> doors{&door};
        bool has_piece = false;
        bool has_event = false;
        while (!has_piece || !has_event) {
            has_event = ring.take_event() || has_event;
            has_piece = pieces.exchange(0, relaxed) != 0 || has_piece;
            if (has_piece && has_event) {
                break;
            }
            idle_wait wait(sleepers, 0, doors);
            wait.prepare();
            if (pieces.load(relaxed) != 0) {
                wait.cancel();
            } else {
                wait.commit_in(ring, -1);
            }
        }
    });
    run.thread("producer", [&] {
        pieces.store(1, relaxed);
        door.notify();
    });
    run.thread("kernel", [&] { ring.happen(); });
    run.join();
}

// The stream's first sleep is short, and may miss a wake-up. Then the long one must not.
void short_sleep_comes_first(model::run& run) {
    place ring(run);
    lot sleepers;
    gate door(sleepers);
    atomics::atomic<int> pieces{0};
    run.label(door, "door");
    run.label(sleepers, "lot");
    run.label(pieces, "pieces");
    run.thread("stream", [&] {
        std::array<gate*, 1> doors{&door};
        const auto sleeps_short = [&](idle_wait& wait) {
            wait.prepare_for_short();
            if (pieces.load(relaxed) != 0) {
                wait.cancel();
                return true;
            }
            return wait.commit_in(ring, 0);
        };
        while (pieces.exchange(0, relaxed) == 0) {
            idle_wait wait(sleepers, 0, doors);
            if (sleeps_short(wait)) {
                continue;
            }
            wait.prepare();
            if (pieces.load(relaxed) != 0) {
                wait.cancel();
            } else {
                wait.commit_in(ring, -1);
            }
        }
    });
    run.thread("producer", [&] {
        pieces.store(1, relaxed);
        door.notify();
    });
    run.join();
}

const std::vector<model::scenario> scenarios = {
    {"claim_gets_there", claim_gets_there},
    {"one_of_two_claims", one_of_two_claims, 2},
    {"event_and_claim", event_and_claim, 2},
    {"sleeps_in_another_place_next", sleeps_in_another_place_next, 2},
    {"sleeps_on_its_word_next", sleeps_on_its_word_next, 2},
    {"stream_and_pool", stream_and_pool, 2},
    {"short_sleep_comes_first", short_sleep_comes_first, 3},
};

TEST(sleeping_place_model, loses_no_wake_up) { model::expect_sound(scenarios); }

// Without the release a claimer does not find the place, and the owner sleeps on.
TEST(sleeping_place_model, needs_its_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    const model::weakening mistake{"wait_in", model::operation::compare_exchange,
                                   std::memory_order_release, relaxed};
    EXPECT_TRUE(model::is_noticed(mistake, scenarios)) << model::describe(mistake);
}

}  // namespace
}  // namespace lazult
