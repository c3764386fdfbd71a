// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lazult/base/status.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lazult::base {

enum class technique_kind : std::uint8_t {
    full,
    lazy_stack,
    return_on_completion,
    stack_separation,
    scheduler_creation,
    run_to_completion,
    adaptive,
};
enum class scheduler_kind : std::uint8_t { basic, priority, work_stealing, waiting };
enum class guard_kind : std::uint8_t { automatic, madvise, mprotect, canary, none };
enum class bind_kind : std::uint8_t { automatic, on, off };
enum class started_kind : std::uint8_t { move, stay };
enum class io_kind : std::uint8_t { automatic, io_uring, threads };
enum class deadlock_kind : std::uint8_t { off, report, abort };

std::string_view name(technique_kind) noexcept;
std::string_view name(scheduler_kind) noexcept;
std::string_view name(guard_kind) noexcept;

// A setting of type `output` says where something is written, as a number: output_off (nowhere),
// output_on (the usual place), or the number of a file: output_path() returns its path.
inline constexpr std::uint32_t output_off = 0;
inline constexpr std::uint32_t output_on = 1;
// Returns the file's path as it was given, valid for the life of the process. Returns nullptr for
// output_off and output_on.
const char* output_path(std::uint32_t output) noexcept;
// Returns that path with %p replaced by the process id, or `usual` where output_path() is nullptr.
std::string output_path_of_process(std::uint32_t output, std::string_view usual);

// One field for each row of the table in settings_table.cpp. The initialisers are the defaults.
struct settings {
    std::uint32_t streams = 0;  // 0: one per processor that this process may use
    std::size_t stack_size = std::size_t{64} << 10;
    std::size_t scheduler_stack_size = 0;  // bytes; 0: see scheduler_stack_bytes()
    bool exact_stacks = false;
    technique_kind technique = technique_kind::adaptive;
    scheduler_kind scheduler = scheduler_kind::work_stealing;
    started_kind started = started_kind::move;
    guard_kind guard = guard_kind::automatic;
    bool huge_pages = false;
    bind_kind bind = bind_kind::automatic;
    std::int64_t idle_spin = 50'000;  // ns; about what it costs to sleep and be woken
    std::uint32_t event_period = 64;
    std::uint32_t ready_tasks = 32;  // 0: tasks never start at once
    std::uint32_t stats = output_off;
    std::uint32_t stack_use = output_off;
    std::uint32_t trace = output_off;
    std::uint32_t trace_events = 262'144;  // for each OS thread
    std::uint32_t trace_every = 0;         // 0: adjusted so that tracing costs little
    bool probes = false;
    std::uint32_t max_cached_stacks = 256;
    std::uint64_t seed = 0;
    std::int64_t watchdog = 0;  // ns; 0: no watchdog
    std::int64_t spare = 0;     // ns; 0: no spare streams for units that block
    std::int64_t quantum = 0;   // ns; 0: none for units that compute
    deadlock_kind deadlock = deadlock_kind::off;
    io_kind io = io_kind::automatic;
    std::uint32_t io_helpers = 64;

    // Returns the size of a scheduler's stack. By default it is as large as a ULT's, so that a ULT
    // that runs on the scheduler's stack has as much room as on its own. It is 64 KiB at least,
    // because users' callbacks run there too.
    std::size_t scheduler_stack_bytes() const noexcept;

    bool operator==(const settings&) const = default;
};

enum class setting_type : std::uint8_t { boolean, count, bytes, nanoseconds, choice, output };
enum class setting_source : std::uint8_t { default_value, environment, program };

const char* name(setting_source) noexcept;

// The name of a setting, and the values that it takes. A number without a suffix is in `unit`,
// which for a time is "nanoseconds" or "seconds". The value of every type is carried as a 64-bit
// number: a boolean as 0 or 1, a choice as its index, an output as said at output_off.
struct setting_description {
    std::string_view name;
    const char* variable;
    setting_type type;
    std::uint64_t minimum;
    std::uint64_t maximum;
    std::span<const std::string_view> choices;
    std::string_view unit;
    std::string_view doc;
};

