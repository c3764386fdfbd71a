// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: cancellation. A cancelled region's threads find out at their next
// barrier or cancellation point; those that wait in a barrier are woken.
#include "abi/export.hpp"
#include "environment/environment.hpp"
#include "model/team.hpp"
#include "tasks/caller.hpp"

using namespace lazult::omp;

namespace {

enum construct : int { of_parallel = 1, of_loop = 2, of_sections = 4, of_taskgroup = 8 };

bool is_cancelled(const unit_data& mine, int which) noexcept {
    const team& all = *mine.here->its_team;
    if ((which & (of_loop | of_sections)) != 0) {
        return all.share_cancelled.load(std::memory_order_relaxed);
    }
    if ((which & of_taskgroup) != 0) {
        const taskgroup* group = mine.running->innermost_group();
        if (group != nullptr && group->cancelled.load(std::memory_order_relaxed)) {
            return true;
        }
    }
    return all.is_cancelled();
}

void cancel(const unit_data& mine, int which) noexcept {
    team& all = *mine.here->its_team;
    if ((which & (of_loop | of_sections)) != 0) {
        all.share_cancelled.store(true, std::memory_order_relaxed);
    } else if ((which & of_taskgroup) != 0) {
        if (taskgroup* group = mine.running->innermost_group(); group != nullptr) {
            group->cancelled.store(true, std::memory_order_relaxed);
        }
    } else {
        // pairs with: barrier.cpp, sleep()
        all.cancelled.exchange(true, std::memory_order_seq_cst);
        wake_all(&all.inside);
    }
}

}  // namespace

extern "C" {

OMP_API bool GOMP_cancellation_point(int which) {
    return variables().cancellation && is_cancelled(me(), which);
}

OMP_API bool GOMP_cancel(int which, bool wanted) {
    if (!variables().cancellation) {
        return false;
    }
    if (!wanted) {
        return is_cancelled(me(), which);
    }
    cancel(me(), which);
    return true;
}
}
