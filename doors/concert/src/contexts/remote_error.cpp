// SPDX-License-Identifier: BSD-3-Clause
#include <lazult_concert/remote_error.hpp>

namespace lazult::concert {

remote_error::remote_error(int rank, errc code, const std::string& text)
    : std::runtime_error("rank " + std::to_string(rank) + ": " + text), rank_(rank), code_(code) {}
remote_error::remote_error(const remote_error&) noexcept = default;
remote_error& remote_error::operator=(const remote_error&) noexcept = default;
remote_error::~remote_error() = default;

}  // namespace lazult::concert
