// SPDX-License-Identifier: BSD-3-Clause
// Prints what there is and how it is set, for debugging.
#include "tools/info_print.hpp"

#include "pools/pool.hpp"
#include "runtime/environment.hpp"
#include "runtime/error.hpp"
#include "schedulers/sched.hpp"
#include "streams/xstream.hpp"
#include "threads/attributes.hpp"
#include "threads/thread_record.hpp"
#include "tools/tool.hpp"

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

void print_sched(std::FILE* to, ABT_sched sched, int indentation) noexcept {
    int pools = 0;
    ABT_sched_get_num_pools(sched, &pools);
    std::fprintf(to, "%*sscheduler %p: %d pools\n", indentation, "", static_cast<void*>(sched),
                 pools);
    for (int i = 0; i < pools; ++i) {
        ABT_pool pool = ABT_POOL_NULL;
        ABT_sched_get_pools(sched, 1, i, &pool);
        if (const sched::ready_pool* p = checked_pool(pool); p != nullptr) {
            print_pool(to, *p, indentation + 2);
        }
    }
}

void print_xstream(std::FILE* to, ABT_xstream xstream) noexcept {
    int rank = -1;
    ABT_bool primary = ABT_FALSE;
    ABT_xstream_state state = ABT_XSTREAM_STATE_TERMINATED;
    ABT_sched main = ABT_SCHED_NULL;
    ABT_xstream_get_rank(xstream, &rank);
    ABT_xstream_is_primary(xstream, &primary);
    ABT_xstream_get_state(xstream, &state);
    ABT_xstream_get_main_sched(xstream, &main);
    std::fprintf(to, "execution stream %p: rank %d, %s, %s\n", static_cast<void*>(xstream), rank,
                 primary == ABT_TRUE ? "primary" : "secondary",
                 state == ABT_XSTREAM_STATE_RUNNING ? "running" : "terminated");
    if (!is_null(main)) {
        print_sched(to, main, 2);
    }
}

void print_each_xstream(xstream_object& x, void* to) noexcept {
    print_xstream(static_cast<std::FILE*>(to), to_handle(&x));
}

}  // namespace

void print_config(std::FILE* to) noexcept {
    const environment& asked = current_environment();
    std::fprintf(to, "Lazult %s, interface of Argobots %s\n", LAZULT_VERSION, ABT_VERSION);
    std::fprintf(to, "  execution streams at first: %u\n", asked.max_xstreams);
    std::fprintf(to, "  streams are bound to CPUs: %s\n", yes_or_no(asked.affinity));
    std::fprintf(to, "  refusals are printed: %s\n", yes_or_no(refusals_are_printed()));
    std::fprintf(to, "  tools may listen: %s\n", yes_or_no(tool::is_available()));
    try {
        print_settings(to);
    } catch (const std::bad_alloc&) {
        std::fprintf(to, "  (no memory to print the rest)\n");
    }
    std::fflush(to);
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
    std::fprintf(
        to, ", pool %p, last stream %p\n", static_cast<void*>(to_handle(u.home)),
        static_cast<void*>(where == nullptr ? as_null(ABT_XSTREAM_NULL) : to_handle(where)));
}

}  // namespace lazult::abt

using namespace lazult::abt;

extern "C" {

int ABT_info_print_config(FILE* fp) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    print_config(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_all_xstreams(FILE* fp) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    int number = 0;
    ABT_xstream_get_num(&number);
    std::fprintf(fp, "%d execution streams\n", number);
    for_each_xstream(print_each_xstream, fp);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_xstream(FILE* fp, ABT_xstream xstream) {
    ABT_GIVE_UP_UNLESS(checked_xstream(xstream) != nullptr, ABT_ERR_INV_XSTREAM);
    print_xstream(fp, xstream);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_sched(FILE* fp, ABT_sched sched) {
    ABT_GIVE_UP_UNLESS(arena::is_live<kind::sched>(sched), ABT_ERR_INV_SCHED);
    print_sched(fp, sched, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_pool(FILE* fp, ABT_pool pool) {
    const lazult::sched::ready_pool* p = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(p != nullptr, ABT_ERR_INV_POOL);
    print_pool(fp, *p, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread(FILE* fp, ABT_thread thread) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    print_unit(fp, *u, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_task(FILE* fp, ABT_task task) {
    work_unit* u = checked_thread(task);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_TASK);
    print_unit(fp, *u, 0);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread_attr(FILE* fp, ABT_thread_attr attr) {
    const auto* a = checked<thread_attr_object>(attr);
    ABT_GIVE_UP_UNLESS(a != nullptr, ABT_ERR_INV_THREAD_ATTR);
    std::fprintf(
        fp,
        "attributes %p: stack %p of %zu bytes, migratable: %s, called when it has moved: %p(%p)\n",
        static_cast<const void*>(a), a->stack_base, a->stack_size, yes_or_no(a->is_migratable),
        reinterpret_cast<void*>(a->migrated), a->migrated_argument);
    std::fflush(fp);
    return ABT_SUCCESS;
}

}  // extern "C"
