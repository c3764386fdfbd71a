// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/unknown_variables.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace lazult::base {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view prefix = "LAZULT_";
constexpr std::size_t most_warnings = 8;

// Not settings: what scripts, tests and builds use, where people keep an installation's path, and
// what doors/posix and doors/checker read.
constexpr std::array other_names{
    "LAZULT_SOURCE_DIR"sv,  "LAZULT_BUILD_DIR"sv, "LAZULT_BIN_DIR"sv,    "LAZULT_CMAKE"sv,
    "LAZULT_CXX"sv,         "LAZULT_GCC"sv,       "LAZULT_MPI_FAMILY"sv, "LAZULT_MPI_LAUNCHERS"sv,
    "LAZULT_ROOT"sv,        "LAZULT_DIR"sv,       "LAZULT_HOME"sv,       "LAZULT_PREFIX"sv,
    "LAZULT_POSIX_LEAVE"sv, "LAZULT_CHECKER"sv};
constexpr std::array other_families{"LAZULT_TEST_"sv, "LAZULT_STRESS_"sv, "LAZULT_MODEL_"sv,
                                    "LAZULT_FUZZ_"sv, "LAZULT_SOAK_"sv};

// What the variables of doors begin with. A door judges its own, once it is loaded.
constexpr std::array door_families{"LAZULT_ABT_"sv, "LAZULT_CONCERT_"sv, "LAZULT_MPI_"sv,
                                   "LAZULT_OMP_"sv};

std::string in_capitals(std::string_view name) {
    std::string text(name);
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

// Returns how many letters must be changed, inserted or removed to turn one word into the other.
std::size_t distance_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// Returns the setting with the most similar name, or nothing if no name is similar.
std::optional<std::string_view> nearest_setting(std::string_view name, setting_variables settings) {
    std::size_t least = std::max<std::size_t>(3, (name.size() - prefix.size()) / 2) + 1;
    std::optional<std::string_view> nearest;
    for (std::string_view candidate : settings) {
        if (const std::size_t distance = distance_between(name, candidate); distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 64;
    std::string shown(text.substr(0, longest));
    std::ranges::replace_if(shown, [](char c) { return c < ' ' || c == '\x7f'; }, '?');
    return text.size() > longest ? shown + "..." : shown;
}

bool is_known_variable(std::string_view name, setting_variables settings) noexcept {
    const auto begins = [&](std::string_view family) { return name.starts_with(family); };
    const auto is_left_to_door = [&](std::string_view family) {
        return name.starts_with(family) &&
               std::ranges::none_of(settings, [&](auto each) { return each.starts_with(family); });
    };
    return std::ranges::count(settings, name) != 0 || std::ranges::count(other_names, name) != 0 ||
           std::ranges::any_of(other_families, begins) ||
           std::ranges::any_of(door_families, is_left_to_door);
}

std::vector<std::string> describe_unknown_variables(const char* const* environment,
                                                    std::string_view family,
                                                    setting_variables settings) {
    std::vector<std::string> texts;
    for (; environment != nullptr && *environment != nullptr && texts.size() < most_warnings;
         ++environment) {
        const std::string_view entry(*environment);
        const std::string_view name = entry.substr(0, entry.find('='));
        if (!name.starts_with(family) || is_known_variable(name, settings)) {
            continue;
        }
        const std::optional<std::string_view> nearest =
            nearest_setting(in_capitals(name.substr(0, 256)), settings);
        texts.push_back(printable(name) + " is no setting and is ignored: " +
                        (nearest ? "the nearest one is " + std::string(*nearest)
                                 : "`lazult info` lists all of them"));
    }
    return texts;
}

}  // namespace lazult::base
