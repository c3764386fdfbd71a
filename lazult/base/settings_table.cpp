// SPDX-License-Identifier: BSD-3-Clause
// The core's table of settings, and the conversion of values from text to numbers and back.
#include "lazult/base/settings.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <mutex>
#include <type_traits>

#include <unistd.h>

#include "lazult/base/fork.hpp"
#include "lazult/base/never_destroyed.hpp"

namespace lazult::base {
namespace {

using namespace std::string_view_literals;

constexpr std::array technique_names{"full"sv,
                                     "lazy_stack"sv,
                                     "return_on_completion"sv,
                                     "stack_separation"sv,
                                     "scheduler_creation"sv,
                                     "run_to_completion"sv,
                                     "adaptive"sv};
constexpr std::array scheduler_names{"basic"sv, "priority"sv, "work_stealing"sv, "waiting"sv};
constexpr std::array guard_names{"auto"sv, "madvise"sv, "mprotect"sv, "canary"sv, "none"sv};
constexpr std::array bind_names{"auto"sv, "on"sv, "off"sv};
constexpr std::array started_names{"move"sv, "stay"sv};
constexpr std::array io_names{"auto"sv, "io_uring"sv, "threads"sv};
constexpr std::array deadlock_names{"off"sv, "report"sv, "abort"sv};

template <auto Field>
std::uint64_t get(const settings& values) noexcept {
    return static_cast<std::uint64_t>(values.*Field);
}

template <auto Field>
void set(settings& values, std::uint64_t value) noexcept {
    values.*Field = static_cast<std::remove_cvref_t<decltype(values.*Field)>>(value);
}

template <auto Field>
constexpr setting_definition number(std::string_view name, const char* variable, setting_type type,
                                    std::uint64_t minimum, std::uint64_t maximum,
                                    std::string_view unit, std::string_view doc) {
    return {{name, variable, type, minimum, maximum, {}, unit, doc}, get<Field>, set<Field>};
}

template <auto Field>
constexpr setting_definition boolean(std::string_view name, const char* variable,
                                     std::string_view doc) {
    return {{name, variable, setting_type::boolean, 0, 1, {}, {}, doc}, get<Field>, set<Field>};
}

template <auto Field>
constexpr setting_definition choice(std::string_view name, const char* variable,
                                    std::span<const std::string_view> choices,
                                    std::string_view doc) {
    return {{name, variable, setting_type::choice, 0, choices.size() - 1, choices, {}, doc},
            get<Field>,
            set<Field>};
}

template <auto Field>
constexpr setting_definition output(std::string_view name, const char* variable,
                                    std::string_view doc) {
    return {{name, variable, setting_type::output, output_off, output_on, {}, {}, doc},
            get<Field>,
            set<Field>};
}

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = kib * kib;
constexpr std::uint64_t gib = kib * mib;
constexpr std::uint64_t second = 1'000'000'000;

constexpr std::array<setting_definition, setting_count> table{
    number<&settings::streams>(
        "streams", "LAZULT_STREAMS", setting_type::count, 0, 1024, "execution streams",
        "how many execution streams to start; 0 starts one per allowed processor"),
    number<&settings::stack_size>("stack_size", "LAZULT_STACK_SIZE", setting_type::bytes, 4 * kib,
                                  gib, "bytes",
                                  "the stack of a ULT that asks for no size of its own"),
    number<&settings::scheduler_stack_size>("scheduler_stack_size", "LAZULT_SCHEDULER_STACK_SIZE",
                                            setting_type::bytes, 0, gib, "bytes",
                                            "the stack of a scheduler, for tasklets and for ULTs "
                                            "of that size; 0: as a ULT's, 64 KiB at least"),
    boolean<&settings::exact_stacks>(
        "exact_stacks", "LAZULT_EXACT_STACKS",
        "joiners call units on stacks of the units' own sizes, not on their own"),
    choice<&settings::technique>("technique", "LAZULT_TECHNIQUE", technique_names,
                                 "how a ULT starts that asks for no technique of its own"),
    choice<&settings::scheduler>("scheduler", "LAZULT_SCHEDULER", scheduler_names,
                                 "the scheduler of streams that name none"),
    choice<&settings::started>("started", "LAZULT_STARTED", started_names,
                               "whether a ULT that has begun may move to another stream, or stays "
                               "where it began"),
    choice<&settings::guard>("guard", "LAZULT_GUARD", guard_names, "what catches a stack overflow"),
    boolean<&settings::huge_pages>(
        "huge_pages", "LAZULT_HUGE_PAGES",
        "stacks in huge pages, which exclude page guards: guards win by default"),
    choice<&settings::bind>(
        "bind", "LAZULT_BIND", bind_names,
        "bind each stream to a processor; auto does while streams <= processors"),
    number<&settings::idle_spin>("idle_spin", "LAZULT_IDLE_SPIN", setting_type::nanoseconds, 0,
                                 second, "nanoseconds",
                                 "how long an idle stream spins before it sleeps"),
    number<&settings::event_period>(
        "event_period", "LAZULT_EVENT_PERIOD", setting_type::count, 1, 1'000'000,
        "scheduling points",
        "scheduling points between looks at events and lower-priority pools; fewer where units run "
        "for long"),
    number<&settings::ready_tasks>("ready_tasks", "LAZULT_READY_TASKS", setting_type::count, 0,
                                   1'000'000, "units",
                                   "where so many units are ready in a stream's pool, its next "
                                   "tasks start at once; 0: they never do"),
    output<&settings::stats>("stats", "LAZULT_STATS",
                             "counters at the end: on stderr, or in a file (*.json: as JSON)"),
    output<&settings::stack_use>("stack_use", "LAZULT_STACK_USE",
                                 "how deep ULTs went on their stacks, at the end: on stderr, or in "
                                 "a file (*.json: as JSON)"),
    output<&settings::trace>("trace", "LAZULT_TRACE",
                             "the life of threads and streams as a file for the Perfetto viewer; "
                             "on: lazult-trace-PID.json"),
    number<&settings::trace_events>("trace_events", "LAZULT_TRACE_EVENTS", setting_type::count, 16,
                                    100'000'000, "events per OS thread",
                                    "events that a trace keeps of each OS thread: the first ones"),
    number<&settings::trace_every>("trace_every", "LAZULT_TRACE_EVERY", setting_type::count, 0,
                                   1'000'000'000, "units",
                                   "traces one work unit in so many of each OS thread; 0 adjusts "
                                   "that so that tracing costs little"),
    boolean<&settings::probes>("probes", "LAZULT_PROBES",
                               "work units pass the USDT probes also when nothing is traced"),
    number<&settings::max_cached_stacks>("max_cached_stacks", "LAZULT_MAX_CACHED_STACKS",
                                         setting_type::count, 0, 1'000'000, "stacks per stream",
                                         "free stacks that a stream keeps for itself"),
    number<&settings::seed>("seed", "LAZULT_SEED", setting_type::count, 0,
                            std::numeric_limits<std::uint64_t>::max(), "",
                            "seeds the disturbances of chaos builds"),
    number<&settings::watchdog>(
        "watchdog", "LAZULT_WATCHDOG", setting_type::nanoseconds, 0, 3600 * second, "seconds",
        "report a ULT that has not reached a scheduling point for so long; 0 watches nobody"),
    number<&settings::spare>("spare", "LAZULT_SPARE", setting_type::nanoseconds, 0, 3600 * second,
                             "nanoseconds",
                             "a ULT that blocks in the kernel for so long has its stream's other "
                             "ULTs run by a spare stream; 0: none does"),
    number<&settings::quantum>(
        "quantum", "LAZULT_QUANTUM", setting_type::nanoseconds, 0, 3600 * second, "nanoseconds",
        "a ULT that reaches no scheduling point for so long has its stream's "
        "other ULTs run by a spare stream; 0: none does"),
    choice<&settings::deadlock>("deadlock", "LAZULT_DEADLOCK", deadlock_names,
                                "what to do when nothing in the process can run any more"),
    choice<&settings::io>("io", "LAZULT_IO", io_names,
                          "how files are read and written; auto: by io_uring if the kernel allows"),
    number<&settings::io_helpers>("io_helpers", "LAZULT_IO_HELPERS", setting_type::count, 1, 4096,
                                  "OS threads", "helper threads for calls that block, at most"),
};

struct suffix {
    std::string_view text;
    std::uint64_t factor;
};

// K and KiB mean the same, because nobody gives the size of a stack in decimal kilobytes. KB is not
// accepted, because it might be decimal. Values are printed with the first suffix that fits.
constexpr std::array byte_suffixes{suffix{"GiB", gib}, suffix{"G", gib},   suffix{"MiB", mib},
                                   suffix{"M", mib},   suffix{"KiB", kib}, suffix{"K", kib},
                                   suffix{"bytes", 1}, suffix{"B", 1},     suffix{"", 1}};
constexpr std::array time_suffixes{suffix{"s", second}, suffix{"ms", 1'000'000},
                                   suffix{"us", 1'000}, suffix{"ns", 1}, suffix{"", 1}};
// For long times, where a number without a suffix is in seconds.
constexpr std::array long_time_suffixes{suffix{"s", second}, suffix{"ms", 1'000'000},
                                        suffix{"us", 1'000}, suffix{"ns", 1}, suffix{"", second}};
constexpr std::array count_suffixes{suffix{"", 1}};

std::span<const suffix> suffixes_of(const setting_description& row) noexcept {
    switch (row.type) {
        case setting_type::bytes: return byte_suffixes;
        case setting_type::nanoseconds:
            return row.unit == "seconds" ? long_time_suffixes : time_suffixes;
        default: return count_suffixes;
    }
}

// Not std::tolower, because the meaning of a variable must not depend on the locale.
constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
    const auto fold = [](char c) { return c == '-' ? '_' : lower(c); };
    return std::ranges::equal(a, b, {}, fold, fold);
}

std::string_view trim(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == text.npos ? ""sv
                              : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::uint64_t> parse_boolean(std::string_view text) {
    for (std::string_view word : {"1"sv, "true"sv, "yes"sv, "on"sv}) {
        if (same_word(text, word)) {
            return 1;
        }
    }
    for (std::string_view word : {"0"sv, "false"sv, "no"sv, "off"sv}) {
        if (same_word(text, word)) {
            return 0;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> parse_choice(std::span<const std::string_view> choices,
                                          std::string_view text) {
    const auto found =
        std::ranges::find_if(choices, [&](auto word) { return same_word(word, text); });
    if (found == choices.end()) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(found - choices.begin());
}

std::optional<std::uint64_t> scale(std::uint64_t number, std::string_view unit,
                                   std::span<const suffix> suffixes) {
    for (const suffix& candidate : suffixes) {
        if (same_word(unit, candidate.text)) {
            const bool fits =
                number <= std::numeric_limits<std::uint64_t>::max() / candidate.factor;
            return fits ? std::optional(number * candidate.factor) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::span<const suffix> suffixes) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const char* begin = text.data() + (hexadecimal ? 2 : 0);
    const char* end = text.data() + text.size();
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(begin, end, number, hexadecimal ? 16 : 10);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    return scale(number, trim({rest, static_cast<std::size_t>(end - rest)}), suffixes);
}

// Removes a point and the digits behind it from the beginning of `text`. Returns these digits as a
// number of thousand millionths.
std::uint64_t take_fraction(std::string_view& text) {
    std::uint64_t fraction = 0;
    std::uint64_t place = second;
    for (text.remove_prefix(1); !text.empty() && text[0] >= '0' && text[0] <= '9';
         text.remove_prefix(1)) {
        place /= 10;
        fraction += place * static_cast<std::uint64_t>(text[0] - '0');
    }
    return fraction;
}

// Reads a time, which may have a fraction: 0.5s.
std::optional<std::uint64_t> parse_time(std::string_view text, std::span<const suffix> suffixes) {
    const std::size_t point = text.find('.');
    const bool is_decimal =
        point != 0 && point + 1 < text.size() && text[point + 1] >= '0' && text[point + 1] <= '9';
    if (point == text.npos || !is_decimal) {
        return parse_number(text, suffixes);
    }
    std::string_view unit = text.substr(point);
    const std::uint64_t fraction = take_fraction(unit);
    const std::string whole = std::string(text.substr(0, point)) + std::string(unit);
    const std::optional<std::uint64_t> time = parse_number(whole, suffixes);
    const std::optional<std::uint64_t> one = scale(1, trim(unit), suffixes);
    if (!time || !one || text.starts_with("0x") || text.starts_with("0X")) {
        return std::nullopt;
    }
    return *time + fraction / (second / *one);
}

// The paths that were given as outputs. None is ever removed, so an index stands for a path.
struct path_list {
    static constexpr std::uint32_t first = output_on + 1;
    static constexpr std::size_t most = 1024;
    path_list() noexcept { hold_across_fork(fork_lock::output_paths, lock); }

    std::mutex lock;
    std::deque<std::string> paths;

    std::optional<std::uint64_t> number_of(std::string_view path) {
        const std::scoped_lock hold(lock);
        const auto at = std::ranges::find(paths, path);
        const auto number = static_cast<std::uint64_t>(at - paths.begin()) + first;
        if (at == paths.end()) {
            if (paths.size() == most) {
                return std::nullopt;
            }
            paths.emplace_back(path);
        }
        return number;
    }
    const std::string* find(std::uint64_t output) {
        const std::scoped_lock hold(lock);
        return output < first || output - first >= paths.size() ? nullptr : &paths[output - first];
    }
};

path_list& output_paths() { return the_only<path_list>(); }

// A single word is not taken for a path, because it may be a misspelt `on`.
bool is_path(std::string_view text) noexcept { return text.find_first_of("/.") != text.npos; }

std::optional<std::uint64_t> parse_output(std::string_view text) {
    if (const std::optional<std::uint64_t> word = parse_boolean(text)) {
        return word;
    }
    return is_path(text) ? output_paths().number_of(text) : std::nullopt;
}

std::string format_output(std::uint64_t value) {
    const std::string* path = output_paths().find(value);
    return path != nullptr ? *path : value == output_off ? "off" : "on";
}

std::optional<std::uint64_t> parse_any(const setting_description& row, std::string_view text) {
    switch (row.type) {
        case setting_type::boolean: return parse_boolean(text);
        case setting_type::choice: return parse_choice(row.choices, text);
        case setting_type::output: return parse_output(text);
        case setting_type::nanoseconds: return parse_time(text, suffixes_of(row));
        default: return parse_number(text, suffixes_of(row));
    }
}

// Formats the value in the largest unit that leaves no fraction.
std::string format_number(std::uint64_t value, std::span<const suffix> suffixes) {
    for (const suffix& candidate : suffixes) {
        if (candidate.factor == 1 || (value != 0 && value % candidate.factor == 0)) {
            const std::string number = std::to_string(value / candidate.factor);
            return candidate.text.empty() ? number : number + ' ' + std::string(candidate.text);
        }
    }
    return std::to_string(value);
}

template <class Kind, class Names>
std::string_view word_for(Kind kind, const Names& names) noexcept {
    return names[static_cast<std::size_t>(kind)];
}

std::string range(const setting_description& row) {
    return " from " + format_setting(row, row.minimum) + " to " + format_setting(row, row.maximum);
}

}  // namespace

std::string_view name(technique_kind kind) noexcept { return word_for(kind, technique_names); }
std::string_view name(scheduler_kind kind) noexcept { return word_for(kind, scheduler_names); }
std::string_view name(guard_kind kind) noexcept { return word_for(kind, guard_names); }

std::span<const setting_definition> setting_table() noexcept { return table; }

bool is_accepted(const setting_description& row, std::uint64_t value) noexcept {
    return (value >= row.minimum && value <= row.maximum) ||
           (row.type == setting_type::output && output_paths().find(value) != nullptr);
}

const char* output_path(std::uint32_t output) noexcept {
    const std::string* path = output_paths().find(output);
    return path == nullptr ? nullptr : path->c_str();
}

std::string output_path_of_process(std::uint32_t output, std::string_view usual) {
    const char* given = output_path(output);
    std::string path(given == nullptr ? usual : std::string_view(given));
    if (const std::size_t at = path.find("%p"); at != path.npos) {
        path.replace(at, 2, std::to_string(::getpid()));
    }
    return path;
}

std::optional<std::uint64_t> parse_setting(const setting_description& row, std::string_view text) {
    const std::optional<std::uint64_t> value = parse_any(row, trim(text));
    return value && is_accepted(row, *value) ? value : std::nullopt;
}

std::string format_setting(const setting_description& row, std::uint64_t value) {
    switch (row.type) {
        case setting_type::boolean: return value != 0 ? "true" : "false";
        case setting_type::choice:
            return value < row.choices.size() ? std::string(row.choices[value])
                                              : std::to_string(value);
        case setting_type::output: return format_output(value);
        default: return format_number(value, suffixes_of(row));
    }
}

std::string accepted_values(const setting_description& row) {
    switch (row.type) {
        case setting_type::boolean: return "true or false, yes or no, on or off, 1 or 0";
        case setting_type::output:
            return "on or off, or a file's path, in which %p stands for the process's number and a "
                   "/ or a . must be";
        case setting_type::count: return "a whole number" + range(row);
        case setting_type::bytes:
            return "a size" + range(row) +
                   ", with a suffix K, KiB, M, MiB, G or GiB; a number alone is in bytes";
        case setting_type::nanoseconds:
            return "a time" + range(row) +
                   ", with a suffix ns, us, ms or s; a number alone is in " + std::string(row.unit);
        case setting_type::choice: break;
    }
    std::string text = "one of";
    for (std::string_view word : row.choices) {
        text.append(" ").append(word);
    }
    return text;
}

}  // namespace lazult::base
