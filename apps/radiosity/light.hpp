// SPDX-License-Identifier: BSD-3-Clause
// The sums of light. All versions of the program call these, so that they round alike.
#pragma once

#include <array>

#include "apps/radiosity/colour.hpp"
#include "apps/radiosity/record.hpp"
#include "apps/radiosity/refine.hpp"

namespace radiosity {

// What arrives from a source of this radiosity.
colour arriving(const coupling& with, const colour& source);
// What an element and its children have gathered. A child's share of it is its share of the area.
colour gathered(const colour& own, const std::array<colour, 4>& by_children);
// `from_parents` is what all elements above have gathered, `gathered` what it and all below have.
colour radiosity_of(const record& element, const colour& from_parents, const colour& gathered);
// Area times radiosity, of all colours.
double energy_of(const record& element);
// What a leaf absorbs, of all colours.
double absorbed_by(const record& leaf);

}  // namespace radiosity
