// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Macros for the symbols that the shared library exports, and checks of the compiler. All other
/// symbols of the library are hidden.
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

/// Marks a symbol that the shared library exports.
#if defined(__GNUC__)
#define LAZULT_API __attribute__((visibility("default")))
#else
#define LAZULT_API
#endif

/// The library and the files that use it must be built with the same standard library, because they
/// exchange std::string, std::stop_token and exceptions. So each file that uses the library refers
/// to a variable, which has the standard library in its name. The library defines only one such
/// variable. A mixture does not link, and the linker's message names what is missing.
#if defined(_LIBCPP_VERSION)
#define LAZULT_STANDARD_LIBRARY link_a_liblazult_that_was_built_with_libcxx
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define LAZULT_STANDARD_LIBRARY link_a_liblazult_that_was_built_with_GLIBCXX_USE_CXX11_ABI_0
#else
#define LAZULT_STANDARD_LIBRARY link_a_liblazult_that_was_built_with_libstdcxx
#endif

namespace lazult {

/// Has no meaning but its name.
extern LAZULT_API const char LAZULT_STANDARD_LIBRARY;

namespace detail {

#if defined(__GNUC__)
[[gnu::used, gnu::visibility("hidden")]] inline constexpr const char* standard_library =
    &LAZULT_STANDARD_LIBRARY;
#endif

}  // namespace detail

}  // namespace lazult
