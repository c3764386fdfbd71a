// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/runtime.hpp>

#include <string>
#include <type_traits>

#include "lazult/api/unit.hpp"

namespace lazult {
namespace {

constexpr std::string_view runtime_object = "runtime";

static_assert(static_cast<int>(scheduler_kind::waiting) ==
              static_cast<int>(base::scheduler_kind::waiting));
static_assert(static_cast<int>(guard_kind::none) == static_cast<int>(base::guard_kind::none));
static_assert(static_cast<int>(bind_kind::off) == static_cast<int>(base::bind_kind::off));
static_assert(static_cast<int>(started_kind::stay) == static_cast<int>(base::started_kind::stay));
static_assert(static_cast<int>(io_kind::threads) == static_cast<int>(base::io_kind::threads));
static_assert(static_cast<int>(technique::adaptive) ==
              static_cast<int>(base::technique_kind::adaptive));

[[noreturn]] LAZULT_COLD void refuse_option(const base::setting_definition& row,
                                            const std::string& value) {
    api::refuse(base::status::invalid_argument, "option " + std::string(row.name), "it is " + value,
                "give " + base::accepted_values(row));
}

// Throws error if a negative number is given, which no unsigned field could hold.
template <class Given>
void refuse_negative(std::string_view name, Given given) {
    if (given < 0) {
        for (const base::setting_definition& row : base::setting_table()) {
            if (row.name == name) {
                refuse_option(row, std::to_string(given));
            }
        }
    }
}

template <class Field, class Given>
void put(Field& field, const std::optional<Given>& given, std::string_view name) {
    if (given) {
        if constexpr (std::is_integral_v<Given> && std::is_signed_v<Given>) {
            refuse_negative(name, *given);
        }
        field = static_cast<Field>(*given);
    }
}

void put(std::int64_t& field, const std::optional<std::chrono::nanoseconds>& given,
         std::string_view name) {
    if (given) {
        refuse_negative(name, given->count());
        field = given->count();
    }
}

base::settings wanted(const options& with) {
    base::settings result = base::usual_settings();
    put(result.streams, with.streams, "streams");
    put(result.stack_size, with.stack_size, "stack_size");
    put(result.scheduler_stack_size, with.scheduler_stack_size, "scheduler_stack_size");
    if (with.how != technique::configured) {
        put(result.technique, with.how, "technique");
    }
    put(result.scheduler, with.scheduler, "scheduler");
    put(result.guard, with.guard, "guard");
    put(result.huge_pages, with.huge_pages, "huge_pages");
    put(result.bind, with.bind, "bind");
    put(result.idle_spin, with.idle_spin, "idle_spin");
    put(result.event_period, with.event_period, "event_period");
    put(result.ready_tasks, with.ready_tasks, "ready_tasks");
    put(result.max_cached_stacks, with.max_cached_stacks, "max_cached_stacks");
    put(result.seed, with.seed, "seed");
    put(result.exact_stacks, with.exact_stacks, "exact_stacks");
    put(result.started, with.started, "started");
    put(result.io, with.io, "io");
    put(result.io_helpers, with.io_helpers, "io_helpers");
    put(result.spare, with.spare, "spare");
    put(result.quantum, with.quantum, "quantum");
    return result;
}

void configure(const options& with) {
    const base::settings now = wanted(with);
    if (now == base::current_settings()) {
        return;
    }
    if (const base::setting_definition* row = base::first_out_of_range(now); row != nullptr) {
        refuse_option(*row, base::format_setting(*row, row->get(now)));
    }
    if (base::override_settings(now) != base::status::ok) {
        api::refuse(base::status::busy, runtime_object, "it runs already, with other settings",
                    "construct lazult::runtime before anything else of the library is used");
    }
    api::forget_defaults();
}

}  // namespace

runtime::runtime(const options& with) {
    configure(with);
    if (sched::start_runtime() != base::status::ok) {
        const os::memory_shortage why = os::find_thread_shortage();
        api::refuse(base::status::out_of_memory, runtime_object,
                    std::string("its execution streams cannot be started: ") + why.text,
                    std::string(why.cure) + ", or lower options::streams");
    }
}

runtime::~runtime() { sched::stop_runtime(true); }

bool runtime::is_running() noexcept { return sched::runtime_is_running(); }

int runtime::streams() noexcept { return sched::stream_count(); }

std::string_view name(technique how) noexcept {
    return how <= technique::adaptive     ? base::name(static_cast<base::technique_kind>(how))
           : how == technique::configured ? "configured"
                                          : "unknown";
}

}  // namespace lazult
