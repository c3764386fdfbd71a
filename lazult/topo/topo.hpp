// SPDX-License-Identifier: BSD-3-Clause
// Umbrella header of topo/: the machine's topology.
#pragma once

#include "lazult/topo/topology.hpp"
