// SPDX-License-Identifier: BSD-3-Clause
// The scenes that have a room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/radiosity/scene.hpp"

namespace radiosity {

scene make_room();
// Two rooms without the wall between them.
scene make_large_room();
// A room with so many solids at random, none of which touch.
scene make_furnished_room(std::size_t pieces, std::uint64_t seed);

}  // namespace radiosity
