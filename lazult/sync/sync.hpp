// SPDX-License-Identifier: BSD-3-Clause
// Umbrella of floor 7: what flows wait for. Everything is for ULTs, which suspend, for OS threads
// outside the streams, which sleep, and for tasklets where it cannot block.
#pragma once

#include "lazult/sync/barrier.hpp"
#include "lazult/sync/channel.hpp"
#include "lazult/sync/condition.hpp"
#include "lazult/sync/eventual.hpp"
#include "lazult/sync/future.hpp"
#include "lazult/sync/latch.hpp"
#include "lazult/sync/mutex.hpp"
#include "lazult/sync/recursive_mutex.hpp"
#include "lazult/sync/rwlock.hpp"
#include "lazult/sync/semaphore.hpp"
#include "lazult/sync/timers.hpp"
#include "lazult/sync/wait_any.hpp"
