// SPDX-License-Identifier: BSD-3-Clause
// From the creation of a unit to its start on a stream that sleeps in the kernel, through each kind
// of pool that a stream may watch. The creator spins meanwhile, so that its own stream cannot run
// the unit; it is bound for that time, because the system might move it to the very processor where
// the sleeper shall wake.
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "lazult/topo/topo.hpp"
#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/statistics.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

struct call {
    std::int64_t started_ns = 0;
    std::atomic<bool> done{false};
};

void note_start(void* argument) {
    auto* c = static_cast<call*>(argument);
    c->started_ns = os::now_ns();
    c->done.store(true, std::memory_order_release);  // pairs with: wake_once(), load of done
}

// Many times what a stream spins before it sleeps.
constexpr std::int64_t settle_ns = 100'000;

// Not core's timed wait: this OS thread shall block, and its stream with it.
void block_thread(std::int64_t ns) {
    const timespec pause{ns / 1'000'000'000, ns % 1'000'000'000};
    ::nanosleep(&pause, nullptr);
}

// A counter says that it is about to sleep, a while says that it does.
void wait_until_asleep(const core::worker& target, std::uint64_t sleeps_before) {
    do {
        block_thread(settle_ns);
    } while (target.count.sleeps.get() <= sleeps_before);
    block_thread(settle_ns);
}

double wake_once(core::pool& home, core::technique how) {
    core::worker& w = core::this_worker();
    call c;
    const core::unit_attributes attributes(how);
    core::work_unit* u = core::prepare(w, home, note_start, &c, attributes);
    require_memory(u);
    const std::int64_t begin = os::now_ns();
    core::launch(w, u);
    // pairs with: note_start(), store of done
    while (!c.done.load(std::memory_order_acquire)) {
        ds::default_atomics::pause();
    }
    require(core::join(u) == base::status::ok, "a unit cannot be joined");
    core::dispose(core::this_worker_or_null(), u);
    return static_cast<double>(c.started_ns - begin);
}

class bound_to_first_processor {
public:
    bound_to_first_processor() : before_(os::allowed_processors()) {
        topo::machine().bind_this_thread(0);
    }
    bound_to_first_processor(const bound_to_first_processor&) = delete;
    bound_to_first_processor& operator=(const bound_to_first_processor&) = delete;
    ~bound_to_first_processor() { os::bind_this_thread(before_); }

private:
    std::vector<int> before_;
};

sample run_on(core::pool& home, const core::worker& target, core::technique how, unsigned wakes) {
    const bound_to_first_processor bound;
    std::vector<double> latencies;
    block_thread(settle_ns);
    std::uint64_t sleeps_before = 0;
    for (unsigned i = 0; i < wakes; ++i) {
        wait_until_asleep(target, sleeps_before);
        sleeps_before = target.count.sleeps.get();
        latencies.push_back(wake_once(home, how));
    }
    std::sort(latencies.begin(), latencies.end());
    sample taken;
    taken.value = median(latencies);
    taken.operations = wakes;
    taken.extras = {{"p99", quantile(latencies, 0.99)}, {"worst", latencies.back()}};
    return taken;
}

// A second stream as the runtime starts it, or one that serves pools of other kinds.
enum class route { pinned, default_pool, stolen, shared, priority };
constexpr std::array route_names{"private", "work_stealing", "stolen", "shared", "priority"};

sample run_on_other_pools(route way, core::technique how, unsigned wakes) {
    sched::shared_fifo shared;
    sched::priority_pool priority;
    auto scheduler = std::make_unique<sched::basic_scheduler>();
    scheduler->add_pool(shared);
    scheduler->add_pool(priority);
    sched::stream* s = nullptr;
    require(sched::stream::start(std::move(scheduler), &s) == base::status::ok,
            "a stream cannot be started");
    core::pool& home = way == route::shared ? static_cast<core::pool&>(shared) : priority;
    const sample taken = run_on(home, *s->its_worker(), how, wakes);
    require(sched::stream::join(s) == base::status::ok, "a stream cannot be joined");
    return taken;
}

sample run_on_second_stream(route way, core::technique how, unsigned wakes) {
    auto* const other = static_cast<sched::stream*>(sched::streams().first_above(0));
    require(other != nullptr, "there is no second stream");
    const core::worker& target = *other->its_worker();
    switch (way) {
        case route::pinned: return run_on(*other->pinned(), target, how, wakes);
        case route::stolen: return run_on(sched::this_stream()->default_pool(), target, how, wakes);
        default: return run_on(other->default_pool(), target, how, wakes);
    }
}

constexpr bool has_own_stream(route way) noexcept {
    return way == route::shared || way == route::priority;
}

sample run(route way, core::technique how, unsigned wakes) {
    return has_own_stream(way) ? run_on_other_pools(way, how, wakes)
                               : run_on_second_stream(way, how, wakes);
}

}  // namespace

rows wake_rows(const bench_options& options) {
    rows result;
    for (core::technique how : options.techniques) {
        for (std::size_t i = 0; i < route_names.size(); ++i) {
            configuration c;
            c.benchmark = "wake";
            c.technique = base::name(how);
            c.streams = 2;
            // A stream with pools of its own is started for each sample, next to the first one.
            const bool own_stream = has_own_stream(static_cast<route>(i));
            c.settings = settings_with(own_stream ? 1 : 2);
            c.details = {{"pool", std::string(route_names[i])},
                         {"wakes", std::uint64_t{options.wakes}}};
            c.calibrated = false;
            c.run = [way = static_cast<route>(i), how, wakes = options.wakes](std::uint64_t) {
                return run(way, how, wakes);
            };
            result.push_back(std::move(c));
        }
    }
    return result;
}

}  // namespace lazult::tool
