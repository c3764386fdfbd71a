// SPDX-License-Identifier: BSD-3-Clause
// When a stream looks into its port again. If events come faster than their units can run, each
// look would wake more of them, until thousands wait in the pool. There each has left the caches
// when its turn comes. So the next look waits until those have run that the last one woke, but no
// longer than about a millisecond.
#pragma once

namespace lazult::sched {

class port_pace {
public:
    // Called after a look that has made so many units ready.
    void has_looked(int units) noexcept {
        left_ = units;
        put_off_ = 0;
    }

    // Called each time that `points` scheduling points have passed: at least each 0.1 ms or so, if
    // the points are not farther apart. Returns whether to look now.
    bool is_due(int points) noexcept {
        left_ -= points;
        return left_ <= 0 || ++put_off_ > most_put_off;
    }

private:
    static constexpr int most_put_off = 9;

    int left_ = 0;     // units of the last look that have not run yet, as it seems
    int put_off_ = 0;  // looks that were due since
};

}  // namespace lazult::sched
