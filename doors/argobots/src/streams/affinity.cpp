// SPDX-License-Identifier: BSD-3-Clause
#include "streams/affinity.hpp"

#include "load/settings.hpp"
#include "settings/environment.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <new>

namespace lazult::abt {
namespace {

// Returns the processors that the process might use before any stream was bound.
const std::vector<int>& all_cpus() {
    static const std::vector<int> cpus = os::allowed_processors();
    return cpus;
}

// Binds the stream's OS thread. Processor numbers that a cpu_set_t cannot hold are left out.
// Returns false if the system refuses, for example because no processor of the set exists.
bool bind_thread(xstream_object& x, const std::vector<int>& cpus) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) {
        if (cpu >= 0 && cpu < CPU_SETSIZE) {
            CPU_SET(static_cast<std::size_t>(cpu), &set);
        }
    }
    return x.stream == nullptr ||
           ::pthread_setaffinity_np(x.stream->thread_handle(), sizeof set, &set) == 0;
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
    return base::has_memory_for([rank, cpus] {
        const std::vector<int>& all = all_cpus();
        cpus->assign(1, all[static_cast<std::size_t>(rank) % all.size()]);
    });
}

bool is_affinity_available() noexcept {
    return value_of(setting::affinity) != 0 || current_environment().affinity;
}

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

int read_cpus(const xstream_object& x, std::vector<int>* cpus) noexcept {
    const bool has_memory =
        base::has_memory_for([&] { *cpus = x.cpus.empty() ? all_cpus() : x.cpus; });
    return has_memory ? ABT_SUCCESS : ABT_ERR_MEM;
}

}  // namespace lazult::abt
