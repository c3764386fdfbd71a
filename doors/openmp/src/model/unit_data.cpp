// SPDX-License-Identifier: BSD-3-Clause
#include "model/unit_data.hpp"

namespace lazult::omp {

static const core::unit_kinds registered(omp_unit, "the OpenMP door");

}  // namespace lazult::omp
