// SPDX-License-Identifier: BSD-3-Clause
// Pieces of furniture. Each stands at the builder's place, its middle at x = y = 0.
#pragma once

#include "apps/radiosity/builder.hpp"

namespace radiosity {

inline constexpr material wood{{0.60, 0.42, 0.25}};
inline constexpr material dark_wood{{0.38, 0.24, 0.15}};
inline constexpr material cloth{{0.25, 0.35, 0.60}};
inline constexpr material porcelain{{0.80, 0.80, 0.76}};
inline constexpr material brass{{0.75, 0.60, 0.25}};
inline constexpr material jade{{0.30, 0.62, 0.42}};

void table(builder& into, double width, double depth, double height);
void chair(builder& into);
void shelf(builder& into, double width, double height);
void sofa(builder& into);
// Hangs below z = 0.
void ceiling_lamp(builder& into, double width, double depth, const colour& emittance);

}  // namespace radiosity
