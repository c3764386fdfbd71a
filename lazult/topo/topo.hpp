// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of the floor topo: the machine's shape.
#pragma once

#include "lazult/topo/topology.hpp"
