// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Includes all public headers.
#pragma once

#include <lazult/attributes.hpp>
#include <lazult/barrier.hpp>
#include <lazult/channel.hpp>
#include <lazult/concepts.hpp>
#include <lazult/condition_variable.hpp>
#include <lazult/error.hpp>
#include <lazult/eventual.hpp>
#include <lazult/fork_join.hpp>
#include <lazult/future.hpp>
#include <lazult/info.hpp>
#include <lazult/latch.hpp>
#include <lazult/local.hpp>
#include <lazult/mutex.hpp>
#include <lazult/parallel.hpp>
#include <lazult/pool.hpp>
#include <lazult/runtime.hpp>
#include <lazult/scheduler.hpp>
#include <lazult/semaphore.hpp>
#include <lazult/shared_mutex.hpp>
#include <lazult/statistics.hpp>
#include <lazult/task_group.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/technique.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>
#include <lazult/wait_any.hpp>
