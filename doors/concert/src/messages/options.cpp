// SPDX-License-Identifier: BSD-3-Clause
#include "messages/options.hpp"

#include "messages/settings.hpp"
#include "support/failure.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>

namespace lazult::concert {
namespace {

// A field of the options, and the setting that has its usual value.
struct option_row {
    setting usual;
    const char* field;
    std::uint64_t least;  // besides 0, where the setting accepts that
    std::uint64_t (*get)(const concert_options&);
    void (*set)(concert_options&, std::uint64_t);
};

template <auto Field>
constexpr option_row row(setting usual, const char* field, std::uint64_t least = 0) {
    return {usual, field, least,
            [](const concert_options& o) { return static_cast<std::uint64_t>(o.*Field); },
            [](concert_options& o, std::uint64_t v) {
                o.*Field = static_cast<std::remove_cvref_t<decltype(o.*Field)>>(v);
            }};
}

constexpr std::array rows{
    row<&concert_options::scheme>(setting::scheme, "scheme"),
    row<&concert_options::tiers>(setting::tiers, "tiers"),
    row<&concert_options::aggregate_bytes>(setting::aggregate, "aggregate_bytes", 256),
    row<&concert_options::delay_ns>(setting::delay, "delay_ns"),
    row<&concert_options::max_message_bytes>(setting::max_message, "max_message_bytes"),
    row<&concert_options::pool_bytes>(setting::pool, "pool_bytes"),
    row<&concert_options::backlog_bytes>(setting::backlog, "backlog_bytes", 64 * 1024),
    row<&concert_options::slots>(setting::slots, "slots"),
};

bool is_in_range(const option_row& r, std::uint64_t value) noexcept {
    return base::is_accepted(row_of(r.usual), value) && (value == 0 || value >= r.least);
}

std::string range_of(const option_row& r) {
    const base::door_setting& described = row_of(r.usual);
    return std::to_string(std::max(r.least, described.minimum)) + " to " +
           std::to_string(described.maximum) + (r.least != 0 ? ", or 0" : "");
}

int read_row(concert_options& options, const option_row& r) {
    const base::door_setting& described = row_of(r.usual);
    r.set(options, described.usual);
    const char* const text = ::secure_getenv(described.variable);
    if (text == nullptr || *text == 0) {
        return CONCERT_OK;
    }
    const std::optional<std::uint64_t> value = base::parse_setting(described, text);
    if (!value || !is_in_range(r, *value)) {
        return fail(
            CONCERT_ERR_ARGUMENT, described.variable, "its value is \"" + std::string(text) + "\"",
            "give " + (value ? "a number from " + range_of(r) : base::accepted_values(described)));
    }
    r.set(options, *value);
    return CONCERT_OK;
}

int check_choice(const char* field, int value) {
    return value == 0 || value == 1 ? CONCERT_OK
                                    : fail(CONCERT_ERR_ARGUMENT, std::string("option ") + field,
                                           "its value is " + std::to_string(value), "give 0 or 1");
}

int check_ring(const concert_options& options) {
    constexpr std::size_t longest_ring = std::size_t{512} << 20;
    const ring_shape ring = ring_of(options);
    if (options.scheme != CONCERT_PULL &&
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
    if (options.scheme != CONCERT_PUSH &&
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
    int result = CONCERT_OK;
    for (const option_row& r : rows) {
        if (result == CONCERT_OK) {
            result = read_row(options, r);
        }
    }
    return result;
}

int check_options(const concert_options& options) {
    for (const option_row& r : rows) {
        if (const std::uint64_t value = r.get(options); !is_in_range(r, value)) {
            return fail(CONCERT_ERR_ARGUMENT, std::string("option ") + r.field,
                        "its value is " + std::to_string(static_cast<std::int64_t>(value)),
                        "give a number from " + range_of(r));
        }
    }
    int result = check_choice("extract_when_idle", options.extract_when_idle);
    if (result == CONCERT_OK) {
        result = check_ring(options);
    }
    return result == CONCERT_OK ? check_pool(options) : result;
}

}  // namespace lazult::concert
