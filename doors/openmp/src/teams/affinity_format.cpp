// SPDX-License-Identifier: BSD-3-Clause
#include "teams/affinity_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "environment/environment.hpp"
#include "model/team.hpp"
#include "tasks/caller.hpp"

namespace lazult::omp {
namespace {

// Returns the processors of the calling thread, as 0-3,7.
std::string affinity_text() {
    const std::vector<int> allowed = os::allowed_processors();
    std::string text;
    for (std::size_t first = 0; first < allowed.size(); ++first) {
        std::size_t last = first;
        while (last + 1 < allowed.size() && allowed[last + 1] == allowed[last] + 1) {
            ++last;
        }
        text += (text.empty() ? "" : ",") + std::to_string(allowed[first]);
        text += last == first ? "" : '-' + std::to_string(allowed[last]);
        first = last;
    }
    return text;
}

std::string host_name() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

long ancestor_number(const team& region) noexcept {
    return region.level == 0 ? -1 : static_cast<long>(region.parent->number);
}

struct field_value {
    std::string text;
    bool is_number = true;
};

field_value value_of(char field) {
    const unit_data& mine = me();
    const team& region = *mine.here->its_team;
    switch (field) {
        case 't': return {std::to_string(region.league.number)};
        case 'T': return {std::to_string(region.league.teams)};
        case 'L': return {std::to_string(region.level)};
        case 'n': return {std::to_string(mine.number)};
        case 'N': return {std::to_string(mine.team_size)};
        case 'a': return {std::to_string(ancestor_number(region))};
        case 'P': return {std::to_string(::getpid())};
        case 'i': return {std::to_string(os::thread_id())};
        case 'H': return {host_name(), false};
        case 'A': return {affinity_text(), false};
        default: return {"undefined", false};
    }
}

char short_name(std::string_view name) noexcept {
    static constexpr struct {
        std::string_view name;
        char field;
    } names[] = {{"team_num", 't'},       {"num_teams", 'T'},   {"nesting_level", 'L'},
                 {"thread_num", 'n'},     {"num_threads", 'N'}, {"ancestor_tnum", 'a'},
                 {"host", 'H'},           {"process_id", 'P'},  {"native_thread_id", 'i'},
                 {"thread_affinity", 'A'}};
    for (const auto& each : names) {
        if (each.name == name) {
            return each.field;
        }
    }
    return '?';
}

struct field_layout {
    bool zeros = false;
    bool right = false;
    std::size_t width = 0;
};

std::string laid_out(field_value value, const field_layout& layout) {
    const std::size_t length = value.text.size();
    if (length >= layout.width) {
        return value.text;
    }
    if (!layout.right) {
        return value.text + std::string(layout.width - length, ' ');
    }
    const bool zeros = layout.zeros && value.is_number;
    const std::size_t sign = zeros && value.text.front() == '-' ? 1 : 0;
    return value.text.insert(sign, layout.width - length, zeros ? '0' : ' ');
}

// Returns the text for the field behind a %, and removes the field from the format.
std::string take_field(std::string_view& format) {
    field_layout layout;
    if (!format.empty() && format.front() == '%') {
        format.remove_prefix(1);
        return "%";
    }
    const auto take = [&](char c) {
        const bool is_there = !format.empty() && format.front() == c;
        format.remove_prefix(is_there ? 1 : 0);
        return is_there;
    };
    layout.zeros = take('0');
    layout.right = take('.');
    while (!format.empty() && format.front() >= '0' && format.front() <= '9') {
        layout.width = std::min<std::size_t>(
            layout.width * 10 + static_cast<std::size_t>(format.front() - '0'), 4096);
        format.remove_prefix(1);
    }
    if (format.empty()) {
        return "";
    }
    char field = format.front();
    format.remove_prefix(1);
    if (field == '{') {
        const std::size_t end = std::min(format.find('}'), format.size());
        field = short_name(format.substr(0, end));
        format.remove_prefix(std::min(end + 1, format.size()));
    }
    return laid_out(value_of(field), layout);
}

}  // namespace

std::string formatted(std::string_view format) {
    if (format.empty()) {
        format = variables().affinity_format;
    }
    std::string text;
    while (!format.empty()) {
        const char c = format.front();
        format.remove_prefix(1);
        if (c == '%') {
            text += take_field(format);
        } else {
            text += c;
        }
    }
    return text;
}

void display_affinity(std::string_view format) {
    const std::string text = formatted(format) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace lazult::omp
