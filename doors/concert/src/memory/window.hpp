// SPDX-License-Identifier: BSD-3-Clause
// A queue's windows: shared memory among the ranks of a node, and memory for one-sided calls among
// all. Making and freeing one is collective.
#pragma once

#include "memory/segment.hpp"

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace lazult::concert {

class window {
public:
    window() = default;
    window(window&& other) noexcept;
    window& operator=(window&& other) noexcept;
    ~window();

    static window shared(MPI_Comm node, std::size_t bytes);
    // With a passive epoch for all ranks.
    static window far(MPI_Comm all, std::size_t bytes);

    MPI_Win handle() const noexcept { return window_; }
    // The caller's own part, aligned.
    std::byte* segment() const noexcept { return segment_; }
    // Of a shared one: every rank's part, as it is mapped here.
    std::vector<std::byte*> segments(unsigned peers) const;

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::byte* segment_ = nullptr;
};

}  // namespace lazult::concert
