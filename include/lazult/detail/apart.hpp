// SPDX-License-Identifier: BSD-3-Clause
// A call that a helper thread makes, and what became of it. Not for direct use.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace lazult::detail {

template <class F, class Value>
struct apart {
    F& function;
    std::optional<std::conditional_t<std::is_void_v<Value>, char, Value>> value;
    std::exception_ptr error;

    void run() noexcept {
        try {
            if constexpr (std::is_void_v<Value>) {
                function();
            } else {
                value.emplace(function());
            }
        } catch (...) {
            error = std::current_exception();
        }
    }
    Value take() {
        if (error != nullptr) {
            std::rethrow_exception(error);
        }
        if constexpr (!std::is_void_v<Value>) {
            return std::move(*value);
        }
    }
};

}  // namespace lazult::detail
