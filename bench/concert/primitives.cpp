// SPDX-License-Identifier: BSD-3-Clause
// The primitives of threads and futures: Table 1 of Karamcheti, Plevyak and Chien, over the C face.
// Each is called for a batch of threads, one call after the other. Between the batches the core's
// own units do what the first four primitives do together: as many are made, run and joined.
#include "bench/concert/counted.hpp"
#include "bench/concert/measure.hpp"

#include <lazult_concert_threads.h>
#include <lazult/task_group.hpp>
#include <lazult/tasklet.hpp>

#include <array>

namespace lazult::bench {
namespace {

constexpr unsigned batch = 128;

struct data {
    concert_slot slot;
    long number;
};

int end_at_once(concert_thread*, void*) { return CONCERT_ENDS; }

// Calls `one` for each thread of a batch. The time of a call goes to the row.
template <class One>
void time_each(figures& found, const char* what, const One& one) {
    begin_count();
    const auto began = clock::now();
    for (unsigned i = 0; i < batch; ++i) {
        one(i);
    }
    const double ns = ns_since(began);
    end_count(what);
    found.add(what, ns / batch);
}

void make_run_and_end(figures& found) {
    const char* const what = "create, enqueue, dequeue, delete";
    begin_count();
    const auto began = clock::now();
    for (unsigned i = 0; i < batch; ++i) {
        const data mine{{}, static_cast<long>(i)};
        concert_thread_enqueue(concert_thread_prepare(end_at_once, &mine, sizeof mine));
    }
    while (concert_thread_dequeue() != 0) {
    }
    const double ns = ns_since(began);
    end_count(what);
    found.add(what, ns / batch);
}

void time_threads(figures& found) {
    std::array<concert_thread*, batch> threads{};
    const auto prepare = [&](unsigned i) {
        const data mine{{}, static_cast<long>(i)};
        threads[i] = concert_thread_prepare(end_at_once, &mine, sizeof mine);
    };
    time_each(found, "thread create", prepare);
    time_each(found, "thread delete", [&](unsigned i) { concert_thread_delete(threads[i]); });
    for (unsigned i = 0; i < batch; ++i) {
        prepare(i);
    }
    time_each(found, "thread enqueue", [&](unsigned i) { concert_thread_enqueue(threads[i]); });
    time_each(found, "thread dequeue, with its end", [](unsigned) { concert_thread_dequeue(); });
}

void time_futures(figures& found) {
    std::array<concert_thread*, batch> threads{};
    std::array<concert_slot*, batch> slots{};
    std::array<concert_continuation, batch> to{};
    for (unsigned i = 0; i < batch; ++i) {
        const data mine{{}, static_cast<long>(i)};
        threads[i] = concert_thread_prepare(end_at_once, &mine, sizeof mine);
        slots[i] = &static_cast<data*>(concert_thread_data(threads[i]))->slot;
    }
    const auto make = [&](unsigned i) { to[i] = concert_make_future(threads[i], slots[i]); };
    const auto touch = [&](unsigned i) { concert_touch_future(threads[i], slots[i]); };
    const auto resolve = [&](unsigned i) {
        const long value = static_cast<long>(i);
        concert_resolve_future(to[i], &value, sizeof value);
    };
    time_each(found, "make future", make);
    time_each(found, "resolve future", resolve);
    time_each(found, "touch future, full", touch);
    for (unsigned i = 0; i < batch; ++i) {
        make(i);
    }
    time_each(found, "touch future, empty", touch);
    time_each(found, "resolve future, with a waiter", resolve);
    while (concert_thread_dequeue() != 0) {
    }
}

// A thread that calls another one for each step, and waits for its result.
struct caller_data {
    concert_slot result;
    long calls_left;
};

int give_result(concert_thread*, void* argument) {
    const long value = 1;
    concert_resolve_future(*static_cast<concert_continuation*>(argument), &value, sizeof value);
    return CONCERT_ENDS;
}

int call_in_turn(concert_thread* self, void* argument) {
    auto& mine = *static_cast<caller_data*>(argument);
    if (mine.calls_left == 0) {
        return CONCERT_ENDS;
    }
    --mine.calls_left;
    const concert_continuation to = concert_make_future(self, &mine.result);
    concert_thread_create(give_result, &to, sizeof to);
    concert_touch_future(self, &mine.result);
    return CONCERT_WAITS;
}

void time_heap_calls(figures& found) {
    const caller_data first{{}, batch};
    concert_thread_create(call_in_turn, &first, sizeof first);
    const char* const what = "heap call altogether";
    begin_count();
    const auto began = clock::now();
    while (concert_thread_dequeue() != 0) {
    }
    const double ns = ns_since(began);
    end_count(what);
    found.add(what, ns / batch);
}

void measure_inside(concert_continuation to, void* argument) {
    auto& found = *static_cast<figures*>(argument);
    time_threads(found);
    time_futures(found);
    time_heap_calls(found);
    make_run_and_end(found);
    concert_resolve_future(to, nullptr, 0);
}

void time_tasklets(figures& found) {
    std::array<tasklet, batch> units;
    long ran = 0;
    const auto began = clock::now();
    for (tasklet& each : units) {
        each = tasklet([&ran] { ++ran; });
    }
    for (tasklet& each : units) {
        each.join();
    }
    found.add("fork and join of a tasklet", ns_since(began) / batch);
}

void time_tasks(figures& found) {
    task_group group;
    long ran = 0;
    const auto began = clock::now();
    for (unsigned i = 0; i < batch; ++i) {
        group.run([&ran] { ++ran; });
    }
    group.wait();
    found.add("task of a group", ns_since(began) / batch);
}

// A dequeue cannot be had without what the thread does. This one ends, as a delete does.
void subtract_delete(figures& found) {
    const std::vector<double> with_end = found.of("thread dequeue, with its end");
    const std::vector<double> end = found.of("thread delete");
    for (std::size_t i = 0; i < with_end.size(); ++i) {
        found.add("thread dequeue", std::max(0.0, with_end[i] - end[i]));
    }
}

struct entry {
    const char* what;
    std::optional<double> paper_us;
};
// The paper's microseconds are rounded; its cycles, of which 150 are one, are not.
constexpr double t3d_cycles = 150;
constexpr entry table[] = {
    {"fork and join of a tasklet", {}},
    {"task of a group", {}},
    {"create, enqueue, dequeue, delete", 330 / t3d_cycles},
    {"thread create", 150 / t3d_cycles},
    {"thread delete", 100 / t3d_cycles},
    {"thread enqueue", 40 / t3d_cycles},
    {"thread dequeue", 40 / t3d_cycles},
    {"thread dequeue, with its end", {}},
    {"make future", 20 / t3d_cycles},
    {"touch future, full", 11 / t3d_cycles},
    {"touch future, empty", 22 / t3d_cycles},
    {"resolve future", 10 / t3d_cycles},
    {"resolve future, with a waiter", 50 / t3d_cycles},
    {"heap call altogether", 320 / t3d_cycles},
};

}  // namespace

void measure_primitives(const effort& how, std::vector<row>& rows) {
    figures found;
    for (unsigned round = 0; round <= how.rounds; ++round) {
        concert_run(measure_inside, &found, nullptr);
        time_tasklets(found);
        time_tasks(found);
        if (round == 0) {
            found.forget();
        }
    }
    subtract_delete(found);
    for (const entry& each : table) {
        row r;
        r.what = each.what;
        r.paper_us = each.paper_us;
        r = filled(r, found.of(each.what));
        compare(r, rows, "fork and join of a tasklet");
        rows.push_back(r);
    }
}

}  // namespace lazult::bench
