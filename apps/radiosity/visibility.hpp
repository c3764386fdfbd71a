// SPDX-License-Identifier: BSD-3-Clause
// Which share of the rays between two elements is stopped by no patch.
#pragma once

#include "apps/radiosity/occluders.hpp"
#include "apps/radiosity/record.hpp"

namespace radiosity {

// Between 0 and 1. Does not suspend its caller.
double visibility_between(const record& from, const record& to, const occluders& among);

}  // namespace radiosity
