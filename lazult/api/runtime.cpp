// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/runtime.hpp>

#include <string>

#include "lazult/api/refusal.hpp"
#include "lazult/api/unit.hpp"

namespace lazult {
namespace {

constexpr std::string_view object = "runtime";

static_assert(static_cast<int>(scheduler_kind::waiting) == static_cast<int>(base::scheduler_kind::waiting));
static_assert(static_cast<int>(guard_kind::none) == static_cast<int>(base::guard_kind::none));
static_assert(static_cast<int>(bind_kind::off) == static_cast<int>(base::bind_kind::off));
static_assert(static_cast<int>(technique::adaptive) == static_cast<int>(base::technique_kind::adaptive));

// A negative number becomes one that is out of every range, which the table then reports.
template <class Field, class Given>
void put(Field& field, const std::optional<Given>& given) {
    if (given) {
        field = static_cast<Field>(*given);
    }
}

base::settings wanted(const options& with) {
    base::settings result = base::current_settings();
    put(result.streams, with.streams);
    put(result.stack_size, with.stack_size);
    put(result.scheduler_stack_size, with.scheduler_stack_size);
    if (with.how != technique::configured) {
        put(result.technique, with.how);
    }
    put(result.scheduler, with.scheduler);
    put(result.guard, with.guard);
    put(result.huge_pages, with.huge_pages);
    put(result.bind, with.bind);
    if (with.idle_spin) {
        result.idle_spin = with.idle_spin->count();
    }
    put(result.event_period, with.event_period);
    put(result.max_cached_stacks, with.max_cached_stacks);
    put(result.seed, with.seed);
    put(result.exact_stacks, with.exact_stacks);
    return result;
}

void configure(const options& with) {
    const base::settings now = wanted(with);
    if (now == base::current_settings()) {
        return;
    }
    std::string problem;
    switch (base::override_settings(now, &problem)) {
        case base::status::ok: api::forget_defaults(); return;
        case base::status::invalid_argument:
            api::refuse(base::status::invalid_argument, "runtime option", problem, "");
        default:
            api::refuse(base::status::busy, object, "it runs already, with other settings",
                        "construct lazult::runtime before anything else of the library is used");
    }
}

}  // namespace

runtime::runtime(const options& with) {
    configure(with);
    if (sched::start_runtime() != base::status::ok) {
        api::refuse(base::status::out_of_memory, object, "its execution streams cannot be started",
                    "lower options::streams, or raise the limits on threads and memory");
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
