// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "lazult/core/core.hpp"

namespace lazult::checker {

// The function of this name that would be called if the checker had none. It is found at its first
// call. Any thread may find it; all find the same.
template <class Function>
class next_function {
public:
    explicit constexpr next_function(const char* name) noexcept : name_(name) {}

    Function* get() noexcept {
        // relaxed: the address is whole in itself
        Function* found = known_.load(std::memory_order_relaxed);
        if (found == nullptr) LAZULT_UNLIKELY {
            found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
            known_.store(found, std::memory_order_relaxed);
        }
        return found;
    }

private:
    const char* name_;
    std::atomic<Function*> known_{nullptr};
};

}  // namespace lazult::checker
