// SPDX-License-Identifier: BSD-3-Clause
// The processors on which execution streams may run.
#include "streams/affinity.hpp"

#include <algorithm>

using namespace lazult::abt;

int ABT_xstream_set_cpubind(ABT_xstream xstream, int cpuid) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(is_affinity_available(), ABT_ERR_FEATURE_NA);
    return result(bind_xstream(*x, &cpuid, 1), __func__);
}

int ABT_xstream_get_cpubind(ABT_xstream xstream, int* cpuid) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(is_affinity_available(), ABT_ERR_FEATURE_NA);
    ABT_GIVE_UP_UNLESS(!x->cpus.empty(), ABT_ERR_CPUID);
    *cpuid = x->cpus.front();
    return ABT_SUCCESS;
}

int ABT_xstream_set_affinity(ABT_xstream xstream, int num_cpuids, int* cpuids) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(num_cpuids >= 0, ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(is_affinity_available(), ABT_ERR_FEATURE_NA);
    return result(bind_xstream(*x, cpuids, static_cast<std::size_t>(num_cpuids)), __func__);
}

int ABT_xstream_get_affinity(ABT_xstream xstream, int max_cpuids, int* cpuids, int* num_cpuids) {
    auto* const x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(max_cpuids >= 0, ABT_ERR_INV_ARG);
    ABT_GIVE_UP_UNLESS(is_affinity_available(), ABT_ERR_FEATURE_NA);
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
