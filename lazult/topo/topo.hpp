// SPDX-License-Identifier: BSD-3-Clause
// Floor 4: the machine's shape.
#pragma once

#include "lazult/topo/topology.hpp"
