// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/settings.hpp"

#include "lazult/base/fork.hpp"
#include "lazult/base/misuse.hpp"
#include "lazult/base/never_destroyed.hpp"
#include "lazult/base/unknown_variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <utility>

#include <sys/auxv.h>
#include <unistd.h>

namespace lazult::base {
namespace {

// field   | written by                          | read by              | memory order
// values  | the first reader; override_settings | everybody            | first write: the static's
//         |                                     |                      | guard; later: only while
//         |                                     |                      | not frozen, under
//         |                                     |                      | `changing`
// sources | the same                            | describe_settings    | under `changing`
// frozen  | freeze_settings                     | override_settings,   | under `changing`
//         |                                     | usual_settings       |
// first,  | the first reader                    | the same two         | the static's guard
// first_sources
// doors   | door_settings                       | all_settings, readers| under `changing`; values
//         |                                     |                      | of their rows: as `values`
struct process_settings {
    settings values;
    std::array<setting_source, setting_count> sources{};
    bool frozen = false;
    settings first;  // before any program changed them
    std::array<setting_source, setting_count> first_sources{};
};

struct door_list {
    std::vector<door_settings*> all;
    bool was_read = false;  // true once the environment was read for the settings of all doors
};

constinit std::mutex changing;

door_list& doors() { return the_only<door_list>(); }

[[gnu::constructor]] void hold_settings_lock() { hold_across_fork(fork_lock::settings, changing); }

std::optional<std::string> environment(const char* variable) {
    const char* text = ::secure_getenv(variable);
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

// Says that a variable is malformed. `used` is the value that the setting has all the same, or
// nothing if the reader of the setting does not go on.
std::string describe_malformed(const setting_description& row, std::string_view text,
                               std::optional<std::uint64_t> used) {
    return std::string(row.variable) + "=\"" + printable(text) + "\" is " +
           (used ? "ignored" : "malformed") + ": accepted is " + accepted_values(row) +
           (used ? "; using " + format_setting(row, *used) : std::string());
}

// Returns the value of the row's variable. Returns nothing if the variable is not set, or is
// malformed; then it adds a warning.
std::optional<std::uint64_t> read_row(const setting_description& row,
                                      std::optional<std::uint64_t> used,
                                      const environment_lookup& lookup,
                                      std::vector<std::string>& warnings) {
    const std::optional<std::string> text = lookup(row.variable);
    if (!text || text->empty()) {
        return std::nullopt;
    }
    const std::optional<std::uint64_t> value = parse_setting(row, *text);
    if (!value) {
        warnings.push_back(describe_malformed(row, *text, used));
    }
    return value;
}

void read_door(const door_settings& door, std::vector<std::string>& warnings) {
    for (door_setting& row : door.rows()) {
        const auto used = row.door_fails ? std::nullopt : std::optional(row.value);
        if (const auto value = read_row(row, used, environment, warnings)) {
            row.value = *value;
            row.source = setting_source::environment;
        }
    }
}

// Precondition: the caller holds `changing`.
std::vector<const setting_description*> list_settings() {
    std::vector<const setting_description*> rows;
    for (const setting_definition& row : setting_table()) {
        rows.push_back(&row);
    }
    for (const door_settings* door : doors().all) {
        for (const door_setting& row : door->rows()) {
            rows.push_back(&row);
        }
    }
    return rows;
}

void warn_of_all(std::vector<std::string> warnings, std::string_view family) {
    if (obeys_environment()) {
        std::vector<std::string_view> variables;
        for (const setting_description* row : list_settings()) {
            variables.emplace_back(row->variable);
        }
        std::ranges::move(describe_unknown_variables(environ, family, variables),
                          std::back_inserter(warnings));
    }
    for (const std::string& warning : warnings) {
        warn(warning);
    }
}

process_settings read_environment() {
    loaded_settings loaded = load_settings(environment);
    const std::scoped_lock lock(changing);
    doors().was_read = true;
    for (const door_settings* door : doors().all) {
        read_door(*door, loaded.warnings);
    }
    warn_of_all(std::move(loaded.warnings), "LAZULT_");
    return {loaded.values, loaded.sources, false, loaded.values, loaded.sources};
}

process_settings& process() {
    static process_settings state = read_environment();
    return state;
}

void apply(process_settings& state, const settings& wanted) noexcept {
    for (std::size_t i = 0; i < setting_count; ++i) {
        const setting_definition& row = setting_table()[i];
        if (row.get(wanted) != row.get(state.values)) {
            row.set(state.values, row.get(wanted));
            const bool is_first = row.get(wanted) == row.get(state.first);
            state.sources[i] = is_first ? state.first_sources[i] : setting_source::program;
        }
    }
}

setting_row describe(const setting_description& row, std::uint64_t value, std::uint64_t usual,
                     setting_source source) {
    return {std::string(row.name),      row.variable,         format_setting(row, value), source,
            format_setting(row, usual), accepted_values(row), std::string(row.doc)};
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
        if (const auto value = read_row(row, row.get(loaded.values), lookup, loaded.warnings)) {
            row.set(loaded.values, *value);
            loaded.sources[i] = setting_source::environment;
        }
    }
    return loaded;
}

door_settings::door_settings(std::string_view family, std::span<door_setting> rows) : rows_(rows) {
    const std::scoped_lock lock(changing);
    doors().all.push_back(this);
    if (doors().was_read) {
        std::vector<std::string> warnings;
        read_door(*this, warnings);
        warn_of_all(std::move(warnings), family);
    }
}

door_settings::~door_settings() {
    const std::scoped_lock lock(changing);
    std::erase(doors().all, this);
}

std::vector<const setting_description*> all_settings() {
    const std::scoped_lock lock(changing);
    return list_settings();
}

bool obeys_environment() noexcept { return ::getauxval(AT_SECURE) == 0; }

const settings& current_settings() { return process().values; }

settings usual_settings() {
    const process_settings& state = process();
    const std::scoped_lock lock(changing);
    return state.frozen ? state.values : state.first;
}

status override_settings(const settings& values, std::string* problem) {
    if (const setting_definition* row = first_out_of_range(values)) {
        if (problem != nullptr) {
            *problem = describe_misuse("setting " + std::string(row->name),
                                       "its value is " + std::to_string(row->get(values)),
                                       "give " + accepted_values(*row));
        }
        return status::invalid_argument;
    }
    process_settings& state = process();
    const std::scoped_lock lock(changing);
    if (state.frozen) {
        return status::busy;
    }
    apply(state, values);
    return status::ok;
}

void freeze_settings(bool frozen) noexcept {
    process_settings& state = process();
    const std::scoped_lock lock(changing);
    state.frozen = frozen;
}

std::vector<setting_row> describe_settings() {
    const process_settings& state = process();
    const std::scoped_lock lock(changing);
    std::vector<setting_row> rows;
    for (std::size_t i = 0; i < setting_count; ++i) {
        const setting_definition& row = setting_table()[i];
        rows.push_back(describe(row, row.get(state.values), row.get(settings{}), state.sources[i]));
    }
    for (const door_settings* door : doors().all) {
        for (const door_setting& row : door->rows()) {
            rows.push_back(describe(row, row.value, row.usual, row.source));
        }
    }
    return rows;
}

}  // namespace lazult::base
