// SPDX-License-Identifier: BSD-3-Clause
#include "messages/settings.hpp"

#include <string_view>

namespace lazult::concert {
namespace {

using base::setting_type;
using namespace std::string_view_literals;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t second = 1'000'000'000;

constexpr std::array schemes{"pull"sv, "push"sv, "auto"sv};
constexpr std::array tiers{"auto"sv, "far"sv};
constexpr std::array calls{"stack"sv, "heap"sv};

// Where the variable of an option is malformed, concert_init() fails: all ranks must give the same.
constexpr base::door_setting option(base::setting_description what, std::uint64_t usual) {
    return {what, usual, usual, base::setting_source::default_value, true};
}

constexpr base::door_setting choice(std::string_view name, const char* variable,
                                    std::span<const std::string_view> words, std::string_view doc) {
    return option({name, variable, setting_type::choice, 0, words.size() - 1, words, {}, doc}, 0);
}

constexpr base::door_setting bytes(std::string_view name, const char* variable,
                                   std::uint64_t minimum, std::uint64_t maximum,
                                   std::uint64_t usual, std::string_view doc) {
    return option({name, variable, setting_type::bytes, minimum, maximum, {}, "bytes", doc}, usual);
}

}  // namespace

constinit std::array<base::door_setting, setting_count> setting_rows{{
    choice("concert_scheme", "LAZULT_CONCERT_SCHEME", schemes,
           "messages: receivers pull them, senders push them, or each packet goes as it suits"),
    choice("concert_tiers", "LAZULT_CONCERT_TIERS", tiers,
           "messages: far takes the way between nodes on one node, too"),
    bytes("concert_aggregate", "LAZULT_CONCERT_AGGREGATE", 0, mib, 4 * kib,
          "messages: how much is gathered before it is sent, 256 bytes at least; 0: nothing"),
    option({"concert_delay",
            "LAZULT_CONCERT_DELAY",
            setting_type::nanoseconds,
            0,
            10 * second,
            {},
            "nanoseconds",
            "messages: how long a message waits for others at most"},
           50'000),
    bytes("concert_max_message", "LAZULT_CONCERT_MAX_MESSAGE", 32, 64 * mib, 64 * kib,
          "messages: the longest one"),
    bytes("concert_pool", "LAZULT_CONCERT_POOL", 64 * kib, 512 * mib, 32 * mib,
          "messages: memory of each rank and queue for them; pull, auto"),
    bytes("concert_backlog", "LAZULT_CONCERT_BACKLOG", 0, 1024 * 1024 * mib, 64 * mib,
          "messages: ordinary memory of each rank and queue besides, 64 KiB at least; 0: any; "
          "pull, auto"),
    option({"concert_slots",
            "LAZULT_CONCERT_SLOTS",
            setting_type::count,
            4,
            1U << 20,
            {},
            "slots",
            "messages: slots of a ring; push, auto"},
           256),
    {{"concert_node",
      "LAZULT_CONCERT_NODE",
      setting_type::count,
      0,
      1'000'000,
      {},
      "ranks",
      "messages: so many ranks of a machine count as a node, to test; 0: all"},
     0},
    {{"concert_calls",
      "LAZULT_CONCERT_CALLS",
      setting_type::choice,
      0,
      calls.size() - 1,
      calls,
      {},
      "methods: heap begins every call in a context, to compare"},
     0},
    {{"concert_slice",
      "LAZULT_CONCERT_SLICE",
      setting_type::nanoseconds,
      0,
      10 * second,
      {},
      "nanoseconds",
      "methods: how long a loop of calls runs before it lets others run; 0: to its end"},
     100'000},
}};

static const base::door_settings registered("LAZULT_CONCERT_", setting_rows);

}  // namespace lazult::concert
