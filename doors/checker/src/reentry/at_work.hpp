// SPDX-License-Identifier: BSD-3-Clause
// The checker's own work calls functions that announce accesses, too. Those are not looked at.
#pragma once

#include "lazult/base/base.hpp"

namespace lazult::checker {

// Returns whether the calling OS thread does the checker's work.
bool is_at_work() noexcept;

// A scope of that work. A ULT does not suspend in it. Scopes nest.
class at_work {
public:
    at_work() noexcept;
    at_work(const at_work&) = delete;
    at_work& operator=(const at_work&) = delete;
    ~at_work();

private:
    base::errno_guard keeps_errno_;
    bool before_;
};

}  // namespace lazult::checker
