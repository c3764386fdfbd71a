// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/settings.hpp"

#include "lazult/base/fork.hpp"
#include "lazult/base/misuse.hpp"
#include "lazult/base/unknown_variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include <sys/auxv.h>

namespace lazult::base {
namespace {

// field   | written by                          | read by              | memory order
// values  | the first reader; override_settings | everybody            | first write: the static's
//         |                                     |                      | guard; later: only while
//         |                                     |                      | not frozen, under
//         |                                     |                      | `changing`
// sources | the same                            | describe_settings    | under `changing`
// frozen  | freeze_settings                     | override_settings    | under `changing`
struct process_settings {
    settings values;
    std::array<setting_source, setting_count> sources{};
    bool frozen = false;
};

constinit std::mutex changing;

[[gnu::constructor]] void hold_settings_lock() { hold_across_fork(fork_lock::settings, changing); }

std::optional<std::string> environment(const char* variable) {
    const char* text = ::secure_getenv(variable);
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

process_settings read_environment() {
    const loaded_settings loaded = load_settings(environment);
    for (const std::string& warning : loaded.warnings) {
        warn(warning);
    }
    warn_of_unknown_variables();
    return {loaded.values, loaded.sources, false};
}

process_settings& process() {
    static process_settings state = read_environment();
    return state;
}

// A warning is one line of bounded length, whatever somebody put into the variable.
std::string printable(std::string_view text) {
    constexpr std::size_t longest = 64;
    std::string shown(text.substr(0, longest));
    for (char& c : shown) {
        c = c < ' ' || c == '\x7f' ? '?' : c;
    }
    return text.size() > longest ? shown + "..." : shown;
}

std::string ignored_value(const setting_definition& row, std::string_view text,
                          const settings& used) {
    return std::string(row.variable) + "=\"" + printable(text) + "\" is ignored: accepted is " +
           accepted_values(row) + "; using " + format_setting(row, row.get(used));
}

void apply(process_settings& state, const settings& wanted) noexcept {
    for (std::size_t i = 0; i < setting_count; ++i) {
        const setting_definition& row = setting_table()[i];
        if (row.get(wanted) != row.get(state.values)) {
            row.set(state.values, row.get(wanted));
            state.sources[i] = setting_source::program;
        }
    }
}

setting_row describe(const setting_definition& row, const settings& values, setting_source source) {
    return {std::string(row.name),
            row.variable,
            format_setting(row, row.get(values)),
            source,
            format_setting(row, row.get(settings{})),
            accepted_values(row),
            std::string(row.doc)};
}

}  // namespace

std::size_t settings::scheduler_stack_bytes() const noexcept {
    constexpr std::size_t least = std::size_t{64} << 10;
    return scheduler_stack_size != 0 ? scheduler_stack_size : std::max(stack_size, least);
}

const char* name(setting_source source) noexcept {
    switch (source) {
        case setting_source::default_value: return "default";
        case setting_source::environment: return "environment";
        case setting_source::program: return "program";
    }
    return "unknown";
}

const setting_definition* first_out_of_range(const settings& values) noexcept {
    for (const setting_definition& row : setting_table()) {
        if (!is_accepted(row, row.get(values))) {
            return &row;
        }
    }
    return nullptr;
}

loaded_settings load_settings(const environment_lookup& lookup) {
    loaded_settings loaded;
    for (std::size_t i = 0; i < setting_count; ++i) {
        const setting_definition& row = setting_table()[i];
        const std::optional<std::string> text = lookup(row.variable);
        if (!text || text->empty()) {
            continue;
        }
        if (const std::optional<std::uint64_t> value = parse_setting(row, *text)) {
            row.set(loaded.values, *value);
            loaded.sources[i] = setting_source::environment;
        } else {
            loaded.warnings.push_back(ignored_value(row, *text, loaded.values));
        }
    }
    return loaded;
}

bool obeys_environment() noexcept { return ::getauxval(AT_SECURE) == 0; }

const settings& current_settings() { return process().values; }

status override_settings(const settings& values, std::string* problem) {
    if (const setting_definition* row = first_out_of_range(values)) {
        if (problem != nullptr) {
            *problem = describe_misuse("setting " + std::string(row->name),
                                       "its value is " + std::to_string(row->get(values)),
                                       "give " + accepted_values(*row));
        }
        return status::invalid_argument;
    }
    const std::scoped_lock lock(changing);
    if (process().frozen) {
        return status::busy;
    }
    apply(process(), values);
    return status::ok;
}

void freeze_settings(bool frozen) noexcept {
    const std::scoped_lock lock(changing);
    process().frozen = frozen;
}

std::vector<setting_row> describe_settings() {
    const std::scoped_lock lock(changing);
    std::vector<setting_row> rows;
    for (std::size_t i = 0; i < setting_count; ++i) {
        rows.push_back(describe(setting_table()[i], process().values, process().sources[i]));
    }
    return rows;
}

}  // namespace lazult::base
