// SPDX-License-Identifier: BSD-3-Clause
#include "load/settings.hpp"

#include <string_view>

namespace lazult::abt {
namespace {

using base::setting_type;
using namespace std::string_view_literals;

constexpr std::array null_kinds{"auto"sv, "numbered"sv, "zero"sv};

}  // namespace

constinit std::array<base::door_setting, setting_count> setting_rows{{
    {{"abt_tools",
      "LAZULT_ABT_TOOLS",
      setting_type::boolean,
      0,
      1,
      {},
      {},
      "Argobots door: ABT_tool_ functions work; clients that find them profile"},
     0},
    {{"abt_affinity",
      "LAZULT_ABT_AFFINITY",
      setting_type::boolean,
      0,
      1,
      {},
      {},
      "Argobots door: functions that bind streams and tell of it work; so they do with "
      "ABT_SET_AFFINITY"},
     0},
    {{"abt_null",
      "LAZULT_ABT_NULL",
      setting_type::choice,
      0,
      null_kinds.size() - 1,
      null_kinds,
      {},
      "Argobots door: null constants of the program; zero: its Argobots was built with "
      "--disable-checks"},
     0},
}};

static const base::door_settings registered("LAZULT_ABT_", setting_rows);

}  // namespace lazult::abt
