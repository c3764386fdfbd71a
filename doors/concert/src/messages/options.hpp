// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "queues/push_queue.hpp"

#include <lazult_concert.h>

namespace lazult::concert {

// Reads the environment over the defaults. Returns CONCERT_OK, or a failure with the variable.
int read_options(concert_options& options);
// Returns CONCERT_OK, or a failure that names the field.
int check_options(const concert_options& options);

ring_shape ring_of(const concert_options& options) noexcept;

}  // namespace lazult::concert
