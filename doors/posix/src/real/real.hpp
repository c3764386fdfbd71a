// SPDX-License-Identifier: BSD-3-Clause
// The functions of the C library, which this library's functions of the same names stand before.
//
// field   written by            read by    order
// found_  the first caller      anybody    relaxed: code, which is there before any thread
#pragma once

#include <dlfcn.h>

#include <utility>

#include "lazult/base/base.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::posix {

template <class Function>
class real;

template <class Result, class... Arguments>
class real<Result(Arguments...)> {
public:
    constexpr explicit real(const char* name) noexcept : name_(name) {}

    // May throw where the C library cancels a thread: that unwinds it.
    Result operator()(Arguments... arguments) const { return find()(arguments...); }

private:
    using function = Result (*)(Arguments...);

    function find() const noexcept {
        function known = found_.load(std::memory_order_relaxed);
        if (known == nullptr) LAZULT_UNLIKELY {
            known = reinterpret_cast<function>(::dlsym(RTLD_NEXT, name_));
            if (known == nullptr) {
                base::fatal_misuse(name_, "the C library has no such function",
                                   "run the program without --posix");
            }
            found_.store(known, std::memory_order_relaxed);
        }
        return known;
    }

    const char* name_;
    mutable ds::default_atomics::atomic<function> found_{nullptr};
};

}  // namespace lazult::posix
