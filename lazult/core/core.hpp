// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of floor 5: work units, stacks, the six techniques, suspend and resume, join.
#pragma once

#include "lazult/core/create.hpp"
#include "lazult/core/descriptor.hpp"
#include "lazult/core/finish.hpp"
#include "lazult/core/home_guard.hpp"
#include "lazult/core/host.hpp"
#include "lazult/core/join.hpp"
#include "lazult/core/large_stack.hpp"
#include "lazult/core/local.hpp"
#include "lazult/core/nested.hpp"
#include "lazult/core/observer.hpp"
#include "lazult/core/pool.hpp"
#include "lazult/core/private_abi.hpp"
#include "lazult/core/push_places.hpp"
#include "lazult/core/requests.hpp"
#include "lazult/core/stack.hpp"
#include "lazult/core/steal_lane.hpp"
#include "lazult/core/suspend.hpp"
#include "lazult/core/technique.hpp"
#include "lazult/core/work_unit.hpp"
#include "lazult/core/worker.hpp"
