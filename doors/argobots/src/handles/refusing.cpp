// SPDX-License-Identifier: BSD-3-Clause
// The names of error codes, and how functions refuse.
#include "handles/refusing.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include "lazult/ds/ds.hpp"

namespace lazult::abt {
namespace {

// field   written by        read by    order
// prints  print_refusals()  anybody    relaxed: no other data depends on it
constinit ds::default_atomics::atomic<bool> prints{false};

// The names of the codes; the index is the code.
constexpr std::array<std::string_view, 58> names = {
    "ABT_SUCCESS",
    "ABT_ERR_UNINITIALIZED",
    "ABT_ERR_MEM",
    "ABT_ERR_OTHER",
    "ABT_ERR_INV_XSTREAM",
    "ABT_ERR_INV_XSTREAM_RANK",
    "ABT_ERR_INV_XSTREAM_BARRIER",
    "ABT_ERR_INV_SCHED",
    "ABT_ERR_INV_SCHED_KIND",
    "ABT_ERR_INV_SCHED_PREDEF",
    "ABT_ERR_INV_SCHED_TYPE",
    "ABT_ERR_INV_SCHED_CONFIG",
    "ABT_ERR_INV_POOL",
    "ABT_ERR_INV_POOL_KIND",
    "ABT_ERR_INV_POOL_ACCESS",
    "ABT_ERR_INV_UNIT",
    "ABT_ERR_INV_THREAD",
    "ABT_ERR_INV_THREAD_ATTR",
    "ABT_ERR_INV_TASK",
    "ABT_ERR_INV_KEY",
    "ABT_ERR_INV_MUTEX",
    "ABT_ERR_INV_MUTEX_ATTR",
    "ABT_ERR_INV_COND",
    "ABT_ERR_INV_RWLOCK",
    "ABT_ERR_INV_EVENTUAL",
    "ABT_ERR_INV_FUTURE",
    "ABT_ERR_INV_BARRIER",
    "ABT_ERR_INV_TIMER",
    "ABT_ERR_INV_QUERY_KIND",
    "ABT_ERR_XSTREAM",
    "ABT_ERR_XSTREAM_STATE",
    "ABT_ERR_XSTREAM_BARRIER",
    "ABT_ERR_SCHED",
    "ABT_ERR_SCHED_CONFIG",
    "ABT_ERR_POOL",
    "ABT_ERR_UNIT",
    "ABT_ERR_THREAD",
    "ABT_ERR_TASK",
    "ABT_ERR_KEY",
    "ABT_ERR_MUTEX",
    "ABT_ERR_MUTEX_LOCKED",
    "ABT_ERR_COND",
    "ABT_ERR_COND_TIMEDOUT",
    "ABT_ERR_RWLOCK",
    "ABT_ERR_EVENTUAL",
    "ABT_ERR_FUTURE",
    "ABT_ERR_BARRIER",
    "ABT_ERR_TIMER",
    "ABT_ERR_MIGRATION_TARGET",
    "ABT_ERR_MIGRATION_NA",
    "ABT_ERR_MISSING_JOIN",
    "ABT_ERR_FEATURE_NA",
    "ABT_ERR_INV_TOOL_CONTEXT",
    "ABT_ERR_INV_ARG",
    "ABT_ERR_SYS",
    "ABT_ERR_CPUID",
    "ABT_ERR_INV_POOL_CONFIG",
    "ABT_ERR_INV_POOL_USER_DEF",
};
static_assert(names[ABT_ERR_INV_QUERY_KIND] == "ABT_ERR_INV_QUERY_KIND");
static_assert(names[ABT_ERR_TIMER] == "ABT_ERR_TIMER");
static_assert(names[ABT_ERR_INV_POOL_USER_DEF] == "ABT_ERR_INV_POOL_USER_DEF");

}  // namespace

std::string_view name_of_code(int code) noexcept {
    const bool known = code >= 0 && static_cast<std::size_t>(code) < names.size();
    return known ? names[static_cast<std::size_t>(code)] : std::string_view();
}

void print_refusals(bool wanted) noexcept { prints.store(wanted, std::memory_order_relaxed); }
bool refusals_are_printed() noexcept { return prints.load(std::memory_order_relaxed); }

int refuse(int code, const char* function) noexcept {
    if (refusals_are_printed()) {
        std::fprintf(stderr, "%s: %s\n", function, name_of_code(code).data());
    }
    return code;
}

int to_code(base::status s, int otherwise) noexcept {
    switch (s) {
        case base::status::ok: return ABT_SUCCESS;
        case base::status::out_of_memory: return ABT_ERR_MEM;
        case base::status::timed_out: return ABT_ERR_COND_TIMEDOUT;
        case base::status::invalid_argument: return ABT_ERR_INV_ARG;
        case base::status::not_supported: return ABT_ERR_FEATURE_NA;
        default: return otherwise;
    }
}

}  // namespace lazult::abt
