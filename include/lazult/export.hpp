// SPDX-License-Identifier: BSD-3-Clause
// What the shared library shows. Everything else in it is hidden.
#pragma once

#if defined(__GNUC__)
#define LAZULT_API __attribute__((visibility("default")))
#else
#define LAZULT_API
#endif
