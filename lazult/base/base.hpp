// SPDX-License-Identifier: BSD-3-Clause
// Umbrella header of base/: configuration, statuses, misuse reports, intrusive lists, settings.
#pragma once

#include "lazult/base/config.hpp"
#include "lazult/base/errno_guard.hpp"
#include "lazult/base/exhaustion.hpp"
#include "lazult/base/fork.hpp"
#include "lazult/base/intrusive.hpp"
#include "lazult/base/misuse.hpp"
#include "lazult/base/never_destroyed.hpp"
#include "lazult/base/random.hpp"
#include "lazult/base/settings.hpp"
#include "lazult/base/status.hpp"
