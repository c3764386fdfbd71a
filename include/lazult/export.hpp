// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the shared library shows, and what it asks of the compiler. Everything else in it is
/// hidden.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "lazult needs C++20: compile with -std=c++20 or later. abt.h and lazult_concert.h do not."
#endif

#include <version>

#if !defined(__cpp_exceptions)
#error "lazult needs exceptions: omit -fno-exceptions. abt.h and lazult_concert.h do without."
#endif
#if defined(_LIBCPP_VERSION) && !defined(__cpp_lib_jthread)
#error "lazult needs std::stop_token: compile and link with -fexperimental-library for this libc++."
#endif

/// Marks what the shared library shows.
#if defined(__GNUC__)
#define LAZULT_API __attribute__((visibility("default")))
#else
#define LAZULT_API
#endif

/// The library must have been built for the standard library that its users have, or else they read
/// each other's objects wrongly: std::string, std::stop_token, exceptions. Each file of a user
/// refers to a name of which the library defines one, so that a mixture does not link, and the
/// linker's message says what to do.
#if defined(_LIBCPP_VERSION)
#define LAZULT_STANDARD_LIBRARY link_a_liblazult_that_was_built_with_libcxx
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define LAZULT_STANDARD_LIBRARY link_a_liblazult_that_was_built_with_GLIBCXX_USE_CXX11_ABI_0
#else
#define LAZULT_STANDARD_LIBRARY link_a_liblazult_that_was_built_with_libstdcxx
#endif

namespace lazult {

/// Means nothing but its name.
extern LAZULT_API const char LAZULT_STANDARD_LIBRARY;

namespace detail {

#if defined(__GNUC__)
[[gnu::used, gnu::visibility("hidden")]] inline constexpr const char* standard_library =
    &LAZULT_STANDARD_LIBRARY;
#endif

}  // namespace detail

}  // namespace lazult
