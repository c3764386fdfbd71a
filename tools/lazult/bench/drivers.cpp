// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/drivers.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace lazult::tool {
namespace {

core::work_unit* start_driver(core::pool& home, core::entry_function entry, void* argument) {
    core::worker& w = core::this_worker();
    const core::unit_attributes attributes(core::technique::full, driver_stack_bytes);
    core::work_unit* u = core::prepare(w, home, entry, argument, attributes);
    require_memory(u);
    core::launch(w, u);
    return u;
}

void finish_driver(core::work_unit* u) {
    require(core::join(u) == base::status::ok, "a driver cannot be joined");
    core::dispose(core::this_worker_or_null(), u);
}

// field    written by        read by             order
// arrived  each participant  each participant    acquire / release, so that nobody begins before
//                                                all are there
// end      its participant   the first, after joining it
struct gathering {
    const std::function<void(unsigned)>* body;
    unsigned count;
    std::atomic<unsigned> arrived{0};
};

struct participant {
    gathering* all;
    unsigned index;
    instant begin;
    instant end;

    static void main(void* self) { static_cast<participant*>(self)->run(); }

    void run() {
        all->arrived.fetch_add(1, std::memory_order_acq_rel);  // pairs with: the load below
        // pairs with: the addition above
        while (all->arrived.load(std::memory_order_acquire) != all->count) {
            os::yield_thread();
        }
        begin = instant::now();
        (*all->body)(index);
        end = instant::now();
    }
};

sched::stream& stream_of_rank(int rank) {
    return static_cast<sched::stream&>(*sched::streams().first(
        [rank](const sched::stream_record& s) { return s.rank() == rank; }));
}

}  // namespace

span_of_time on_every_stream(unsigned count, const std::function<void(unsigned)>& body) {
    gathering all{&body, count};
    std::vector<participant> members(count);
    std::vector<core::work_unit*> drivers;
    for (unsigned i = 0; i < count; ++i) {
        members[i] = {&all, i, {}, {}};
        if (i > 0) {
            drivers.push_back(start_driver(*stream_of_rank(static_cast<int>(i)).pinned(),
                                           participant::main, &members[i]));
        }
    }
    members[0].run();
    span_of_time span{members[0].begin, members[0].end};
    for (core::work_unit* driver : drivers) {
        finish_driver(driver);
    }
    for (const participant& p : members) {
        span.end = p.end.ns > span.end.ns ? p.end : span.end;
    }
    return span;
}

void in_driver(core::pool& home, const std::function<void()>& body) {
    finish_driver(start_driver(
        home, [](void* f) { (*static_cast<const std::function<void()>*>(f))(); },
        const_cast<std::function<void()>*>(&body)));
}

void on_streams_sharing(sched::ready_pool& pool, unsigned count,
                        const std::function<void()>& body) {
    std::vector<sched::stream*> streams;
    for (unsigned i = 0; i < count; ++i) {
        auto scheduler = std::make_unique<sched::basic_scheduler>();
        scheduler->add_pool(pool);
        sched::stream* s = nullptr;
        require(sched::stream::start(std::move(scheduler), &s) == base::status::ok,
                "a stream cannot be started");
        streams.push_back(s);
    }
    in_driver(pool, body);
    for (sched::stream* s : streams) {
        require(sched::stream::join(s) == base::status::ok, "a stream cannot be joined");
    }
}

}  // namespace lazult::tool
