// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the queues in which ULTs wait for objects of the C library: who sets an object free
// wakes a caller that waits for it, though neither the object nor its release knows of the queue.
#include "parking/parking.hpp"
#include "tests/model/sync_callers.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace lazult {
namespace {

using parking = posix::basic_parking<model::model_atomics>;

// A lock as the C library has it: it can be tried, and set free.
class lock {
public:
    explicit lock(unsigned held) : held_(held) {}
    int try_it() { return held_.exchange(1, std::memory_order_acquire) == 0 ? 0 : EBUSY; }
    void free_it(parking& p) {
        held_.store(0, std::memory_order_release);
        p.wake_one(this);
    }
    void free_for_all(parking& p) {
        held_.store(0, std::memory_order_release);
        p.wake_all(this);
    }
    int take(parking& p, const sync::wait_limit& limit = sync::no_deadline) {
        return p.take(nullptr, sync::wait_kind::mutex, this, limit, [this] { return try_it(); });
    }

private:
    model::model_atomics::atomic<unsigned> held_;
};

void one_waits(model::run& run) {
    parking p;
    lock l(1);
    run.thread("waits", [&] { model::check(l.take(p) == 0, "it has the lock"); });
    run.thread("frees", [&] { l.free_it(p); });
    run.join();
}

void use_alone(parking& p, lock& l, int& inside) {
    model::check(l.take(p) == 0, "it has the lock");
    model::check(++inside == 1, "it is alone");
    --inside;
    l.free_it(p);
}

void two_wait(model::run& run) {
    parking p;
    lock l(1);
    int inside = 0;
    const auto use = [&] { use_alone(p, l, inside); };
    run.thread("first", use);
    run.thread("second", use);
    run.thread("frees", [&] { l.free_it(p); });
    run.join();
}

void a_free_lock(model::run& run) {
    parking p;
    lock l(0);
    int inside = 0;
    const auto use = [&] { use_alone(p, l, inside); };
    run.thread("first", use);
    run.thread("second", use);
    run.join();
}

// A caller that gives up loses no wake-up of the other's.
void one_gives_up(model::run& run) {
    parking p;
    lock l(1);
    run.thread("timed", [&] {
        if (l.take(p, model::some_time) == 0) {
            l.free_it(p);
        }
    });
    run.thread("patient", [&] { model::check(l.take(p) == 0, "it has the lock"); });
    run.thread("frees", [&] { l.free_it(p); });
    run.join();
}

// The waiters of two objects share a queue.
void two_objects(model::run& run) {
    parking p;
    lock one(1);
    lock other(1);
    run.thread("waits for one", [&] { model::check(one.take(p) == 0, "it has it"); });
    run.thread("waits for the other", [&] { model::check(other.take(p) == 0, "it has it"); });
    run.thread("frees both", [&] {
        other.free_it(p);
        one.free_for_all(p);
    });
    run.join();
}

// A condition: the caller frees a lock when its record is as good as listed.
void a_signal(model::run& run) {
    parking conditions;
    parking p;
    lock l(0);
    int c = 0;
    bool is_set = false;
    run.thread("waits", [&] {
        model::check(l.take(p) == 0, "it has the lock");
        while (!is_set) {
            sync::waiter<model::model_atomics> me(nullptr, sync::wait_kind::condition, &c);
            conditions.wait_without_barrier(me, sync::no_deadline, [&] {
                l.free_it(p);
                return false;
            });
            model::check(l.take(p) == 0, "it has the lock");
        }
    });
    run.thread("signals", [&] {
        model::check(l.take(p) == 0, "it has the lock");
        is_set = true;
        conditions.wake_one(&c);
        l.free_it(p);
    });
    run.join();
}

const std::vector<model::scenario> quick = {
    {"one_waits", one_waits},          {"a_free_lock", a_free_lock, 2},
    {"one_gives_up", one_gives_up, 0}, {"two_objects", two_objects, 1},
    {"a_signal", a_signal, 1},
};

TEST(posix_parking_model, loses_no_wake_up) { model::expect_sound(quick); }
TEST(posix_parking_model, among_three) { model::expect_sound({{"two_wait", two_wait, 1}}); }

}  // namespace
}  // namespace lazult
