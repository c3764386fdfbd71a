// SPDX-License-Identifier: BSD-3-Clause
#include "messages/options.hpp"

#include "support/failure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace lazult::concert {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

struct suffix {
    std::string_view text;
    std::uint64_t factor;
};
constexpr std::array byte_suffixes{
    suffix{"", 1},      suffix{"K", kib},        suffix{"KiB", kib},       suffix{"M", mib},
    suffix{"MiB", mib}, suffix{"G", 1024 * mib}, suffix{"GiB", 1024 * mib}};
constexpr std::array time_suffixes{suffix{"", 1}, suffix{"ns", 1}, suffix{"us", 1000},
                                   suffix{"ms", 1'000'000}, suffix{"s", 1'000'000'000}};
constexpr std::array count_suffixes{suffix{"", 1}};

struct number_row {
    const char* variable;
    const char* field;
    std::uint64_t minimum;
    std::uint64_t maximum;
    std::span<const suffix> suffixes;
    std::uint64_t (*get)(const concert_options&);
    void (*set)(concert_options&, std::uint64_t);
    bool zero_too;
};

template <auto Field>
constexpr number_row row(const char* variable, const char* field, std::uint64_t minimum,
                         std::uint64_t maximum, std::span<const suffix> suffixes,
                         bool zero_too = false) {
    return {variable,
            field,
            minimum,
            maximum,
            suffixes,
            [](const concert_options& o) { return static_cast<std::uint64_t>(o.*Field); },
            [](concert_options& o, std::uint64_t v) {
                o.*Field = static_cast<std::remove_cvref_t<decltype(o.*Field)>>(v);
            },
            zero_too};
}

constexpr std::array numbers{
    row<&concert_options::aggregate_bytes>("LAZULT_CONCERT_AGGREGATE", "aggregate_bytes", 256, mib,
                                           byte_suffixes, true),
    row<&concert_options::delay_ns>("LAZULT_CONCERT_DELAY", "delay_ns", 0, 10'000'000'000,
                                    time_suffixes),
    row<&concert_options::max_message_bytes>("LAZULT_CONCERT_MAX_MESSAGE", "max_message_bytes", 32,
                                             64 * mib, byte_suffixes),
    row<&concert_options::pool_bytes>("LAZULT_CONCERT_POOL", "pool_bytes", 64 * kib, 512 * mib,
                                      byte_suffixes),
    row<&concert_options::backlog_bytes>("LAZULT_CONCERT_BACKLOG", "backlog_bytes", 64 * kib,
                                         1024 * 1024 * mib, byte_suffixes, true),
    row<&concert_options::slots>("LAZULT_CONCERT_SLOTS", "slots", 4, 1U << 20, count_suffixes),
};

bool in_range(const number_row& r, std::uint64_t value) noexcept {
    return (value >= r.minimum && value <= r.maximum) || (r.zero_too && value == 0);
}

std::string range_of(const number_row& r) {
    return std::to_string(r.minimum) + " to " + std::to_string(r.maximum) +
           (r.zero_too ? ", or 0" : "");
}

bool parse(std::string_view text, const number_row& r, std::uint64_t& value) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    const auto found = std::ranges::find(r.suffixes, unit, &suffix::text);
    if (error != std::errc{} || found == r.suffixes.end() || value > r.maximum / found->factor) {
        return false;
    }
    value *= found->factor;
    return in_range(r, value);
}

int read_number(concert_options& options, const number_row& r) {
    const char* const text = ::secure_getenv(r.variable);
    if (text == nullptr || *text == 0) {
        return CONCERT_OK;
    }
    std::uint64_t value = 0;
    if (!parse(text, r, value)) {
        return fail(CONCERT_ERR_ARGUMENT, r.variable, "its value is \"" + std::string(text) + "\"",
                    "give a number from " + range_of(r));
    }
    r.set(options, value);
    return CONCERT_OK;
}

int read_choice(const char* variable, std::string_view zero, std::string_view one, int& field) {
    const char* const text = ::secure_getenv(variable);
    if (text == nullptr || *text == 0) {
        return CONCERT_OK;
    }
    if (text != zero && text != one) {
        return fail(CONCERT_ERR_ARGUMENT, variable, "its value is \"" + std::string(text) + "\"",
                    "give " + std::string(zero) + " or " + std::string(one));
    }
    field = text == one;
    return CONCERT_OK;
}

int check_choice(const char* field, int value) {
    return value == 0 || value == 1 ? CONCERT_OK
                                    : fail(CONCERT_ERR_ARGUMENT, std::string("option ") + field,
                                           "its value is " + std::to_string(value), "give 0 or 1");
}

int check_ring(const concert_options& options) {
    constexpr std::size_t longest_ring = 512 * mib;
    const ring_shape ring = ring_of(options);
    if (options.scheme == CONCERT_PUSH &&
        std::size_t{ring.slots} * ring.slot_bytes > longest_ring) {
        return fail(CONCERT_ERR_ARGUMENT, "option slots",
                    std::to_string(ring.slots) + " slots of " + std::to_string(ring.slot_bytes) +
                        " bytes are more than 512 MiB",
                    "give fewer slots, or a smaller aggregate_bytes");
    }
    const std::size_t most = ring.most_payload();
    if (options.scheme == CONCERT_PUSH && framed(options.max_message_bytes) > most) {
        return fail(CONCERT_ERR_ARGUMENT, "option max_message_bytes",
                    std::to_string(options.max_message_bytes) +
                        " bytes do not fit in half of the ring, which is " + std::to_string(most),
                    "give more slots, or shorter messages");
    }
    return CONCERT_OK;
}

int check_pool(const concert_options& options) {
    if (options.scheme == CONCERT_PULL &&
        std::max(framed(options.max_message_bytes), options.aggregate_bytes) >
            options.pool_bytes / 4) {
        return fail(CONCERT_ERR_ARGUMENT, "option pool_bytes",
                    std::to_string(options.pool_bytes) +
                        " bytes have no room for four of the longest messages",
                    "give a larger pool, or shorter messages");
    }
    return CONCERT_OK;
}

}  // namespace

