// SPDX-License-Identifier: BSD-3-Clause
// Two streams, whatever the machine has: the tests are about more than one.
#include <cstdlib>

namespace {

[[maybe_unused]] const int set_before_main = setenv("LAZULT_STREAMS", "2", 0);

}  // namespace
