// SPDX-License-Identifier: BSD-3-Clause
// Code that a cancellation must not unwind.
#pragma once

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// A scope in which a cancellation does not unwind the running unit. The unit unwinds at its
// first wait or scheduling point after the outermost such scope. Outside units it does nothing.
class cancellation_mask {
public:
    cancellation_mask() noexcept : self_(current_unit()) {
        if (self_ != nullptr) {
            before_ = self_->wait.mask();
        }
    }
    ~cancellation_mask() {
        if (self_ != nullptr) {
            self_->wait.unmask(before_);
        }
    }
    cancellation_mask(const cancellation_mask&) = delete;
    cancellation_mask& operator=(const cancellation_mask&) = delete;

private:
    work_unit* self_;
    wait_word<>::state before_ = wait_word<>::open;
};

}  // namespace lazult::core
