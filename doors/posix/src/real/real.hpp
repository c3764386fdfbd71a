// SPDX-License-Identifier: BSD-3-Clause
// The functions of the C library, which this library's functions of the same names stand before.
//
// All of them are found when this library is loaded, because dlopen() holds a lock, while it
// initializes another library, that dlsym() takes. Calls that come before that find their own.
//
// field   written by                  read by    order
// found_  this library's start, and   anybody    relaxed: code, which is there before any thread
//         earlier callers
#pragma once

#include "lazult/base/base.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::posix {

// One of them, of whatever type. Each stands in the section lazult_real, where the start finds it.
class named_function {
public:
    constexpr explicit named_function(const char* name) noexcept : name_(name) {}
    // Returns nullptr if this C library has no such function.
    void* find() const noexcept;
    const char* name() const noexcept { return name_; }

protected:
    void* found() const noexcept { return found_.load(std::memory_order_relaxed); }

private:
    const char* name_;
    mutable ds::default_atomics::atomic<void*> found_{nullptr};
};

template <class Function>
class real;

template <class Result, class... Arguments>
class real<Result(Arguments...)> : public named_function {
public:
    using named_function::named_function;

    bool is_there() const noexcept { return find() != nullptr; }

    // May throw where the C library cancels a thread: that unwinds it.
    Result operator()(Arguments... arguments) const {
        void* function = found();
        if (function == nullptr) LAZULT_UNLIKELY {
            function = find();
            if (function == nullptr) {
                base::fatal_misuse(name(), "the C library has no such function",
                                   "run the program without --posix");
            }
        }
        return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
    }
};

}  // namespace lazult::posix

// In front of the definition of each.
#define LAZULT_REAL [[gnu::section("lazult_real")]] constinit
