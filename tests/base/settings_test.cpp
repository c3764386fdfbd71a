// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/base.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace {

using namespace lazult::base;

using variables = std::map<std::string, std::string>;

loaded_settings load(const variables& environment) {
    return load_settings([&](const char* variable) -> std::optional<std::string> {
        const auto found = environment.find(variable);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
    });
}

const setting_definition& row(std::string_view name) {
    for (const setting_definition& candidate : setting_table()) {
        if (candidate.name == name) return candidate;
    }
    throw std::out_of_range(std::string(name));
}

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return result;
}

TEST(settings, a_schedulers_stack_is_as_large_as_a_ults_unless_it_is_set) {
    EXPECT_EQ(load({}).values.scheduler_stack_bytes(), 64U * 1024);
    EXPECT_EQ(load({{"LAZULT_STACK_SIZE", "16K"}}).values.scheduler_stack_bytes(), 64U * 1024);
    EXPECT_EQ(load({{"LAZULT_STACK_SIZE", "1M"}}).values.scheduler_stack_bytes(), 1024U * 1024);
    EXPECT_EQ(load({{"LAZULT_SCHEDULER_STACK_SIZE", "32K"}}).values.scheduler_stack_bytes(),
              32U * 1024);
}

TEST(settings, the_defaults_are_those_of_the_design) {
    const settings values = load({}).values;
    EXPECT_EQ(values.streams, 0U);
    EXPECT_EQ(values.stack_size, 64U * 1024);
    EXPECT_EQ(values.scheduler_stack_size, 0U);
    EXPECT_FALSE(values.exact_stacks);
    EXPECT_EQ(values.technique, technique_kind::adaptive);
    EXPECT_EQ(values.scheduler, scheduler_kind::work_stealing);
    EXPECT_EQ(values.started, started_kind::move);
    EXPECT_EQ(values.guard, guard_kind::automatic);
    EXPECT_FALSE(values.huge_pages);
    EXPECT_EQ(values.bind, bind_kind::automatic);
    EXPECT_EQ(values.idle_spin, 50'000);
    EXPECT_EQ(values.event_period, 64U);
    EXPECT_EQ(values.ready_tasks, 32U);
    EXPECT_EQ(values.stats, output_off);
    EXPECT_EQ(values.trace, output_off);
    EXPECT_EQ(values.trace_events, 262'144U);
    EXPECT_EQ(values.trace_every, 0U);
    EXPECT_EQ(values.stack_use, output_off);
    EXPECT_FALSE(values.probes);
    EXPECT_EQ(values.max_cached_stacks, 256U);
    EXPECT_EQ(values.seed, 0U);
    EXPECT_EQ(values.watchdog, 0);
    EXPECT_EQ(values.spare, 0);
    EXPECT_EQ(values.deadlock, deadlock_kind::off);
    EXPECT_EQ(values, settings{});
}

TEST(settings, every_row_of_the_table_is_whole) {
    std::set<std::string> names;
    for (const setting_definition& each : setting_table()) {
        SCOPED_TRACE(each.name);
        names.insert(std::string(each.name));
        EXPECT_EQ(each.variable, "LAZULT_" + upper(each.name));
        EXPECT_FALSE(each.doc.empty());
        EXPECT_LE(each.minimum, each.get(settings{}));
        EXPECT_GE(each.maximum, each.get(settings{}));
        EXPECT_EQ(each.type == setting_type::choice, !each.choices.empty());
    }
    EXPECT_EQ(names.size(), setting_count);
}

TEST(settings, every_row_reads_its_variable_and_only_its_own_field) {
    for (const setting_definition& each : setting_table()) {
        SCOPED_TRACE(each.name);
        const std::uint64_t other =
            each.get(settings{}) == each.maximum ? each.minimum : each.maximum;
        const loaded_settings loaded = load({{each.variable, format_setting(each, other)}});
        EXPECT_TRUE(loaded.warnings.empty());
        settings expected;
        each.set(expected, other);
        EXPECT_NE(expected, settings{});
        EXPECT_EQ(loaded.values, expected);
        for (std::size_t i = 0; i < setting_count; ++i) {
            EXPECT_EQ(loaded.sources[i], &setting_table()[i] == &each
                                             ? setting_source::environment
                                             : setting_source::default_value);
        }
    }
}

TEST(settings, every_row_prints_what_it_parses) {
    for (const setting_definition& each : setting_table()) {
        for (std::uint64_t value : {each.minimum, each.get(settings{}), each.maximum}) {
            EXPECT_EQ(parse_setting(each, format_setting(each, value)), value) << each.name;
        }
    }
}

TEST(settings, every_row_ignores_nonsense_with_a_warning_that_helps) {
    for (const setting_definition& each : setting_table()) {
        SCOPED_TRACE(each.name);
        const loaded_settings loaded = load({{each.variable, "banana"}});
        EXPECT_EQ(loaded.values, settings{});
        ASSERT_EQ(loaded.warnings.size(), 1U);
        const std::string& warning = loaded.warnings[0];
        EXPECT_NE(warning.find(std::string(each.variable) + "=\"banana\""), std::string::npos)
            << warning;
        EXPECT_NE(warning.find(accepted_values(each)), std::string::npos) << warning;
        EXPECT_NE(warning.find("using " + format_setting(each, each.get(settings{}))),
                  std::string::npos)
            << warning;
    }
}

TEST(settings, every_number_is_refused_outside_its_range) {
    for (const setting_definition& each : setting_table()) {
        if (each.type == setting_type::boolean || each.type == setting_type::choice ||
            each.type == setting_type::output) {
            continue;
        }
        SCOPED_TRACE(each.name);
        if (each.minimum > 0) {
            EXPECT_FALSE(parse_setting(each, std::to_string(each.minimum - 1)));
        }
        EXPECT_FALSE(parse_setting(each, std::to_string(each.maximum) + "0"));
        EXPECT_FALSE(parse_setting(each, "-1"));
        EXPECT_FALSE(parse_setting(each, "99999999999999999999999"));
        if (each.unit != "seconds") {
            EXPECT_TRUE(parse_setting(each, std::to_string(each.maximum)));
        }
    }
}

TEST(settings, sizes_take_suffixes) {
    const setting_definition& size = row("stack_size");
    const std::map<std::string, std::uint64_t> good{
        {"65536", 65536},    {"64K", 65536},  {"64KiB", 65536},   {"64k", 65536},
        {" 64 KiB ", 65536}, {"1M", 1 << 20}, {"1MiB", 1 << 20},  {"1G", 1 << 30},
        {"1gib", 1 << 30},   {"4096B", 4096}, {"0x10000", 65536},
    };
    for (const auto& [text, value] : good) EXPECT_EQ(parse_setting(size, text), value) << text;
    for (const char* text :
         {"64KB", "64Q", "1.5M", "K", "64 K K", "+64K", "0x", "64K 1", "17179869184G"}) {
        EXPECT_FALSE(parse_setting(size, text)) << text;
    }
    EXPECT_EQ(format_setting(size, 65536), "64 KiB");
    EXPECT_EQ(format_setting(size, 5000), "5000 bytes");
}

TEST(settings, times_take_suffixes) {
    const setting_definition& spin = row("idle_spin");
    EXPECT_EQ(parse_setting(spin, "250"), 250U);
    EXPECT_EQ(parse_setting(spin, "250ns"), 250U);
    EXPECT_EQ(parse_setting(spin, "5 us"), 5'000U);
    EXPECT_EQ(parse_setting(spin, "2ms"), 2'000'000U);
    EXPECT_EQ(parse_setting(spin, "1s"), 1'000'000'000U);
    EXPECT_FALSE(parse_setting(spin, "1h"));
    EXPECT_EQ(parse_setting(spin, "0.5s"), 500'000'000U);
    EXPECT_EQ(parse_setting(spin, "1.25 ms"), 1'250'000U);
    EXPECT_EQ(parse_setting(spin, "0.0000000019s"), 1U);
    for (const char* text : {"1.s", ".5s", "1.5.5s", "1.5", "0x1.5s", "1. 5s", "-0.5s", "1.5x"}) {
        const bool is_half = std::string_view(text) == "1.5";  // of a nanosecond: rounded down
        EXPECT_EQ(parse_setting(spin, text).has_value(), is_half) << text;
    }
    EXPECT_EQ(format_setting(spin, 5'000), "5 us");
    EXPECT_EQ(format_setting(spin, 0), "0 ns");
}

// As a person means it. Zero is zero in any unit.
TEST(settings, a_number_alone_is_in_the_unit_that_is_said) {
    const setting_definition& watchdog = row("watchdog");
    EXPECT_EQ(parse_setting(watchdog, "2"), 2'000'000'000U);
    EXPECT_EQ(parse_setting(watchdog, "0.5"), 500'000'000U);
    EXPECT_EQ(parse_setting(watchdog, "2s"), 2'000'000'000U);
    EXPECT_EQ(parse_setting(watchdog, "200ms"), 200'000'000U);
    EXPECT_EQ(parse_setting(watchdog, "0"), 0U);
    EXPECT_FALSE(parse_setting(watchdog, "3601"));
    for (const setting_definition& each : setting_table()) {
        if (each.type == setting_type::nanoseconds || each.type == setting_type::bytes) {
            EXPECT_TRUE(
                accepted_values(each).ends_with("; a number alone is in " + std::string(each.unit)))
                << each.name;
        }
    }
}

TEST(settings, counts_take_no_suffix) {
    EXPECT_EQ(parse_setting(row("streams"), "8"), 8U);
    EXPECT_FALSE(parse_setting(row("streams"), "1K"));
    EXPECT_FALSE(parse_setting(row("streams"), "8 streams"));
}

TEST(settings, booleans_have_the_usual_spellings) {
    for (const char* text : {"1", "true", "YES", "on"})
        EXPECT_EQ(parse_setting(row("exact_stacks"), text), 1U) << text;
    for (const char* text : {"0", "False", "no", "OFF"})
        EXPECT_EQ(parse_setting(row("exact_stacks"), text), 0U) << text;
    EXPECT_FALSE(parse_setting(row("exact_stacks"), "2"));
}

TEST(settings, outputs_are_words_or_paths) {
    const setting_definition& stats = row("stats");
    EXPECT_EQ(parse_setting(stats, "yes"), output_on);
    EXPECT_EQ(parse_setting(stats, "Off"), output_off);
    EXPECT_EQ(format_setting(stats, output_on), "on");
    EXPECT_EQ(format_setting(stats, output_off), "off");
    const auto file = parse_setting(stats, " out/file-%p ");
    ASSERT_TRUE(file);
    EXPECT_GT(*file, output_on);
    EXPECT_EQ(parse_setting(row("trace"), "out/file-%p"), file);
    EXPECT_NE(parse_setting(stats, "file.json"), file);
    EXPECT_EQ(format_setting(stats, *file), "out/file-%p");
    EXPECT_STREQ(output_path(static_cast<std::uint32_t>(*file)), "out/file-%p");
    EXPECT_EQ(output_path_of_process(static_cast<std::uint32_t>(*file), "usual"),
              "out/file-" + std::to_string(::getpid()));
    EXPECT_EQ(output_path_of_process(output_on, "usual"), "usual");
    EXPECT_EQ(output_path(output_on), nullptr);
    for (const char* text : {"onn", "ture", "2"}) EXPECT_FALSE(parse_setting(stats, text)) << text;
    EXPECT_FALSE(is_accepted(stats, 1'000'000));
}

TEST(settings, choices_ignore_case_and_dashes) {
    EXPECT_EQ(load({{"LAZULT_TECHNIQUE", "Return-On-Completion"}}).values.technique,
              technique_kind::return_on_completion);
    EXPECT_EQ(load({{"LAZULT_GUARD", "none"}}).values.guard, guard_kind::none);
    EXPECT_EQ(load({{"LAZULT_SCHEDULER", "basic"}}).values.scheduler, scheduler_kind::basic);
    EXPECT_EQ(load({{"LAZULT_BIND", "off"}}).values.bind, bind_kind::off);
    EXPECT_EQ(name(technique_kind::stack_separation), "stack_separation");
    EXPECT_EQ(name(scheduler_kind::waiting), "waiting");
    EXPECT_EQ(name(guard_kind::automatic), "auto");
}

TEST(settings, an_empty_variable_counts_as_not_set) {
    const loaded_settings loaded = load({{"LAZULT_STREAMS", ""}});
    EXPECT_TRUE(loaded.warnings.empty());
    EXPECT_EQ(loaded.sources[0], setting_source::default_value);
}

TEST(settings, one_bad_variable_does_not_spoil_the_others) {
    const loaded_settings loaded = load({{"LAZULT_STREAMS", "many"}, {"LAZULT_STACK_SIZE", "1M"}});
    EXPECT_EQ(loaded.warnings.size(), 1U);
    EXPECT_EQ(loaded.values.stack_size, 1U << 20);
}

TEST(settings, a_warning_stays_one_short_line) {
    const std::string monster = "a\nb\x1b[2J" + std::string(10'000, 'z');
    const loaded_settings loaded = load({{"LAZULT_STREAMS", monster}});
    ASSERT_EQ(loaded.warnings.size(), 1U);
    EXPECT_LT(loaded.warnings[0].size(), 400U);
    EXPECT_EQ(loaded.warnings[0].find_first_of("\n\x1b"), std::string::npos);
}

// The process's settings are read once, so each of these runs in a child of its own; the parent
// never reads them.

void expect(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::_Exit(1);
    }
}
#define EXPECT_HERE(condition) expect((condition), #condition)

void reads_the_environment_once() {
    ::setenv("LAZULT_STREAMS", "3", 1);
    ::setenv("LAZULT_GUARD", "wall", 1);
    EXPECT_HERE(current_settings().streams == 3);
    ::setenv("LAZULT_STREAMS", "5", 1);
    EXPECT_HERE(current_settings().streams == 3);
    EXPECT_HERE(current_settings().guard == guard_kind::automatic);
    std::_Exit(0);
}

TEST(settings_process, reads_the_environment_once_and_warns) {
    EXPECT_EXIT(reads_the_environment_once(), testing::ExitedWithCode(0),
                "^lazult: warning: LAZULT_GUARD=\"wall\" is ignored: accepted is one of auto "
                "madvise mprotect canary none; using auto\n$");
}

void program_overrides() {
    ::setenv("LAZULT_STREAMS", "3", 1);
    settings wanted = current_settings();
    wanted.streams = 7;
    wanted.stats = output_on;
    EXPECT_HERE(override_settings(wanted) == status::ok);
    EXPECT_HERE(current_settings() == wanted);
    const auto rows = describe_settings();
    EXPECT_HERE(rows.size() == setting_count);
    EXPECT_HERE(rows[0].name == "streams" && rows[0].variable == "LAZULT_STREAMS" &&
                rows[0].value == "7");
    EXPECT_HERE(rows[0].source == setting_source::program && rows[0].default_value == "0");
    EXPECT_HERE(rows[1].source == setting_source::default_value && rows[1].value == "64 KiB");
    EXPECT_HERE(!rows[0].doc.empty() && !rows[0].accepted.empty());
    std::_Exit(0);
}

void what_a_program_gave_ends() {
    ::setenv("LAZULT_STREAMS", "3", 1);
    settings wanted = current_settings();
    wanted.streams = 7;
    EXPECT_HERE(override_settings(wanted) == status::ok);
    freeze_settings(true);
    EXPECT_HERE(usual_settings() == wanted);
    freeze_settings(false);
    EXPECT_HERE(usual_settings().streams == 3);
    EXPECT_HERE(override_settings(usual_settings()) == status::ok);
    EXPECT_HERE(describe_settings()[0].source == setting_source::environment);
    std::_Exit(0);
}

TEST(settings_process, what_a_program_gave_ends_with_what_runs) {
    EXPECT_EXIT(what_a_program_gave_ends(), testing::ExitedWithCode(0), "^$");
}

TEST(settings_process, the_program_wins_over_the_environment) {
    EXPECT_EXIT(program_overrides(), testing::ExitedWithCode(0), "^$");
}

void refused_overrides() {
    const settings before = current_settings();
    settings wanted = before;
    wanted.stats = output_on;
    wanted.stack_size = 1;
    std::string problem;
    EXPECT_HERE(override_settings(wanted, &problem) == status::invalid_argument);
    EXPECT_HERE(
        problem.find("lazult: setting stack_size: its value is 1; give a size from 4 KiB") == 0);
    wanted = before;
    wanted.idle_spin = -1;
    EXPECT_HERE(override_settings(wanted) == status::invalid_argument);
    EXPECT_HERE(current_settings() == before);
    wanted = before;
    wanted.stats = output_on;
    freeze_settings(true);
    EXPECT_HERE(override_settings(wanted) == status::busy);
    EXPECT_HERE(current_settings() == before);
    freeze_settings(false);
    EXPECT_HERE(override_settings(wanted) == status::ok);
    std::_Exit(0);
}

// Of a door's settings: the number of rows that all lists have, and the values that were read.
struct door_rows {
    std::array<door_setting, 2> all{
        door_setting{{"toy_size", "LAZULT_TOY_SIZE", setting_type::count, 1, 9, {}, "", "a size"},
                     3},
        door_setting{{"toy_on", "LAZULT_TOY_ON", setting_type::boolean, 0, 1, {}, {}, "on"}, 1}};
    door_settings registered{"LAZULT_TOY_", all};
};

void expect_read(const door_rows& door) {
    EXPECT_HERE(door.all[0].value == 5 && door.all[0].source == setting_source::environment);
    EXPECT_HERE(door.all[1].value == 1 && door.all[1].source == setting_source::default_value);
    const auto rows = describe_settings();
    EXPECT_HERE(rows.size() == setting_count + 2 && all_settings().size() == rows.size());
    EXPECT_HERE(rows[setting_count].name == "toy_size" && rows[setting_count].value == "5");
    EXPECT_HERE(rows[setting_count].default_value == "3");
    EXPECT_HERE(rows[setting_count + 1].value == "true");
}

void registers_before_the_first_use() {
    door_rows door;
    ::setenv("LAZULT_TOY_SIZE", "5", 1);
    ::setenv("LAZULT_TOY_ON", "perhaps", 1);
    current_settings();
    expect_read(door);
    std::_Exit(0);
}

void registers_after_the_first_use() {
    current_settings();
    ::setenv("LAZULT_STREMS", "3", 1);  // it is too late for a warning of this one
    ::setenv("LAZULT_TOY_SIZ", "5", 1);
    ::setenv("LAZULT_TOY_SIZE", "5", 1);
    {
        door_rows door;
        expect_read(door);
    }
    EXPECT_HERE(describe_settings().size() == setting_count);
    std::_Exit(0);
}

TEST(settings_process, reads_a_doors_settings_with_its_own) {
    EXPECT_EXIT(registers_before_the_first_use(), testing::ExitedWithCode(0),
                "^lazult: warning: LAZULT_TOY_ON=\"perhaps\" is ignored: accepted is true or "
                "false[^\n]*; using true\n$");
}

void reads_what_a_door_refuses() {
    door_rows door;
    door.all[0].door_fails = true;
    ::setenv("LAZULT_TOY_SIZE", "five", 1);
    current_settings();
    EXPECT_HERE(door.all[0].value == 3 && door.all[0].source == setting_source::default_value);
    std::_Exit(0);
}

TEST(settings_process, does_not_say_that_it_ignores_what_a_door_refuses) {
    EXPECT_EXIT(reads_what_a_door_refuses(), testing::ExitedWithCode(0),
                "^lazult: warning: LAZULT_TOY_SIZE=\"five\" is malformed: accepted is a whole "
                "number from 1 to 9\n$");
}

TEST(settings_process, reads_the_settings_of_a_door_that_is_loaded_later) {
    EXPECT_EXIT(registers_after_the_first_use(), testing::ExitedWithCode(0),
                "^lazult: warning: LAZULT_TOY_SIZ is no setting and is ignored: the nearest one is "
                "LAZULT_TOY_SIZE\n$");
}

TEST(settings_process, refuses_bad_values_and_changes_while_running) {
    EXPECT_EXIT(refused_overrides(), testing::ExitedWithCode(0), "^$");
}

}  // namespace
