// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace cedar {
namespace {

constexpr std::chrono::seconds interval{5};

}  // namespace

progress::progress(std::string what, unsigned all) : what_(std::move(what)), all_(all) {}

void progress::at(unsigned done) {
    const clock::time_point now = clock::now();
    if (now - shown_ < interval || done == 0) {
        return;
    }
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    fmt::print(stderr, "{} {} of {}, {:.0f} s left\n", what_, done, all_,
               seconds * (all_ - done) / done);
}

}  // namespace cedar
