// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/info.hpp>

#include "lazult/core/core.hpp"
#include "lazult/topo/topo.hpp"

namespace lazult {

std::vector<setting> settings() {
    std::vector<setting> rows;
    for (base::setting_row& row : base::describe_settings()) {
        rows.push_back({std::move(row.name), std::move(row.variable), std::move(row.value),
                        base::name(row.source), std::move(row.default_value),
                        std::move(row.accepted), std::move(row.doc)});
    }
    return rows;
}

std::string describe_machine() { return topo::machine().describe(); }

std::string version() { return LAZULT_VERSION; }

stack_counts stacks() {
    const core::stack_statistics now = core::count_stacks();
    const auto by = [&](os::guard_method m) {
        return now.guards_by_method[static_cast<std::size_t>(m)];
    };
    return {now.carved,
            now.reserved_bytes,
            by(os::guard_method::madvise),
            by(os::guard_method::mprotect),
            by(os::guard_method::canary),
            by(os::guard_method::none)};
}

std::string guard_method() {
    const base::guard_kind wanted = base::current_settings().guard;
    return std::string(wanted == base::guard_kind::automatic
                           ? std::string_view(os::name(os::best_guard_method()))
                           : base::name(wanted));
}

std::string context_switch() { return arch::context_implementation(); }

}  // namespace lazult
