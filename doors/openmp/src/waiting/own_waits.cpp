// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/own_waits.hpp"

namespace lazult::omp {
namespace {

constexpr const char* names[] = {"lock", "turn", "iteration", "tasks", "event", "region"};
static_assert(std::size(names) == static_cast<std::size_t>(own_wait::region) + 1);

const sync::door_waits known_waits(names);

}  // namespace

wait_kind kind_of(own_wait what) noexcept { return known_waits[static_cast<std::size_t>(what)]; }

}  // namespace lazult::omp
