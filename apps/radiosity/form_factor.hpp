// SPDX-License-Identifier: BSD-3-Clause
// Form factors: the share of the light that leaves one element and arrives at another, if nothing
// is between them.
#pragma once

#include "apps/radiosity/geometry.hpp"
#include "apps/radiosity/record.hpp"

namespace radiosity {

struct form_factor {
    double value;
    double error;  // how far the values at points of the element are from that
};

// From a point, which has a normal, to a disc of this area around another.
double point_to_disc(const vec3& from, const vec3& from_normal, const vec3& to,
                     const vec3& to_normal, double area);
form_factor form_factor_between(const record& from, const record& to);

}  // namespace radiosity
