// SPDX-License-Identifier: BSD-3-Clause
// The interface: texts that say which thread one is and where. Fields of a format are %t or
// %{name}, with a width between; a 0 before that fills numbers up with zeros, a dot puts them to
// the right.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "abi/export.hpp"
#include "flows/flow.hpp"
#include "threads/affinity.hpp"

namespace lazult::omp {
namespace {

// Of the calling thread: 0-3,7
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
    const flow_part& mine = me();
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

// What stands behind a %, which the format loses.
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

void display(std::string_view format) {
    const std::string text = formatted(format) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

// As C has it, and as Fortran: filled up with blanks.
std::size_t copy_out(const std::string& text, char* buffer, std::size_t size) noexcept {
    if (size != 0) {
        const std::size_t count = std::min(text.size(), size - 1);
        std::memcpy(buffer, text.data(), count);
        buffer[count] = '\0';
    }
    return text.size();
}
std::int32_t copy_out_filled(const std::string& text, char* buffer, std::size_t size) noexcept {
    const std::size_t count = std::min(text.size(), size);
    std::memcpy(buffer, text.data(), count);
    std::memset(buffer + count, ' ', size - count);
    return static_cast<std::int32_t>(text.size());
}

std::string_view text_of(const char* text) noexcept { return text == nullptr ? "" : text; }
std::string_view without_blanks(const char* text, std::size_t size) noexcept {
    std::string_view all(text, text == nullptr ? 0 : size);
    while (!all.empty() && all.back() == ' ') {
        all.remove_suffix(1);
    }
    return all;
}

}  // namespace

void display_own_affinity() { display({}); }

}  // namespace lazult::omp

using namespace lazult::omp;

extern "C" {

OMP_API void omp_set_affinity_format(const char* format) {
    variables().affinity_format = text_of(format);
}
OMP_API void omp_set_affinity_format_(const char* format, std::size_t size) {
    variables().affinity_format = without_blanks(format, size);
}
OMP_API std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
    return copy_out(variables().affinity_format, buffer, size);
}
OMP_API std::int32_t omp_get_affinity_format_(char* buffer, std::size_t size) {
    return copy_out_filled(variables().affinity_format, buffer, size);
}
OMP_API void omp_display_affinity(const char* format) { display(text_of(format)); }
OMP_API void omp_display_affinity_(const char* format, std::size_t size) {
    display(without_blanks(format, size));
}
OMP_API std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
    return copy_out(formatted(text_of(format)), buffer, size);
}
OMP_API std::int32_t omp_capture_affinity_(char* buffer, const char* format, std::size_t size,
                                           std::size_t format_size) {
    return copy_out_filled(formatted(without_blanks(format, format_size)), buffer, size);
}
}
