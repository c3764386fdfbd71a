// SPDX-License-Identifier: BSD-3-Clause
#include "reentry/at_work.hpp"

#include <utility>

namespace lazult::checker {
namespace {

thread_local bool works = false;

}  // namespace

bool is_at_work() noexcept { return works; }

at_work::at_work() noexcept : before_(std::exchange(works, true)) {}

at_work::~at_work() { works = before_; }

}  // namespace lazult::checker
