// SPDX-License-Identifier: BSD-3-Clause
// Texts of LAZULT_ variables. Bytes: which variable, its text, a zero; and so on. Each is taken or
// refused whole: what is taken is in range, is what a second reader of plain numbers makes of it,
// and says the same when it is printed and read again; what is refused changes nothing and costs
// one warning of one line.
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "lazult/base/settings.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace lazult::fuzz {
namespace {

using namespace lazult::base;

void check(bool holds, const char* claim, const setting_definition& row, const std::string& text) {
    if (!holds) {
        std::fprintf(stderr, "%s=\"%s\": this does not hold: %s\n", row.variable, text.c_str(),
                     claim);
        std::abort();
    }
}

std::map<std::string, std::string> variables_in(std::span<const std::uint8_t> bytes) {
    std::map<std::string, std::string> all;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string& text = all[setting_table()[bytes[at] % setting_count].variable];
        text.clear();
        for (++at; at < bytes.size() && bytes[at] != 0; ++at) {
            text.push_back(static_cast<char>(bytes[at]));
        }
    }
    return all;
}

// Digits alone mean themselves, but where 0 and 1 are words: "00" is none.
void check_plain_number(const setting_definition& row, const std::string& text,
                        const std::optional<std::uint64_t>& value) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && rest == text.data() + text.size();
    const bool has_words = row.type == setting_type::choice || row.type == setting_type::boolean ||
                           row.type == setting_type::output;
    if (is_number && !has_words) {
        const std::uint64_t unit = row.unit == "seconds" ? 1'000'000'000 : 1;
        const bool fits = number >= row.minimum / unit && number <= row.maximum / unit;
        check(value.has_value() == fits && (!fits || *value == number * unit),
              "a plain number means itself", row, text);
    }
}

void check_text(const setting_definition& row, const std::string& text) {
    const std::optional<std::uint64_t> value = parse_setting(row, text);
    check(parse_setting(row, " \t" + text + "\n ") == value, "blanks around it do not matter", row,
          text);
    std::string shouted;
    for (const char c : text) {
        shouted.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    }
    // Also one that is refused, because so many files were named before.
    const bool names_file =
        row.type == setting_type::output && text.find_first_of("/.") != text.npos;
    check(names_file || parse_setting(row, shouted) == value, "case does not matter", row, text);
    check_plain_number(row, text, value);
    if (value) {
        check(is_accepted(row, *value), "it is in range", row, text);
        const std::string printed = format_setting(row, *value);
        check(parse_setting(row, printed) == value, "it is read again as it is printed", row,
              printed);
    }
}

bool is_one_line(const std::string& warning) {
    return warning.size() < 400 && warning.find_first_of("\n\r") == std::string::npos;
}

}  // namespace

void try_bytes(std::span<const std::uint8_t> bytes) {
    const std::map<std::string, std::string> set = variables_in(bytes);
    const loaded_settings loaded = load_settings([&](const char* variable) {
        const auto found = set.find(variable);
        return found == set.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
    std::size_t refused = 0;
    for (std::size_t i = 0; i < setting_count; ++i) {
        const setting_definition& row = setting_table()[i];
        const auto found = set.find(row.variable);
        const std::string text = found == set.end() ? "" : found->second;
        check_text(row, text);
        const std::optional<std::uint64_t> value =
            text.empty() ? std::nullopt : parse_setting(row, text);
        refused += !text.empty() && !value ? 1 : 0;
        check(row.get(loaded.values) == (value ? *value : row.get(settings{})),
              "it is taken, or the default", row, text);
        check((loaded.sources[i] == setting_source::environment) == value.has_value(),
              "its source is told", row, text);
    }
    check(loaded.warnings.size() == refused, "one warning for each refusal", setting_table()[0],
          "");
    for (const std::string& warning : loaded.warnings) {
        check(is_one_line(warning), "a warning is one line", setting_table()[0], warning);
    }
    check(override_settings(loaded.values) == status::ok, "the settings are in range",
          setting_table()[0], "");
}

}  // namespace lazult::fuzz
