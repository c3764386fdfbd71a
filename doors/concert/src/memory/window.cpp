// SPDX-License-Identifier: BSD-3-Clause
#include "memory/window.hpp"

#include "queues/reference.hpp"

#include "lazult/core/core.hpp"

#include <cstdint>
#include <utility>

namespace lazult::concert {
namespace {

// Rounds up to a whole unit. A window begins on a page or on a multiple of 16 in every process
// alike, so all processes round by the same number of bytes.
std::byte* aligned(void* base) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    return reinterpret_cast<std::byte*>((address + unit_bytes - 1) / unit_bytes * unit_bytes);
}

struct info {
    info() { PMPI_Info_create(&handle); }
    ~info() { PMPI_Info_free(&handle); }
    void set(const char* key, const char* value) { PMPI_Info_set(handle, key, value); }
    MPI_Info handle = MPI_INFO_NULL;
};

}  // namespace

window::window(window&& other) noexcept { *this = std::move(other); }

window& window::operator=(window&& other) noexcept {
    std::swap(window_, other.window_);
    std::swap(segment_, other.segment_);
    return *this;
}

window::~window() {
    if (window_ != MPI_WIN_NULL) {
        core::on_large_stack([this] {
            PMPI_Win_unlock_all(window_);
            PMPI_Win_free(&window_);
        });
    }
}

window window::shared(MPI_Comm node, std::size_t bytes) {
    info hints;
    hints.set("alloc_shared_noncontig", "true");  // each rank's part begins on a page of its own
    window result;
    void* base = nullptr;
    core::on_large_stack([&] {
        PMPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + unit_bytes), 1, hints.handle, node,
                                 &base, &result.window_);
        PMPI_Win_lock_all(MPI_MODE_NOCHECK, result.window_);
    });
    result.segment_ = aligned(base);
    return result;
}

// Does not align the segment, because displacements count from the beginning of the window, which
// MPI aligns to words at least. The size is a multiple of 64, because MPICH 4.0.2 mistakes one
// rank's part for another's, by half a unit of 16 bytes, if the size is not a multiple of 16.
window window::far(MPI_Comm all, std::size_t bytes) {
    info hints;
    hints.set("same_disp_unit", "true");
    window result;
    void* base = nullptr;
    core::on_large_stack([&] {
        PMPI_Win_allocate(static_cast<MPI_Aint>(bytes + unit_bytes), 1, hints.handle, all, &base,
                          &result.window_);
        PMPI_Win_lock_all(MPI_MODE_NOCHECK, result.window_);
    });
    result.segment_ = static_cast<std::byte*>(base);
    return result;
}

std::vector<std::byte*> window::segments(unsigned peers) const {
    std::vector<std::byte*> result;
    for (unsigned peer = 0; peer < peers; ++peer) {
        MPI_Aint bytes = 0;
        int unit = 0;
        void* base = nullptr;
        PMPI_Win_shared_query(window_, static_cast<int>(peer), &bytes, &unit, &base);
        result.push_back(aligned(base));
    }
    return result;
}

}  // namespace lazult::concert
