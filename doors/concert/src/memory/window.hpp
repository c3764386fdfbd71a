// SPDX-License-Identifier: BSD-3-Clause
// A queue's window: memory that the ranks of a node share, or memory for one-sided calls among all
// ranks. Windows are made and freed by collective calls.
#pragma once

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
    // Also begins a passive epoch for all ranks.
    static window far(MPI_Comm all, std::size_t bytes);

    MPI_Win handle() const noexcept { return window_; }
    // Returns the caller's own part, aligned.
    std::byte* segment() const noexcept { return segment_; }
    // Returns every rank's part of a shared window, as this process maps it.
    std::vector<std::byte*> segments(unsigned peers) const;

private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::byte* segment_ = nullptr;
};

}  // namespace lazult::concert
