// SPDX-License-Identifier: BSD-3-Clause
// What a call of the public interface refuses with.
#pragma once

#include <lazult/error.hpp>

namespace lazult::support {

// Its error's code; no error is errc{}.
template <class F>
lazult::errc code_of(F&& f) {
    try {
        f();
    } catch (const lazult::error& e) {
        return static_cast<lazult::errc>(e.code().value());
    }
    return {};
}

}  // namespace lazult::support
