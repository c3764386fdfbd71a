// SPDX-License-Identifier: BSD-3-Clause
// Where execution streams may run.
#include "runtime/environment.hpp"
#include "streams/xstream.hpp"

#include "lazult/os/os.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <new>

namespace lazult::abt {
namespace {

bool is_a_cpu(int cpu) noexcept { return cpu >= 0 && cpu < CPU_SETSIZE; }

// Argobots can bind streams only if it was configured so, and clients take other answers for a wish
// to have them bound.
bool is_available() noexcept {
    return base::current_settings().abt_affinity || current_environment().affinity;
}

// What the process had before any stream was bound.
const std::vector<int>& all_cpus() {
    static const std::vector<int> cpus = os::allowed_processors();
    return cpus;
}

// Numbers that this machine does not have are left out; false when none is left or the system
// refuses.
bool bind_thread(xstream_object& x, const std::vector<int>& cpus) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
        if (is_a_cpu(cpu)) {
            CPU_SET(static_cast<std::size_t>(cpu), &set);
        }
    }
    return x.stream == nullptr ||
           ::pthread_setaffinity_np(x.stream->thread_handle(), sizeof set, &set) == 0;
}

// SUCCESS; SYS, MEM.
int bind_xstream(xstream_object& x, const int* cpus, std::size_t count) noexcept {
    try {
        std::vector<int> wanted(cpus, cpus + count);
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        if (!bind_thread(x, wanted.empty() ? all_cpus() : wanted)) {
            return ABT_ERR_SYS;
        }
        x.cpus = std::move(wanted);
        return ABT_SUCCESS;
    } catch (const std::bad_alloc&) {
        return ABT_ERR_MEM;
    }
}

// The processors that the program has bound it to, which may include some that are not there; if
// none, those that the process has.
int read_cpus(xstream_object& x, std::vector<int>* cpus) noexcept {
    try {
        *cpus = x.cpus.empty() ? all_cpus() : x.cpus;
        return ABT_SUCCESS;
    } catch (const std::bad_alloc&) {
        return ABT_ERR_MEM;
    }
}

}  // namespace

bool remember_cpus() noexcept {
    try {
        return !all_cpus().empty();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

bool choose_default_cpus(int rank, std::vector<int>* cpus) noexcept {
    try {
        const std::vector<int>& all = all_cpus();
        cpus->assign(1, all[static_cast<std::size_t>(rank) % all.size()]);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace lazult::abt

using namespace lazult::abt;

int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(is_available(), ABT_ERR_FEATURE_NA);
    const int outcome = bind_xstream(*x, &cpuid, 1);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    return ABT_SUCCESS;
}

int ABT_xstream_get_cpubind(ABT_xstream xstream, int* cpuid) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(is_available(), ABT_ERR_FEATURE_NA);
    ABT_GIVE_UP_UNLESS(!x->cpus.empty(), ABT_ERR_CPUID);
    *cpuid = x->cpus.front();
    return ABT_SUCCESS;
}

int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int* cpuids) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(num_cpuids >= 0, ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(is_available(), ABT_ERR_FEATURE_NA);
    const int outcome = bind_xstream(*x, cpuids, static_cast<std::size_t>(num_cpuids));
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    return ABT_SUCCESS;
}

int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int* cpuids, int* num_cpuids) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(max_cpuids >= 0, ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(is_available(), ABT_ERR_FEATURE_NA);
    std::vector<int> bound;
    const int outcome = read_cpus(*x, &bound);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    const std::size_t count = std::min(bound.size(), static_cast<std::size_t>(max_cpuids));
    std::copy_n(bound.begin(), count, cpuids);
    if (num_cpuids != nullptr) {
        *num_cpuids = static_cast<int>(bound.size());
    }
    return ABT_SUCCESS;
}
