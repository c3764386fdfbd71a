// SPDX-License-Identifier: BSD-3-Clause
// Model runs of how a private pool ends (sched/private_fifo.cpp): its stream has gone, units that
// are suspended still know it, and whatever is pushed there must come to the successor. Over the
// shipped inbox and the model's barriers.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;

enum class mistake {
    none,
    looks_before_it_pushes,
    forwards_before_it_says_so,
    forwards_without_taking_home,
    forwards_one_only,
};

struct pool;

struct unit {
    model::model_var<unit*> next{nullptr};
    model::model_var<pool*> home{nullptr};
    model::model_var<int> context{0};
    int runs = 0;
};

// A pool as the resumers of its units see it.
struct pool {
    virtual ~pool() = default;
    virtual void push(unit* u) = 0;
};

// sched/stealing_pool.cpp, push_other(), of a pool that the caller does not own: its inbox.
struct successor_pool : pool {
    ds::mpsc_queue<unit, &unit::next, atomics> inbox;
    model::model_var<bool> made{
        false};  // its plain fields: the resumer may hear of the pool here for the first time

    void push(unit* u) override {
        model::check(made, "the successor is there");
        inbox.push(u);
    }
};

// sched/private_fifo.cpp. The announcement to sleepers is left out: its barrier would hide that
// retired_to() needs one of its own. See event_count_test.cpp for that one.
template <mistake Planted>
struct private_pool : pool {
    ds::mpsc_queue<unit, &unit::next, atomics> inbox;
    atomics::atomic<std::size_t> inbox_size;
    atomics::atomic<pool*> successor;
    std::vector<unit*> local;  // the owner's, without atomics

    // push_other()
    void push(unit* u) override {
        pool* seen = nullptr;
        if constexpr (Planted == mistake::looks_before_it_pushes) {
            seen = retired_to();
        }
        inbox_size.fetch_add(1, std::memory_order_relaxed);
        inbox.push(u);
        if constexpr (Planted != mistake::looks_before_it_pushes) {
            seen = retired_to();
        }
        if (seen != nullptr) {
            forward(*seen);
        }
    }
    pool* retired_to() {
        atomics::light_barrier();
        return successor.load(std::memory_order_acquire);
    }
    void retire(pool& next) {
        if constexpr (Planted == mistake::forwards_before_it_says_so) {
            forward(next);
        }
        successor.store(&next, std::memory_order_release);
        atomics::heavy_barrier();
        if constexpr (Planted != mistake::forwards_before_it_says_so) {
            forward(next);
        }
    }
    void forward(pool& to) {
        unit* u = inbox.take_all();
        while (u != nullptr) {
            unit* const next = u->next;
            inbox_size.fetch_sub(1, std::memory_order_relaxed);
            if constexpr (Planted != mistake::forwards_without_taking_home) {
                u->home = &to;
            }
            to.push(u);
            u = Planted == mistake::forwards_one_only ? nullptr : next;
        }
    }
    // collect(), by the owner
    void collect() {
        unit* u = inbox.take_all();
        while (u != nullptr) {
            unit* const next = u->next;
            inbox_size.fetch_sub(1, std::memory_order_relaxed);
            local.push_back(u);
            u = next;
        }
    }
    // detach(), by the owner: from here on it pushes as everybody else
    void detach() {
        for (unit* u : local) {
            push(u);
        }
        local.clear();
    }
};

// The pools outlive the stream, and are known to suspended units.
template <mistake Planted>
struct ending_stream {
    private_pool<Planted> old;
    successor_pool next;
    std::array<unit, 3> units;

    explicit ending_stream(model::run& run) {
        run.label(old.inbox, "inbox");
        run.label(old.successor, "successor_");
        run.label(old.inbox_size, "arrivals_");
        run.label(next, "successor");
        run.label(units, "units");
        for (unit& each : units) {
            each.home = &old;
        }
    }
    // core/switch/suspend.cpp, make_ready(), by the resumer of the suspended unit
    void make_ready(unsigned index) {
        units[index].context = 1;
        units[index].home.get()->push(&units[index]);
    }
    void retire() {
        next.made = true;
        old.retire(next);
    }
    // A stream that serves the successor. The unit may suspend again at once, and is then at home
    // there.
    int serve() {
        int taken = 0;
        unit* u = next.inbox.take_all();
        while (u != nullptr) {
            unit* const following = u->next;
            model::check(u->context == 1, "who resumed it is seen");
            model::check(u->home == &next, "it is at home where it was found");
            u->context = 2;
            ++u->runs;
            ++taken;
            u = following;
        }
        return taken;
    }
    void expect_moved(unsigned count) {
        serve();
        for (unsigned index = 0; index < count; ++index) {
            model::check(units[index].runs == 1, "each unit comes to the successor once");
        }
        model::check(old.inbox.empty_estimate(), "no unit stays behind");
        model::check(old.inbox_size.load(std::memory_order_relaxed) == 0, "and none is counted");
    }
};

