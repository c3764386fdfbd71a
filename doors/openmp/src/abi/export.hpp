// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define OMP_API __attribute__((visibility("default")))
