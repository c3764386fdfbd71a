// SPDX-License-Identifier: BSD-3-Clause
#include "parking/parking.hpp"

#include <pthread.h>

namespace lazult::posix {

constinit parking parked;
constinit parking parked_at_conditions;

namespace {

[[gnu::constructor]] void watch_forks() {
    ::pthread_atfork(nullptr, nullptr, [] {
        parked.forget_parents();
        parked_at_conditions.forget_parents();
    });
}

}  // namespace
}  // namespace lazult::posix
