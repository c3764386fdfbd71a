// SPDX-License-Identifier: BSD-3-Clause
// Reads the environment variables. A malformed one is reported on stderr, in libgomp's words, and
// ignored.
#include "environment/environment.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "door.hpp"
#include "environment/display_env.hpp"
#include "environment/parse.hpp"
#include "environment/parse_places.hpp"

namespace lazult::omp {
namespace {

LAZULT_COLD void complain(const char* variable, const char* what = "Invalid") {
    std::fprintf(stderr, "\nlibgomp: %s value for environment variable %s\n", what, variable);
}

// Returns the variable's text, if it is set. An empty text counts as malformed, as in libgomp.
std::optional<std::string_view> variable_text(const char* variable) noexcept {
    const char* text = ::secure_getenv(variable);
    return text == nullptr ? std::nullopt : std::optional<std::string_view>(text);
}

// Parses the variable's text and passes the value to `use`. Returns false if there is no valid
// value.
template <class Parse, class Use>
bool read(const char* variable, Parse parse, Use use) {
    const auto text = variable_text(variable);
    if (!text) {
        return false;
    }
    const auto value = parse(*text);
    if (!value) {
        complain(variable);
        return false;
    }
    use(*value);
    return true;
}

template <class Number>
bool read_number(const char* variable, Number& into, std::uint64_t least, std::uint64_t most) {
    return read(
        variable, [=](std::string_view text) { return parse_number(text, least, most); },
        [&](std::uint64_t value) { into = static_cast<Number>(value); });
}

bool read_bool(const char* variable, bool& into) {
    return read(variable, parse_bool, [&](bool value) { into = value; });
}

struct schedule_value {
    std::uint32_t schedule;
    std::int64_t chunk;
};

constexpr std::uint32_t monotonic_bit = schedule_monotonic;

// Parses OMP_SCHEDULE: [monotonic:|nonmonotonic:] kind [, chunk]
std::optional<schedule_value> parse_schedule(std::string_view text) {
    std::uint32_t modifier = 0;
    bool has_modifier = false;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        const std::string_view word = trimmed(text.substr(0, colon));
        if (!equals(word, "monotonic") && !equals(word, "nonmonotonic")) {
            return std::nullopt;
        }
        has_modifier = true;
        modifier = equals(word, "monotonic") ? monotonic_bit : 0;
        text.remove_prefix(colon + 1);
    }
    static constexpr struct {
        std::string_view name;
        std::uint32_t kind;
    } kinds[] = {{"static", schedule_static},
                 {"dynamic", schedule_dynamic},
                 {"guided", schedule_guided},
                 {"auto", schedule_auto}};
    const std::vector<std::string_view> parts = split(text, ',');
    for (const auto& each : kinds) {
        if (equals(parts[0], each.name)) {
            const std::uint32_t bit = has_modifier                   ? modifier
                                      : each.kind == schedule_static ? monotonic_bit
                                                                     : 0;
            const bool is_static = each.kind == schedule_static;
            if (parts.size() == 1) {
                return schedule_value{each.kind | bit, is_static ? 0 : 1};
            }
            const auto chunk = parse_number(parts[1], 0, INT_MAX);
            return chunk && parts.size() == 2
                       ? std::optional(schedule_value{
                             each.kind | bit,
                             *chunk == 0 && !is_static ? 1 : static_cast<std::int64_t>(*chunk)})
                       : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> parse_threads(std::string_view text) {
    std::vector<std::uint32_t> numbers;
    for (std::string_view part : split(text, ',')) {
        const auto number = parse_number(part, 1, INT_MAX);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(static_cast<std::uint32_t>(*number));
    }
    return numbers;
}

std::optional<std::uintptr_t> parse_allocator(std::string_view text) {
    static constexpr std::string_view names[] = {"omp_default_mem_alloc", "omp_large_cap_mem_alloc",
                                                 "omp_const_mem_alloc",   "omp_high_bw_mem_alloc",
                                                 "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
                                                 "omp_pteam_mem_alloc",   "omp_thread_mem_alloc"};
    const auto* found =
        std::find_if(std::begin(names), std::end(names),
                     [&](std::string_view name) { return equals(trimmed(text), name); });
    if (found == std::end(names)) {
        return std::nullopt;
    }
    return static_cast<std::uintptr_t>(found - std::begin(names)) + 1;
}

std::optional<waiting_policy> parse_waiting(std::string_view text) {
    text = trimmed(text);
    if (equals(text, "active")) {
        return waiting_policy::active;
    }
    return equals(text, "passive") ? std::optional(waiting_policy::passive) : std::nullopt;
}

std::optional<offload_policy> parse_offload(std::string_view text) {
    text = trimmed(text);
    return equals(text, "default")     ? std::optional(offload_policy::automatic)
           : equals(text, "mandatory") ? std::optional(offload_policy::mandatory)
           : equals(text, "disabled")  ? std::optional(offload_policy::disabled)
                                       : std::nullopt;
}

// --- groups of variables

void read_threads(process_variables& all) {
    all.first.threads = static_cast<std::uint32_t>(std::max(all.processors, 1));
    bool has_levels = false;
    read("OMP_NUM_THREADS", parse_threads, [&](const std::vector<std::uint32_t>& numbers) {
        all.first.threads = numbers[0];
        if (numbers.size() > 1) {
            all.threads_by_level = numbers;
            has_levels = true;
        }
    });
    read_bool("OMP_DYNAMIC", all.first.dynamic);
    read_number("OMP_THREAD_LIMIT", all.first.thread_limit, 1, UINT_MAX);
    if (read("OMP_PROC_BIND", parse_bind,
             [&](const std::vector<bind_policy>& policies) {
                 all.first.bind = policies[0];
                 if (policies.size() > 1) {
                     all.bind_by_level = policies;
                     has_levels = true;
                 }
             }) &&
        all.first.bind == bind_false) {
        all.bind_by_level.clear();
    }
    bool nested = false;
    const bool says_nested = read_bool("OMP_NESTED", nested);
    unsigned levels = 0;
    if (read_number("OMP_MAX_ACTIVE_LEVELS", levels, 0, INT_MAX)) {
        all.first.max_active_levels =
            static_cast<std::uint8_t>(std::min<unsigned>(levels, supported_active_levels));
    } else if (says_nested ? nested : has_levels) {
        all.first.max_active_levels = supported_active_levels;
    }
}

void read_places(process_variables& all, const std::vector<int>& allowed) {
    const auto use = [&](const std::vector<place>& places) { all.places = places; };
    const auto parse = [&](std::string_view text) { return parse_places(text, allowed); };
    const auto parse_list = [&](std::string_view text) { return parse_cpu_list(text, allowed); };
    const bool binds = variable_text("OMP_PROC_BIND").has_value();
    if (read("OMP_PLACES", parse, use) || (!binds && read("GOMP_CPU_AFFINITY", parse_list, use))) {
        if (!binds) {
            all.first.bind = bind_true;
        }
    } else if (all.first.bind != bind_false) {
        all.places = *parse_places("threads", allowed);
    }
    if (all.first.bind == bind_false) {
        all.places.clear();
    }
}

// Sets how long a waiter spins before it sleeps: usually as long as it takes to sleep and be woken,
// as in the core's streams. Active waiting spins for longer. Passive waiting spins briefly: threads
// that work alike arrive at a barrier within that time, and sleeping would cost more processor
// time. GOMP_SPINCOUNT overrides these.
void read_waiting(process_variables& all) {
    all.spin_ns = base::current_settings().idle_spin;
    read("OMP_WAIT_POLICY", parse_waiting, [&](waiting_policy value) { all.waiting = value; });
    if (all.waiting == waiting_policy::passive) {
        all.spin_ns = std::min<std::int64_t>(all.spin_ns, 10'000);
    } else if (all.waiting == waiting_policy::active) {
        all.spin_ns = std::max<std::int64_t>(all.spin_ns, 10'000'000);
    }
    const auto text = variable_text("GOMP_SPINCOUNT");
    if (text && (equals(trimmed(*text), "infinite") || equals(trimmed(*text), "infinity"))) {
        all.spin_ns = std::int64_t{1} << 60;
    } else {
        std::uint64_t rounds = 0;
        if (read(
                "GOMP_SPINCOUNT", [](std::string_view value) { return parse_size(value, 1); },
                [&](std::size_t value) { rounds = value; })) {
            all.spin_ns = static_cast<std::int64_t>(
                std::min<std::uint64_t>(rounds, std::uint64_t{1} << 50) * 4);
        }
    }
}

void read_others(process_variables& all) {
    read("OMP_SCHEDULE", parse_schedule, [&](const schedule_value& value) {
        all.first.schedule = value.schedule;
        all.first.chunk = value.chunk;
    });
    const auto size = [](std::string_view text) { return parse_size(text, 1024); };
    const auto use = [&](std::size_t value) { all.stack_size = value; };
    if (!read("OMP_STACKSIZE", size, use)) {
        read("GOMP_STACKSIZE", size, use);
    }
    read_bool("OMP_CANCELLATION", all.cancellation);
    read_bool("OMP_DISPLAY_AFFINITY", all.display_affinity);
    all.affinity_format = std::string(
        variable_text("OMP_AFFINITY_FORMAT").value_or("level %L thread %i affinity %A"));
    read_number("OMP_MAX_TASK_PRIORITY", all.max_task_priority, 0, INT_MAX);
    read_number("OMP_NUM_TEAMS", all.teams, 1, INT_MAX);
    read_number("OMP_TEAMS_THREAD_LIMIT", all.teams_thread_limit, 1, INT_MAX);
    read_number("OMP_DEFAULT_DEVICE", all.first.default_device, 0, INT_MAX);
    read("OMP_ALLOCATOR", parse_allocator,
         [&](std::uintptr_t value) { all.first.allocator = value; });
    read("OMP_TARGET_OFFLOAD", parse_offload, [&](offload_policy value) { all.offload = value; });
    int debug = 0;
    read_number("GOMP_DEBUG", debug, 0, INT_MAX);
    all.debug = debug != 0;
}

void display_if_asked() {
    const auto text = variable_text("OMP_DISPLAY_ENV");
    if (!text) {
        return;
    }
    const std::string_view word = trimmed(*text);
    const bool verbose = equals(word, "verbose");
    const auto wanted = parse_bool(word);
    if (!verbose && !wanted) {
        complain("OMP_DISPLAY_ENV");
    } else if (verbose || *wanted) {
        display_environment(variables(), verbose);
    }
}

// Runs when the library is loaded, as users of libgomp expect.
[[gnu::constructor]] void read_environment() {
    variables();
    display_if_asked();
}

}  // namespace

process_variables read_variables() {
    process_variables all;
    const std::vector<int> allowed = os::allowed_processors();
    all.processors = static_cast<int>(allowed.size());
    read_threads(all);
    read_places(all, allowed);
    read_waiting(all);
    read_others(all);
    return all;
}

process_variables& variables() {
    static base::never_destroyed<process_variables> instance(read_variables());
    return *instance;
}

}  // namespace lazult::omp
