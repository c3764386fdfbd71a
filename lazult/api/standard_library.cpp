// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/export.hpp>

namespace lazult {

const char LAZULT_STANDARD_LIBRARY = 0;

}  // namespace lazult
