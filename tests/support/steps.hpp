// SPDX-License-Identifier: BSD-3-Clause
// What units have done, in the order in which they did it.
#pragma once

#include <mutex>
#include <vector>

namespace lazult::support {

// Locked, because units are not ordered by running one after the other on one OS thread.
class steps {
public:
    void add(int step) {
        const std::lock_guard hold(lock_);
        all_.push_back(step);
    }
    std::vector<int> all() const {
        const std::lock_guard hold(lock_);
        return all_;
    }
    std::size_t count() const { return all().size(); }

private:
    mutable std::mutex lock_;
    std::vector<int> all_;
};

}  // namespace lazult::support
