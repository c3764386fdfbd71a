// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/sleepers.hpp"

namespace lazult::sched {

lot& sleepers() {
    static base::never_destroyed<lot> instance;
    return *instance;
}

}  // namespace lazult::sched
