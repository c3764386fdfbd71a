// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/mutex_slow.hpp"

namespace lazult::sync {

template class basic_mutex<ds::default_atomics>;

}  // namespace lazult::sync
