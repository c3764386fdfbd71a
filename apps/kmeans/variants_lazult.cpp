// SPDX-License-Identifier: BSD-3-Clause
// Lazult: one ULT to a block of points, with each technique. One outer ULT to a worker creates
// those of its share, a batch at a time.
#include <algorithm>
#include <lazult/lazult.hpp>
#include <string_view>
#include <thread>
#include <utility>

#include "apps/kmeans/partial_sums.hpp"
#include "apps/kmeans/variant.hpp"

namespace kmeans {
namespace {

// Run-to-completion units may never suspend, so they may not wait in lock(). They may spin: the
// holder of the lock is on another stream and cannot suspend inside the critical section either, so
// it soon lets go. Only the operating system can take its processor away, and then the yield helps.
// Techniques that suspend run something else meanwhile, so this variant shows the floor of the
// creation cost and is no rival under contention.
class spinning_mutex {
public:
    void lock() {
        for (int attempt = 1; !mutex_.try_lock(); ++attempt) {
            if (attempt % 64 == 0) {
                std::this_thread::yield();
            }
        }
    }
    void unlock() { mutex_.unlock(); }

private:
    lazult::mutex mutex_;
};

// Counts include the outer ULTs, which suspend at most once a batch: the report says so.
unit_counts count_units() {
    const lazult::statistics_snapshot now = lazult::statistics();
    return {now.created, now.suspensions};
}

template <class Lock>
void create_units(const shared_pass<Lock>& pass, std::size_t worker, const settings& with,
                  const lazult::thread_attributes& how) {
    const range mine = share(pass.points.count(), worker, with.workers);
    for (std::size_t first = mine.first; first < mine.last;) {
        lazult::task_group batch(how);
        for (std::size_t unit = 0; unit < with.batch && first < mine.last;
             ++unit, first += with.block) {
            batch.run([&pass, first, last = std::min(first + with.block, mine.last), worker] {
                pass.run(first, last, worker);
            });
        }
        batch.wait();
    }
}

template <class Lock>
void run_units(const shared_pass<Lock>& pass, const settings& with,
               const lazult::thread_attributes& how) {
    lazult::task_group outer;
    for (std::size_t worker = 0; worker < with.workers; ++worker) {
        outer.run([&pass, worker, &with, &how] { create_units(pass, worker, with, how); });
    }
    outer.wait();
}

template <class Lock>
run run_lazult(const problem& of, const settings& with, lazult::technique how) {
    lazult::thread_attributes attributes;
    attributes.how = how;
    partial_sums<Lock> sums(of.clusters, of.points.dimensions(), with.workers, with.locks);
    const unit_counts before = count_units();
    result found = solve(of, [&](const centres& from, assignment& clusters) {
        run_units(shared_pass<Lock>{of.points, from, clusters, sums}, with, attributes);
        return sums.reduce();
    });
    const unit_counts after = count_units();
    return {std::move(found),
            unit_counts{after.created - before.created, after.suspended - before.suspended}};
}

variant suspendable(const std::string& name, lazult::technique how) {
    return {"lazult",
            "lazult-" + name,
            name,
            "ULTs, one to a block of --block points, technique " + name,
            granularity::block,
            [how](const problem& of, const settings& with) {
                return run_lazult<lazult::mutex>(of, with, how);
            }};
}

}  // namespace

std::vector<variant> lazult_variants() {
    using lazult::technique;
    return {suspendable("adaptive", technique::adaptive),
            suspendable("full", technique::full),
            suspendable("lazy_stack", technique::lazy_stack),
            suspendable("return_on_completion", technique::return_on_completion),
            suspendable("stack_separation", technique::stack_separation),
            suspendable("scheduler_creation", technique::scheduler_creation),
            {"lazult", "lazult-run_to_completion", "run_to_completion",
             "as the others, but spins on a lock that is taken, since it cannot suspend",
             granularity::block, [](const problem& of, const settings& with) {
                 return run_lazult<spinning_mutex>(of, with, technique::run_to_completion);
             }}};
}

}  // namespace kmeans
