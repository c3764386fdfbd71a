// SPDX-License-Identifier: BSD-3-Clause
// Which OpenMP runtime a program gets.
#pragma once

#include <string>

namespace lazult::tool {

// Puts our libgomp.so.1 where the program finds it before gcc's, or, if asked, preloads it: then it
// is also that of libraries which bring a copy of gcc's under another name. Says on the standard
// error which runtime the program gets, as far as its file tells. Throws usage_error.
void export_openmp(const std::string& program, bool preloads);

}  // namespace lazult::tool
