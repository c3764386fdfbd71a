// SPDX-License-Identifier: BSD-3-Clause
// OpenMP tasks: one to a block of points, created by every thread of the team for its own share.
#include "apps/kmeans/variant.hpp"

#ifdef KMEANS_OPENMP
#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <lazult/lazult.hpp>
#include <utility>

#include "apps/kmeans/partial_sums.hpp"

namespace kmeans {
namespace {

class omp_mutex {
public:
    omp_mutex() { omp_init_lock(&lock_); }
    ~omp_mutex() { omp_destroy_lock(&lock_); }
    omp_mutex(const omp_mutex&) = delete;
    omp_mutex& operator=(const omp_mutex&) = delete;
    void lock() { omp_set_lock(&lock_); }
    void unlock() { omp_unset_lock(&lock_); }

private:
    omp_lock_t lock_;
};

using pass_type = shared_pass<omp_mutex>;

std::size_t worker_here() { return static_cast<std::size_t>(omp_get_thread_num()); }

// All at once and not in batches as Lazult's: libgomp limits itself (with 64 tasks to a thread
// waiting it runs the next in place), and a taskwait after each batch only slows it down.
void create_tasks(const pass_type& pass, range mine, std::size_t block) {
    for (std::size_t first = mine.first; first < mine.last; first += block) {
        const std::size_t last = std::min(first + block, mine.last);
#pragma omp task default(none) firstprivate(first, last) shared(pass)
        pass.run(first, last, worker_here());
    }
#pragma omp taskwait
}

void run_tasks(const pass_type& pass, const settings& with) {
#pragma omp parallel num_threads(static_cast<int>(with.workers))
    {
        const auto team = static_cast<std::size_t>(omp_get_num_threads());
        create_tasks(pass, share(pass.points.count(), worker_here(), team), with.block);
    }
}

std::uint64_t tasks_of(const problem& of, const settings& with, std::size_t iterations) {
    std::uint64_t to_a_pass = 0;
    for (std::size_t worker = 0; worker < with.workers; ++worker) {
        const range mine = share(of.points.count(), worker, with.workers);
        to_a_pass += (mine.last - mine.first + with.block - 1) / with.block;
    }
    return to_a_pass * iterations;
}

// Tasks are counted as the program makes them; that one blocked, the core knows, if the runtime is
// over it: it was promoted then.
std::optional<unit_counts> count_tasks(const problem& of, const settings& with,
                                       std::size_t iterations, std::uint64_t suspended) {
    if (!openmp_is_lazult()) {
        return std::nullopt;
    }
    return unit_counts{tasks_of(of, with, iterations), suspended};
}

run run_openmp(const problem& of, const settings& with) {
    partial_sums<omp_mutex> sums(of.clusters, of.points.dimensions(), with.workers, with.locks);
    const std::uint64_t before = lazult::statistics().promoted;
    result found = solve(of, [&](const centres& from, assignment& clusters) {
        run_tasks(pass_type{of.points, from, clusters, sums}, with);
        return sums.reduce();
    });
    const std::uint64_t suspended = lazult::statistics().promoted - before;
    const std::size_t iterations = found.iterations;
    return {std::move(found), count_tasks(of, with, iterations, suspended)};
}

}  // namespace

std::vector<variant> openmp_variants() {
    return {{"openmp", "openmp-tasks", "", "OpenMP tasks, one to a block of --block points",
             granularity::block, run_openmp}};
}

std::string openmp_library() {
    Dl_info info{};
    const int found = dladdr(reinterpret_cast<void*>(&omp_get_num_threads), &info);
    return found != 0 && info.dli_fname != nullptr ? info.dli_fname : "unknown";
}

bool openmp_is_lazult() { return openmp_library().find("/lazult/openmp/") != std::string::npos; }

}  // namespace kmeans

#else

namespace kmeans {

std::vector<variant> openmp_variants() { return {}; }
std::string openmp_library() { return {}; }
bool openmp_is_lazult() { return false; }

}  // namespace kmeans
#endif
