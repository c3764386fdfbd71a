// SPDX-License-Identifier: BSD-3-Clause
#include "printing/objects.hpp"

#include "pools/pool_content.hpp"
#include "settings/environment.hpp"
#include "threads/thread_state.hpp"
#include "units/tool.hpp"

namespace lazult::abt {
namespace {

const char* yes_or_no(bool b) noexcept { return b ? "yes" : "no"; }

const char* name_of(core::life_state s) noexcept {
    switch (s) {
        case core::life_state::unused: return "freed";
        case core::life_state::ready: return "ready";
        case core::life_state::running: return "running";
        case core::life_state::blocked: return "blocked";
        case core::life_state::finished: return "terminated";
    }
    return "unknown";
}

const char* name_of(ABT_pool_access access) noexcept {
    switch (access) {
        case ABT_POOL_ACCESS_PRIV: return "PRIV";
        case ABT_POOL_ACCESS_SPSC: return "SPSC";
        case ABT_POOL_ACCESS_MPSC: return "MPSC";
        case ABT_POOL_ACCESS_SPMC: return "SPMC";
        case ABT_POOL_ACCESS_MPMC: return "MPMC";
    }
    return "unknown";
}

const char* kind_of(const work_unit& u) noexcept {
    if (has_bit(u, abt_main_scheduler)) {
        return "main scheduler";
    }
    if (has_bit(u, abt_primary)) {
        return "primary ULT";
    }
    return is_tasklet(u) ? "tasklet" : "ULT";
}

void print_settings(std::FILE* to) {
    for (const base::setting_row& row : base::describe_settings()) {
        std::fprintf(to, "  %s: %s (%s, %s)\n", row.name.c_str(), row.value.c_str(),
                     row.variable.c_str(), base::name(row.source));
    }
}

}  // namespace

void print_config(std::FILE* to) noexcept {
    const environment& asked = current_environment();
    std::fprintf(to, "Lazult %s, interface of Argobots %s\n", LAZULT_VERSION, ABT_VERSION);
    std::fprintf(to, "  execution streams at first: %u\n", asked.max_xstreams);
    std::fprintf(to, "  streams are bound to CPUs: %s\n", yes_or_no(asked.affinity));
    std::fprintf(to, "  refusals are printed: %s\n", yes_or_no(refusals_are_printed()));
    std::fprintf(to, "  tools may listen: %s\n", yes_or_no(tool::is_available()));
    if (!base::has_memory_for([to] { print_settings(to); })) {
        std::fprintf(to, "  (no memory to print the rest)\n");
    }
    std::fflush(to);
}

void print_pool(std::FILE* to, const sched::ready_pool& p, int indentation) noexcept {
    const pool_part& part = part_of(p);
    std::fprintf(to, "%*spool %p: number %d, %s, access %s, automatic: %s, schedulers: %d, units: ",
                 indentation, "", static_cast<const void*>(&p), part.id,
                 part.is_users ? "the user's" : p.kind(), name_of(part.access),
                 yes_or_no(part.is_automatic), part.schedulers.load(std::memory_order_relaxed));
    if (can_count(p)) {
        std::fprintf(to, "%zu", p.size());
    } else {
        std::fprintf(to, "not counted");
    }
    std::fprintf(to, ", waiting: %d\n", part.blocked.get() + p.waiting());
}

void print_sched(std::FILE* to, const sched_object& s, int indentation) noexcept {
    const auto pools = s.pools();
    std::fprintf(to, "%*sscheduler %p: %zu pools\n", indentation, "", static_cast<const void*>(&s),
                 pools.size());
    for (const sched::ready_pool* p : pools) {
        if (arena::is_live<kind::pool>(p)) {
            print_pool(to, *p, indentation + 2);
        }
    }
}

void print_xstream(std::FILE* to, const xstream_object& x) noexcept {
    std::fprintf(to, "execution stream %p: rank %d, %s, %s\n", static_cast<const void*>(&x),
                 rank_of(x), x.is_primary ? "primary" : "secondary",
                 x.is_running() ? "running" : "terminated");
    if (x.main != nullptr) {
        print_sched(to, *x.main, 2);
    }
}

void print_unit(std::FILE* to, work_unit& u, int indentation) noexcept {
    xstream_object* where = last_xstream_of(u);
    ABT_unit_id id = 0;
    get_id(u, &id);
    std::fprintf(to,
                 "%*s%s %p: number %llu, %s, function %p, argument %p, stack of %zu bytes, %s, "
                 "migratable: %s",
                 indentation, "", kind_of(u), static_cast<void*>(&u),
                 static_cast<unsigned long long>(id), name_of(u.state()),
                 reinterpret_cast<void*>(entry_of(u)), argument_of(u), stack_size_of(u),
                 is_named(u) ? "named" : "unnamed", yes_or_no(has_bit(u, abt_migratable)));
    std::fprintf(to, ", pool %p, last stream %p\n", static_cast<void*>(to_handle(u.home)),
                 static_cast<void*>(to_handle(where)));
}

}  // namespace lazult::abt
