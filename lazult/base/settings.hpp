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
enum class deadlock_kind : std::uint8_t { off, report, abort };
enum class abt_null_kind : std::uint8_t { automatic, numbered, zero };

std::string_view name(technique_kind) noexcept;
std::string_view name(scheduler_kind) noexcept;
std::string_view name(guard_kind) noexcept;
std::string_view name(bind_kind) noexcept;
std::string_view name(deadlock_kind) noexcept;
std::string_view name(abt_null_kind) noexcept;

// Where something is written, as a number: not at all, where it usually goes, or a file. See
// output_path().
inline constexpr std::uint32_t output_off = 0;
inline constexpr std::uint32_t output_on = 1;
// The file's path as it was given, for the process's life; nullptr for the two above.
const char* output_path(std::uint32_t output) noexcept;
// The same path with %p replaced by the process's number, and `usual` instead of nullptr.
std::string output_path_of_process(std::uint32_t output, std::string_view usual);

// One field per row of the table in settings.cpp. The initialisers here are the defaults; the table
// reads them.
struct settings {
    std::uint32_t streams = 0;  // 0: one per processor that this process may use
    std::size_t stack_size = std::size_t{64} << 10;
    std::size_t scheduler_stack_size = 0;  // 0: see scheduler_stack_bytes()
    bool exact_stacks = false;
    technique_kind technique = technique_kind::adaptive;
    scheduler_kind scheduler = scheduler_kind::work_stealing;
    guard_kind guard = guard_kind::automatic;
    bool huge_pages = false;
    bind_kind bind = bind_kind::automatic;
    std::int64_t idle_spin = 50'000;  // ns: about what it costs to sleep and be woken
    std::uint32_t event_period = 64;
    std::uint32_t ready_tasks = 32;  // 0: tasks never start at once
    std::uint32_t stats = output_off;
    std::uint32_t trace = output_off;
    std::uint32_t trace_events = 262'144;  // of each OS thread
    std::uint32_t trace_every = 0;         // 0: as seldom as it takes to cost little
    bool probes = false;
    std::uint32_t max_cached_stacks = 256;
    std::uint64_t seed = 0;
    bool abt_tools = false;
    bool abt_affinity = false;
    abt_null_kind abt_null = abt_null_kind::automatic;
    std::int64_t watchdog = 0;  // ns; 0: nobody watches
    deadlock_kind deadlock = deadlock_kind::off;

    // What a scheduler's stack has. Where nobody says otherwise it is as large as a ULT's, so that
    // a ULT finds as much there as on a stack of its own; but users' callbacks run there too, for
    // which a ULT's smallest would not do.
    std::size_t scheduler_stack_bytes() const noexcept;

    bool operator==(const settings&) const = default;
};

enum class setting_type : std::uint8_t { boolean, count, bytes, nanoseconds, choice, output };
enum class setting_source : std::uint8_t { default_value, environment, program };

const char* name(setting_source) noexcept;

// What a setting is called, and which values it takes. A number without a suffix is in the
// setting's unit, which for a time may be "nanoseconds" or "seconds". Every type is carried as a
// 64-bit number: a boolean as 0 or 1, a choice as its index, an output as said there.
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

// A row of the core's table.
struct setting_definition : setting_description {
    std::uint64_t (*get)(const settings&) noexcept;
    void (*set)(settings&, std::uint64_t) noexcept;
};

std::span<const setting_definition> setting_table() noexcept;
inline constexpr std::size_t setting_count = 24;

// A setting of a door, with its value, which the door reads after current_settings().
struct door_setting : setting_description {
    std::uint64_t usual;
    std::uint64_t value = usual;
    setting_source source = setting_source::default_value;
};

// Registers the settings of a door. The door's library has one object of this class, so it
// registers them when it is loaded, and withdraws them when it is unloaded. They are read together
// with the core's: at the first use of the settings, or at once if that has been.
class door_settings {
public:
    // `family`: what the names of the door's variables begin with.
    door_settings(std::string_view family, std::span<door_setting> rows);
    ~door_settings();
    door_settings(const door_settings&) = delete;
    door_settings& operator=(const door_settings&) = delete;

    std::span<door_setting> rows() const noexcept { return rows_; }

private:
    std::span<door_setting> rows_;
};

// The core's settings, and those that doors have registered.
std::vector<const setting_description*> all_settings();

// The number that the text stands for in this row; nothing when it is malformed or out of range.
std::optional<std::uint64_t> parse_setting(const setting_description& row, std::string_view text);
// Whether it is in the row's range, or names a file that was given.
bool is_accepted(const setting_description& row, std::uint64_t value) noexcept;
// The first row that does not accept the value of its field, or nullptr.
const setting_definition* first_out_of_range(const settings& values) noexcept;
std::string format_setting(const setting_description& row, std::uint64_t value);
// "a size from 4 KiB to 1 GiB, with a suffix K, KiB, M, MiB, G or GiB; a number alone is in bytes",
// "one of auto on off"
std::string accepted_values(const setting_description& row);

// The value of an environment variable, or nothing when it is not set. By value: what getenv points
// at changes under a setenv.
using environment_lookup = std::function<std::optional<std::string>(const char* variable)>;

struct loaded_settings {
    settings values;
    std::array<setting_source, setting_count> sources{};
    std::vector<std::string> warnings;  // one per variable that was ignored
};

// Pure: reads only through the lookup, prints nothing. An empty variable counts as not set.
loaded_settings load_settings(const environment_lookup& lookup);

// False in a program that runs with rights that its caller does not have (setuid, setgid, file
// capabilities). The caller chose the environment, so no variable is read there.
bool obeys_environment() noexcept;

// The process's settings. The first call reads the environment and prints the warnings; it is
// thread-safe.
const settings& current_settings();

// For programs (the options of the C++ door). Fields that differ from the current ones are marked
// as coming from the program, and they win over the environment. Returns busy while the settings
// are frozen, and invalid_argument (nothing is changed; *problem names the field) when a value is
// out of range.
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