ring_shape ring_of(const concert_options& options) noexcept {
    const std::size_t wanted =
        options.aggregate_bytes == 0 ? 1024 + unit_bytes : options.aggregate_bytes;
    return {options.slots,
            static_cast<std::uint32_t>((wanted + unit_bytes - 1) / unit_bytes * unit_bytes)};
}

int read_options(concert_options& options) {
    options = {};
    options.aggregate_bytes = 4096;
    options.delay_ns = 50'000;
    options.max_message_bytes = 64 * kib;
    options.pool_bytes = 32 * mib;
    options.backlog_bytes = 64 * mib;
    options.slots = 256;
    int result = read_choice("LAZULT_CONCERT_SCHEME", "pull", "push", options.scheme);
    if (result == CONCERT_OK) {
        result = read_choice("LAZULT_CONCERT_TIERS", "auto", "far", options.tiers);
    }
    for (const number_row& r : numbers) {
        if (result == CONCERT_OK) {
            result = read_number(options, r);
        }
    }
    return result;
}

int check_options(const concert_options& options) {
    for (const number_row& r : numbers) {
        if (const std::uint64_t value = r.get(options); !in_range(r, value)) {
            return fail(CONCERT_ERR_ARGUMENT, std::string("option ") + r.field,
                        "its value is " + std::to_string(static_cast<std::int64_t>(value)),
                        "give a number from " + range_of(r));
        }
    }
    int result = check_choice("scheme", options.scheme);
    if (result == CONCERT_OK) {
        result = check_choice("tiers", options.tiers);
    }
    if (result == CONCERT_OK) {
        result = check_choice("extract_when_idle", options.extract_when_idle);
    }
    if (result == CONCERT_OK) {
        result = check_ring(options);
    }
    return result == CONCERT_OK ? check_pool(options) : result;
}

}  // namespace lazult::concert
