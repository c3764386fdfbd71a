// SPDX-License-Identifier: BSD-3-Clause
#include "environment/parse.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace lazult::omp {

std::string_view trimmed(std::string_view text) noexcept {
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

bool equals(std::string_view text, std::string_view name) noexcept {
    const auto low = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(text.begin(), text.end(), name.begin(), name.end(),
                      [&](char a, char b) { return low(a) == low(b); });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + 1);
    }
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most) noexcept {
    text = trimmed(text);
    std::uint64_t value = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || bad != std::errc() || end != text.data() + text.size() || value < least ||
        value > most) {
        return std::nullopt;
    }
    return value;
}

std::optional<bool> parse_bool(std::string_view text) noexcept {
    text = trimmed(text);
    if (equals(text, "true")) {
        return true;
    }
    return equals(text, "false") ? std::optional(false) : std::nullopt;
}

std::optional<std::size_t> parse_size(std::string_view text, std::size_t unit) noexcept {
    text = trimmed(text);
    if (!text.empty()) {
        const auto at = std::string_view("bkmg").find(
            static_cast<char>(std::tolower(static_cast<unsigned char>(text.back()))));
        if (at != std::string_view::npos) {
            unit = std::size_t{1} << (10 * at);
            text.remove_suffix(1);
        }
    }
    const auto number = parse_number(text, 0, SIZE_MAX / unit);
    return number ? std::optional<std::size_t>(*number * unit) : std::nullopt;
}

namespace {

std::optional<bind_policy> parse_policy(std::string_view text) noexcept {
    static constexpr struct {
        std::string_view name;
        bind_policy value;
    } names[] = {{"false", bind_false},    {"true", bind_true},   {"primary", bind_primary},
                 {"master", bind_primary}, {"close", bind_close}, {"spread", bind_spread}};
    for (const auto& each : names) {
        if (equals(text, each.name)) {
            return each.value;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<bind_policy>> parse_bind(std::string_view text) {
    std::vector<bind_policy> policies;
    for (std::string_view part : split(text, ',')) {
        const auto policy = parse_policy(part);
        const bool stands_alone = policy && (*policy == bind_false || *policy == bind_true);
        if (!policy || (stands_alone && text.find(',') != std::string_view::npos)) {
            return std::nullopt;
        }
        policies.push_back(*policy);
    }
    return policies;
}

}  // namespace lazult::omp
