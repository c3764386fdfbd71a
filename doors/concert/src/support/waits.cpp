// SPDX-License-Identifier: BSD-3-Clause
#include "support/waits.hpp"

#include <iterator>

namespace lazult::concert {
namespace {

constexpr const char* names[] = {"method's result", "other ranks", "quiescence", "room to send",
                                 "ends of calls"};
static_assert(std::size(names) == static_cast<std::size_t>(own_wait::calls) + 1);

const sync::door_waits known_waits(names);

}  // namespace

sync::wait_kind kind_of(own_wait what) noexcept {
    return known_waits[static_cast<std::size_t>(what)];
}

}  // namespace lazult::concert
