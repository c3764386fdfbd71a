// SPDX-License-Identifier: BSD-3-Clause
// A picture of what was computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/radiosity/scene.hpp"
#include "apps/radiosity/world.hpp"

namespace radiosity {

struct picture {
    std::size_t width;
    std::size_t height;
    std::vector<std::uint8_t> bytes;  // red, green, blue of each pixel, line by line from the top
};

picture draw(const world& all, const camera& from, std::size_t width, std::size_t height);

// As binary PPM. Throws std::runtime_error.
void write_ppm(const picture& drawn, const std::string& file);

}  // namespace radiosity