template <mistake Planted>
void one_resumer(model::run& run) {
    ending_stream<Planted> shared(run);
    run.thread("resumer", [&] { shared.make_ready(0); });
    run.thread("ending", [&] { shared.retire(); });
    run.join();
    shared.expect_moved(1);
}

// Two resumers that see the successor forward what they pushed, and what the other one pushed.
template <mistake Planted>
void two_resumers(model::run& run) {
    ending_stream<Planted> shared(run);
    run.thread("resumer", [&] { shared.make_ready(0); });
    run.thread("resumer 2", [&] { shared.make_ready(1); });
    run.thread("ending", [&] { shared.retire(); });
    run.join();
    shared.expect_moved(2);
}

template <mistake Planted>
void two_units_of_one_resumer(model::run& run) {
    ending_stream<Planted> shared(run);
    run.thread("resumer", [&] {
        shared.make_ready(0);
        shared.make_ready(1);
    });
    run.thread("ending", [&] { shared.retire(); });
    run.join();
    shared.expect_moved(2);
}

// The whole end of a stream: it takes its inbox and leaves the pool with a unit in it. Then the
// thread that waited for the stream retires the pool (sched/stream.cpp, end() and retire_pool()).
template <mistake Planted>
void the_stream_leaves(model::run& run) {
    ending_stream<Planted> shared(run);
    run.thread("resumer", [&] { shared.make_ready(0); });
    run.thread("ending", [&] {
        shared.units[1].context = 1;
        shared.old.local.push_back(&shared.units[1]);
        shared.old.collect();
        shared.old.detach();
        shared.retire();
    });
    run.join();
    shared.expect_moved(2);
}

// Units run where they came to while others are still on their way; one is resumed from there a
// second time.
template <mistake Planted>
void served_meanwhile(model::run& run) {
    ending_stream<Planted> shared(run);
    run.thread("resumer", [&] { shared.make_ready(0); });
    run.thread("ending", [&] { shared.retire(); });
    run.thread("server", [&] {
        if (shared.serve() != 0) {
            shared.units[0].runs = 0;
            shared.make_ready(0);
        }
    });
    run.join();
    shared.expect_moved(1);
}

template <mistake Planted>
const std::vector<model::scenario> scenarios = {
    {"one_resumer", one_resumer<Planted>},
    {"two_resumers", two_resumers<Planted>, 2},
    {"two_units_of_one_resumer", two_units_of_one_resumer<Planted>},
    {"the_stream_leaves", the_stream_leaves<Planted>},
    {"served_meanwhile", served_meanwhile<Planted>},
};

TEST(retire_model, leaves_no_unit_behind) { model::expect_sound(scenarios<mistake::none>); }

TEST(retire_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(scenarios<mistake::none>), std::set<std::string>{});
}

template <mistake Planted>
std::string first_failure() {
    for (const model::scenario& each : scenarios<Planted>) {
        const model::result found = model::explore(model::limits_of(each), each.body);
        if (found.failed) {
            return found.failure;
        }
    }
    return "";
}

TEST(retire_model, a_look_before_the_push_is_found) {
    EXPECT_NE(first_failure<mistake::looks_before_it_pushes>().find("comes to the successor"),
              std::string::npos);
}

TEST(retire_model, forwarding_before_the_successor_is_known_is_found) {
    EXPECT_NE(first_failure<mistake::forwards_before_it_says_so>().find("comes to the successor"),
              std::string::npos);
}

TEST(retire_model, a_unit_that_keeps_its_old_home_is_found) {
    EXPECT_NE(first_failure<mistake::forwards_without_taking_home>().find("at home"),
              std::string::npos);
}

TEST(retire_model, a_batch_that_is_not_forwarded_whole_is_found) {
    EXPECT_NE(first_failure<mistake::forwards_one_only>().find("comes to the successor"),
              std::string::npos);
}

}  // namespace
}  // namespace lazult
