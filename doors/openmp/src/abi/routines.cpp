// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: the functions of omp.h that get and set variables, and their
// Fortran twins. The twins take addresses, and their names end in _, or in _8_ if numbers have
// eight bytes.
#include <algorithm>
#include <ctime>

#include "abi/export.hpp"
#include "environment/display_env.hpp"
#include "environment/environment.hpp"
#include "tasks/caller.hpp"
#include "tasks/kept_sharing.hpp"
#include "teams/os_thread.hpp"

using namespace lazult::omp;

namespace {

const icvs& mine() noexcept { return me().running->variables; }
team& my_team() noexcept { return *me().here->its_team; }

int in_range(std::int64_t value) noexcept {
    return static_cast<int>(std::clamp<std::int64_t>(value, INT_MIN, INT_MAX));
}
int as_int(std::uint32_t value) noexcept {
    return static_cast<int>(std::min<std::uint32_t>(value, INT_MAX));
}

// Returns the team around the caller at a level, or nullptr if there is none. Stores the number
// that the caller's ancestor has in that team.
const team* team_at(int level, std::uint32_t& number) noexcept {
    const unit_data& self = me();
    const team* at = self.here->its_team;
    number = self.number;
    if (level < 0 || static_cast<std::uint32_t>(level) > at->level) {
        return nullptr;
    }
    while (at->level > static_cast<std::uint32_t>(level)) {
        number = at->parent->number;
        at = at->outer;
    }
    return at;
}

// The place partition of a thread.
struct own_places {
    std::uint32_t first;
    std::uint32_t count;
};
own_places own_partition() noexcept {
    const thread& t = *me().here;
    const auto all = static_cast<std::uint32_t>(variables().places.size());
    return t.places_count == 0 ? own_places{0, all} : own_places{t.places_first, t.places_count};
}

const place* place_at(int number) noexcept {
    const auto& all = variables().places;
    return number >= 0 && static_cast<std::size_t>(number) < all.size()
               ? &all[static_cast<std::size_t>(number)]
               : nullptr;
}

template <class Number>
void copy_processors(int number, Number* ids) noexcept {
    if (const place* p = place_at(number); p != nullptr) {
        std::copy(p->begin(), p->end(), ids);
    }
}

template <class Number>
void copy_places(Number* numbers) noexcept {
    const own_places mine_all = own_partition();
    for (std::uint32_t i = 0; i < mine_all.count; ++i) {
        numbers[i] = static_cast<Number>(mine_all.first + i);
    }
}

void set_levels(int levels) noexcept {
    if (levels >= 0) {
        variables_to_change().max_active_levels =
            static_cast<std::uint8_t>(std::min<int>(levels, supported_active_levels));
    }
}

void set_schedule(std::uint32_t kind, int chunk) noexcept {
    icvs& v = variables_to_change();
    switch (kind & ~static_cast<std::uint32_t>(schedule_monotonic)) {
        case schedule_static: v.chunk = chunk < 1 ? 0 : chunk; break;
        case schedule_dynamic:
        case schedule_guided: v.chunk = chunk < 1 ? 1 : chunk; break;
        case schedule_auto: break;
        default: return;
    }
    v.schedule = kind;
}

timespec monotonic(int (*ask)(clockid_t, timespec*)) noexcept {
    timespec t{};
    ask(CLOCK_MONOTONIC, &t);
    return t;
}
double seconds(const timespec& t) noexcept {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// Ends the OS threads of the caller's helpers.
int pause(int kind, int device) noexcept {
    constexpr int soft = 1;
    constexpr int hard = 2;
    const worker* w = core::this_worker_or_null();
    // a target region inside a team has an initial task, too, so the team's kind does not tell
    const bool is_outside = w == nullptr || w->here == nullptr;
    const bool may = (kind == soft || kind == hard) && is_outside && device == 0;
    if (!may) {
        return -1;
    }
    end_helpers(this_os_thread());
    return 0;
}

}  // namespace

// LAZULT_OMP_GET defines a function without arguments for C and Fortran, LAZULT_OMP_FORTRAN_SET the
// Fortran twins of a function that sets a number.
#define LAZULT_OMP_GET(name, value)      \
    OMP_API int name() { return value; } \
    OMP_API std::int32_t name##_() { return value; }
#define LAZULT_OMP_FORTRAN_SET(name)                                  \
    OMP_API void name##_(const std::int32_t* value) { name(*value); } \
    OMP_API void name##_8_(const std::int64_t* value) { name(in_range(*value)); }

extern "C" {

LAZULT_OMP_GET(omp_get_thread_num, static_cast<int>(me().number))
LAZULT_OMP_GET(omp_get_num_threads, static_cast<int>(me().team_size))
LAZULT_OMP_GET(omp_get_max_threads, as_int(mine().threads))
LAZULT_OMP_GET(omp_get_num_procs, variables().processors)
LAZULT_OMP_GET(omp_in_parallel, my_team().active_level > 0 ? 1 : 0)
LAZULT_OMP_GET(omp_get_level, as_int(my_team().level))
LAZULT_OMP_GET(omp_get_active_level, as_int(my_team().active_level))
LAZULT_OMP_GET(omp_get_dynamic, mine().dynamic ? 1 : 0)
LAZULT_OMP_GET(omp_get_nested,
               mine().max_active_levels > my_team().active_level && mine().max_active_levels > 1
                   ? 1
                   : 0)
LAZULT_OMP_GET(omp_get_max_active_levels, mine().max_active_levels)
LAZULT_OMP_GET(omp_get_supported_active_levels, supported_active_levels)
LAZULT_OMP_GET(omp_get_thread_limit, as_int(mine().thread_limit))
LAZULT_OMP_GET(omp_in_final, me().running->has(task_final) ? 1 : 0)
LAZULT_OMP_GET(omp_get_cancellation, variables().cancellation ? 1 : 0)
LAZULT_OMP_GET(omp_get_max_task_priority, variables().max_task_priority)
LAZULT_OMP_GET(omp_get_proc_bind, mine().bind)
LAZULT_OMP_GET(omp_get_num_teams, as_int(my_team().league.teams))
LAZULT_OMP_GET(omp_get_team_num, as_int(my_team().league.number))
LAZULT_OMP_GET(omp_get_max_teams, variables().teams)
LAZULT_OMP_GET(omp_get_teams_thread_limit, variables().teams_thread_limit)
LAZULT_OMP_GET(omp_get_default_device, mine().default_device)
LAZULT_OMP_GET(omp_get_num_devices, 0)
LAZULT_OMP_GET(omp_get_initial_device, 0)
LAZULT_OMP_GET(omp_get_device_num, 0)
LAZULT_OMP_GET(omp_is_initial_device, 1)
LAZULT_OMP_GET(omp_get_num_places, static_cast<int>(variables().places.size()))
LAZULT_OMP_GET(omp_get_place_num, static_cast<int>(me().here->place) - 1)
LAZULT_OMP_GET(omp_get_partition_num_places, as_int(own_partition().count))
OMP_API double omp_get_wtime() { return seconds(monotonic(::clock_gettime)); }
OMP_API double omp_get_wtime_() { return omp_get_wtime(); }
OMP_API double omp_get_wtick() { return seconds(monotonic(::clock_getres)); }
OMP_API double omp_get_wtick_() { return omp_get_wtick(); }

OMP_API void omp_set_num_threads(int value) {
    variables_to_change().threads = value < 1 ? 1 : static_cast<std::uint32_t>(value);
}
LAZULT_OMP_FORTRAN_SET(omp_set_num_threads)
OMP_API void omp_set_dynamic(int value) { variables_to_change().dynamic = value != 0; }
LAZULT_OMP_FORTRAN_SET(omp_set_dynamic)
OMP_API void omp_set_nested(int value) { set_levels(value != 0 ? supported_active_levels : 1); }
LAZULT_OMP_FORTRAN_SET(omp_set_nested)
OMP_API void omp_set_max_active_levels(int value) { set_levels(value); }
LAZULT_OMP_FORTRAN_SET(omp_set_max_active_levels)
OMP_API void omp_set_default_device(int value) {
    variables_to_change().default_device = std::max(value, 0);
}
LAZULT_OMP_FORTRAN_SET(omp_set_default_device)
OMP_API void omp_set_num_teams(int value) { variables().teams = std::max(value, 0); }
LAZULT_OMP_FORTRAN_SET(omp_set_num_teams)
OMP_API void omp_set_teams_thread_limit(int value) {
    variables().teams_thread_limit = std::max(value, 0);
}
LAZULT_OMP_FORTRAN_SET(omp_set_teams_thread_limit)

OMP_API int omp_get_ancestor_thread_num(int level) {
    std::uint32_t number = 0;
    return team_at(level, number) == nullptr ? -1 : static_cast<int>(number);
}
OMP_API std::int32_t omp_get_ancestor_thread_num_(const std::int32_t* level) {
    return omp_get_ancestor_thread_num(*level);
}
OMP_API std::int32_t omp_get_ancestor_thread_num_8_(const std::int64_t* level) {
    return omp_get_ancestor_thread_num(in_range(*level));
}

OMP_API int omp_get_team_size(int level) {
    std::uint32_t number = 0;
    const team* at = team_at(level, number);
    return at == nullptr ? -1 : static_cast<int>(at->size);
}
OMP_API std::int32_t omp_get_team_size_(const std::int32_t* level) {
    return omp_get_team_size(*level);
}
OMP_API std::int32_t omp_get_team_size_8_(const std::int64_t* level) {
    return omp_get_team_size(in_range(*level));
}

OMP_API void omp_set_schedule(std::uint32_t kind, int chunk) { set_schedule(kind, chunk); }
OMP_API void omp_set_schedule_(const std::int32_t* kind, const std::int32_t* chunk) {
    set_schedule(static_cast<std::uint32_t>(*kind), *chunk);
}
OMP_API void omp_set_schedule_8_(const std::int32_t* kind, const std::int64_t* chunk) {
    set_schedule(static_cast<std::uint32_t>(*kind), in_range(*chunk));
}
OMP_API void omp_get_schedule(std::uint32_t* kind, int* chunk) {
    *kind = mine().schedule;
    *chunk = static_cast<int>(mine().chunk);
}
OMP_API void omp_get_schedule_(std::int32_t* kind, std::int32_t* chunk) {
    *kind = static_cast<std::int32_t>(mine().schedule);
    *chunk = static_cast<std::int32_t>(mine().chunk);
}
OMP_API void omp_get_schedule_8_(std::int32_t* kind, std::int64_t* chunk) {
    *kind = static_cast<std::int32_t>(mine().schedule);
    *chunk = mine().chunk;
}

OMP_API int omp_get_place_num_procs(int number) {
    const place* p = place_at(number);
    return p == nullptr ? 0 : static_cast<int>(p->size());
}
OMP_API std::int32_t omp_get_place_num_procs_(const std::int32_t* number) {
    return omp_get_place_num_procs(*number);
}
OMP_API std::int32_t omp_get_place_num_procs_8_(const std::int64_t* number) {
    return omp_get_place_num_procs(static_cast<int>(*number));
}
OMP_API void omp_get_place_proc_ids(int number, int* ids) { copy_processors(number, ids); }
OMP_API void omp_get_place_proc_ids_(const std::int32_t* number, std::int32_t* ids) {
    copy_processors(*number, ids);
}
OMP_API void omp_get_place_proc_ids_8_(const std::int64_t* number, std::int64_t* ids) {
    copy_processors(static_cast<int>(*number), ids);
}
OMP_API void omp_get_partition_place_nums(int* numbers) { copy_places(numbers); }
OMP_API void omp_get_partition_place_nums_(std::int32_t* numbers) { copy_places(numbers); }
OMP_API void omp_get_partition_place_nums_8_(std::int64_t* numbers) { copy_places(numbers); }

OMP_API int omp_pause_resource(int kind, int device) { return pause(kind, device); }
OMP_API std::int32_t omp_pause_resource_(const std::int32_t* kind, const std::int32_t* device) {
    return pause(*kind, *device);
}
OMP_API int omp_pause_resource_all(int kind) { return pause(kind, 0); }
OMP_API std::int32_t omp_pause_resource_all_(const std::int32_t* kind) { return pause(*kind, 0); }

OMP_API void omp_display_env(int verbose) { display_environment(variables(), verbose != 0); }
OMP_API void omp_display_env_(const std::int32_t* verbose) {
    display_environment(variables(), *verbose != 0);
}
OMP_API void omp_display_env_8_(const std::int64_t* verbose) {
    display_environment(variables(), *verbose != 0);
}
}