// A row of the core's table: how to read and write the setting's field.
struct setting_definition : setting_description {
    std::uint64_t (*get)(const settings&) noexcept;
    void (*set)(settings&, std::uint64_t) noexcept;
};

std::span<const setting_definition> setting_table() noexcept;
inline constexpr std::size_t setting_count = 27;

// A setting of a door, and its value, which is valid once current_settings() has returned.
struct door_setting : setting_description {
    std::uint64_t usual;
    std::uint64_t value = usual;
    setting_source source = setting_source::default_value;
    // Whether a malformed variable makes the door fail, instead of the usual value being used.
    bool door_fails = false;
};

// Registers the settings of a door. The door's library has one object of this class in static
// storage, so the settings are registered when the library is loaded, and removed when it is
// unloaded. The environment is read for them when it is read for the core's settings, or at once if
// that has happened.
class door_settings {
public:
    // `family`: the prefix of the door's variables, such as "LAZULT_MPI_".
    door_settings(std::string_view family, std::span<door_setting> rows);
    ~door_settings();
    door_settings(const door_settings&) = delete;
    door_settings& operator=(const door_settings&) = delete;

    std::span<door_setting> rows() const noexcept { return rows_; }

private:
    std::span<door_setting> rows_;
};

// Returns the core's settings, and those that doors have registered.
std::vector<const setting_description*> all_settings();

// Returns the number that the text means, or nothing if the text is malformed or out of range.
std::optional<std::uint64_t> parse_setting(const setting_description& row, std::string_view text);
// Returns true if the value is in the row's range, or is the number of a file that was given.
bool is_accepted(const setting_description& row, std::uint64_t value) noexcept;
// Returns the first row that does not accept the value of its field, or nullptr.
const setting_definition* first_out_of_range(const settings& values) noexcept;
std::string format_setting(const setting_description& row, std::uint64_t value);
// Returns the accepted values as text, for messages:
// "a size from 4 KiB to 1 GiB, with a suffix K, KiB, M, MiB, G or GiB; a number alone is in bytes",
// "one of auto on off"
std::string accepted_values(const setting_description& row);

// Returns the value of an environment variable, or nothing if the variable is not set. The value is
// a copy, because a setenv changes the text to which getenv points.
using environment_lookup = std::function<std::optional<std::string>(const char* variable)>;

struct loaded_settings {
    settings values;
    std::array<setting_source, setting_count> sources{};
    std::vector<std::string> warnings;  // one for each variable that was ignored
};

// Reads the core's settings through `lookup`. Prints nothing. Empty variables count as not set.
loaded_settings load_settings(const environment_lookup& lookup);

// Returns false in a program that runs with rights that its caller does not have (setuid, setgid,
// file capabilities). Then no variable is read, because the caller chose the environment.
bool obeys_environment() noexcept;

// Returns the process's settings. The first call reads the environment and prints the warnings.
// Safe in all threads.
const settings& current_settings();

// What a program gets that asks for nothing: the current settings while they are frozen, else those
// of the environment. So what one runtime was given ends with it.
settings usual_settings();

// Changes settings for a program (the options of the C++ door). Fields that differ from those of
// the environment are marked as set by the program. Returns busy while the
// settings are frozen. Returns invalid_argument, with nothing changed and a text in *problem, if a
// value is out of range.
status override_settings(const settings& values, std::string* problem = nullptr);

// The runtime freezes the settings while it runs, because its streams read them without a lock.
void freeze_settings(bool frozen) noexcept;

struct setting_row {
    std::string name;
    std::string variable;
    std::string value;
    setting_source source;
    std::string default_value;
    std::string accepted;
    std::string doc;
};

// For `lazult info`, in the order of all_settings().
std::vector<setting_row> describe_settings();

}  // namespace lazult::base
