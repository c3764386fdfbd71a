// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/settings.hpp"

namespace lazult::mpi {
namespace {

using base::setting_type;
using namespace std::string_view_literals;

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::array forms{"auto"sv, "direct"sv, "nonblocking"sv};

}  // namespace

constinit std::array<base::door_setting, setting_count> setting_rows{{
    {{"mpi_window",
      "LAZULT_MPI_WINDOW",
      setting_type::count,
      1,
      65'536,
      {},
      "requests",
      "MPI door: unfinished requests that one poll looks at, in turn"},
     16},
    {{"mpi_poll_interval",
      "LAZULT_MPI_POLL_INTERVAL",
      setting_type::nanoseconds,
      0,
      second,
      {},
      "nanoseconds",
      "MPI door: the longest time that a busy stream backs off from polls that find nothing"},
     20'000},
    {{"mpi_watch",
      "LAZULT_MPI_WATCH",
      setting_type::nanoseconds,
      10'000,
      10 * second,
      {},
      "nanoseconds",
      "MPI door: after how long without a poll its own thread polls"},
     1'000'000},
    {{"mpi_yield",
      "LAZULT_MPI_YIELD",
      setting_type::boolean,
      0,
      1,
      {},
      {},
      "MPI door: a ULT whose MPI_Test finds nothing lets others run"},
     1},
    {{"mpi_collectives",
      "LAZULT_MPI_COLLECTIVES",
      setting_type::choice,
      0,
      forms.size() - 1,
      forms,
      {},
      "MPI door: the form of blocking collective calls; auto: direct until a ULT makes one"},
     0},
}};

static const base::door_settings registered("LAZULT_MPI_", setting_rows);

}  // namespace lazult::mpi
