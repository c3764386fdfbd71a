// SPDX-License-Identifier: BSD-3-Clause
#include "environment/display_env.hpp"

#include <cstdio>
#include <string>

#include "door.hpp"

namespace lazult::omp {
namespace {

const char* truth(bool value) noexcept { return value ? "TRUE" : "FALSE"; }

std::string schedule_text(const icvs& v) {
    static constexpr const char* names[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    const std::uint32_t kind = v.schedule & ~static_cast<std::uint32_t>(schedule_monotonic);
    const bool monotonic = (v.schedule & schedule_monotonic) != 0;
    std::string text = monotonic && kind != schedule_static    ? "MONOTONIC:"
                       : !monotonic && kind == schedule_static ? "NONMONOTONIC:"
                                                               : "";
    text += names[kind];
    const bool is_usual = kind == schedule_auto || v.chunk == (kind == schedule_static ? 0 : 1);
    return is_usual ? text : text + ',' + std::to_string(v.chunk);
}

std::string threads_text(const process_variables& all) {
    std::string text = std::to_string(all.first.threads);
    for (std::size_t i = 1; i < all.threads_by_level.size(); ++i) {
        text += ',' + std::to_string(all.threads_by_level[i]);
    }
    return text;
}

std::string bind_text(const process_variables& all) {
    static constexpr const char* names[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
    std::string text = names[all.first.bind];
    for (std::size_t i = 1; i < all.bind_by_level.size(); ++i) {
        text += std::string(",") + names[all.bind_by_level[i]];
    }
    return text;
}

std::string places_text(const process_variables& all) {
    std::string text;
    for (const place& each : all.places) {
        text += text.empty() ? "{" : ",{";
        for (std::size_t i = 0; i < each.size(); ++i) {
            text += (i == 0 ? "" : ",") + std::to_string(each[i]);
        }
        text += '}';
    }
    return text;
}

std::string allocator_text(std::uintptr_t allocator) {
    static constexpr const char* names[] = {
        "omp_null_allocator",   "omp_default_mem_alloc", "omp_large_cap_mem_alloc",
        "omp_const_mem_alloc",  "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc",
        "omp_cgroup_mem_alloc", "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
    return allocator < std::size(names) ? names[allocator] : std::to_string(allocator);
}

void line(const char* name, const std::string& value) {
    std::fprintf(stderr, "  %s = '%s'\n", name, value.c_str());
}

void show_standard(const process_variables& all) {
    const icvs& first = all.first;
    line("_OPENMP", "201511");
    line("OMP_DYNAMIC", truth(first.dynamic));
    line("OMP_NESTED", truth(first.max_active_levels > 1));
    line("OMP_NUM_THREADS", threads_text(all));
    line("OMP_SCHEDULE", schedule_text(first));
    line("OMP_PROC_BIND", bind_text(all));
    line("OMP_PLACES", places_text(all));
    line("OMP_STACKSIZE", std::to_string(all.stack_size));
    line("OMP_WAIT_POLICY", all.waiting == waiting_policy::active ? "ACTIVE" : "PASSIVE");
    line("OMP_THREAD_LIMIT", std::to_string(first.thread_limit));
    line("OMP_MAX_ACTIVE_LEVELS", std::to_string(first.max_active_levels));
    line("OMP_NUM_TEAMS", std::to_string(all.teams));
    line("OMP_TEAMS_THREAD_LIMIT", std::to_string(all.teams_thread_limit));
    line("OMP_CANCELLATION", truth(all.cancellation));
    line("OMP_DEFAULT_DEVICE", std::to_string(first.default_device));
    line("OMP_MAX_TASK_PRIORITY", std::to_string(all.max_task_priority));
    line("OMP_DISPLAY_AFFINITY", truth(all.display_affinity));
    line("OMP_AFFINITY_FORMAT", all.affinity_format);
    line("OMP_ALLOCATOR", allocator_text(first.allocator));
    static constexpr const char* offloads[] = {"DEFAULT", "MANDATORY", "DISABLED"};
    line("OMP_TARGET_OFFLOAD", offloads[static_cast<int>(all.offload)]);
}

void show_ours(const process_variables& all) {
    line("GOMP_CPU_AFFINITY", "");
    line("GOMP_STACKSIZE", std::to_string(all.stack_size));
    line("GOMP_SPINCOUNT", std::to_string(all.spin_ns / 4));
    for (const base::setting_row& each : base::describe_settings()) {
        line(each.variable.c_str(), each.value);
    }
}

}  // namespace

void display_environment(const process_variables& all, bool verbose) {
    std::fputs("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n", stderr);
    show_standard(all);
    if (verbose) {
        show_ours(all);
    }
    std::fputs("OPENMP DISPLAY ENVIRONMENT END\n", stderr);
}

}  // namespace lazult::omp
