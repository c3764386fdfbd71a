// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The exception of a method that ran on another rank.
#pragma once

#include <lazult/error.hpp>
#include <lazult/export.hpp>

#include <stdexcept>
#include <string>

namespace lazult::concert {

/// What a call throws if it failed on another rank, most often because its method threw there: an
/// exception itself cannot travel, its text can, up to 2,048 bytes. Between the strands of one rank
/// exceptions stay what they are. What counts is where the exception comes from: one that was
/// forwarded to its waiter's own rank is no remote_error.
class LAZULT_API remote_error : public std::runtime_error {
public:
    /// Made by the library.
    remote_error(int rank, errc code, const std::string& text);
    remote_error(const remote_error&) noexcept;
    remote_error& operator=(const remote_error&) noexcept;
    ~remote_error() override;

    /// The rank that sent the exception here.
    int rank() const noexcept { return rank_; }
    /// The code of a lazult::error, out_of_memory for std::bad_alloc, and no errc's value for all
    /// other exceptions.
    errc code() const noexcept { return code_; }

private:
    int rank_;
    errc code_;
};

}  // namespace lazult::concert
