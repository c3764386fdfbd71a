// SPDX-License-Identifier: BSD-3-Clause
// How shared pools take a certain unit out of a queue. Both functions push units back. Their
// callers hold a push_guard for that, as push() does.
#pragma once

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// Removes the wanted unit by one turn of the queue: pops each unit, and pushes the others back. The
// order stays if no other thread uses the queue meanwhile.
template <class Announce>
bool remove_by_rotation(shared_queue& queue, work_unit* wanted, Announce&& announce) noexcept {
    bool found = false;
    for (std::size_t left = queue.size_estimate(); left != 0; --left) {
        work_unit* u = queue.pop();
        if (u == nullptr) {
            break;
        }
        if (u == wanted) {
            found = true;
        } else {
            queue.push(u);
            announce();
        }
    }
    return found;
}

// Takes the unit if it is the only one in the queue. Pops it for that, because a look at the front
// alone would race with other consumers.
template <class Announce>
bool take_front(shared_queue& queue, work_unit* wanted, Announce&& announce) noexcept {
    if (queue.size_estimate() != 1) {
        return false;
    }
    work_unit* u = queue.pop();
    if (u == wanted) {
        return true;
    }
    if (u != nullptr) {
        queue.push(u);
        announce();  // a consumer that looked in between may have gone to sleep
    }
    return false;
}

}  // namespace lazult::sched
