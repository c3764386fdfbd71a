// SPDX-License-Identifier: BSD-3-Clause
#include "memory/far_memory.hpp"

#include "lazult/core/core.hpp"

#include <atomic>
#include <cstring>

namespace lazult::concert {
namespace {

MPI_Aint displacement(std::uint32_t unit) noexcept {
    return static_cast<MPI_Aint>(unit) * static_cast<MPI_Aint>(unit_bytes);
}

void await(MPI_Request& request) noexcept {
    constexpr int tests_before_yield = 16;
    for (int tests = 1;; ++tests) {
        int done = 0;
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done != 0) {
            return;
        }
        if (tests % tests_before_yield == 0) {
            os::yield_thread();
        }
    }
}

}  // namespace

std::uint64_t far_memory::own(std::uint32_t unit) const noexcept {
    PMPI_Win_sync(window_);
    auto& word = *reinterpret_cast<std::uint64_t*>(address_of(unit));
    // pairs with: the end of replace(), in another process
    return std::atomic_ref(word).load(std::memory_order_acquire);
}

void far_memory::set_own(std::uint32_t unit, std::uint64_t value) const noexcept {
    auto& word = *reinterpret_cast<std::uint64_t*>(address_of(unit));
    std::atomic_ref(word).store(value, std::memory_order_release);  // pairs with: change(MPI_NO_OP)
    PMPI_Win_sync(window_);
}

// Changes a word of a rank's segment, and returns what was there before. It waits for a request,
// because MPI's flushes spin, even while the target waits for this very processor.
std::uint64_t far_memory::change(unsigned rank, std::uint32_t unit, std::uint64_t operand,
                                 MPI_Op how) const noexcept {
    std::uint64_t before = 0;
    core::on_large_stack([&] {
        MPI_Request request = begin_change(rank, unit, &operand, &before, how);
        await(request);
    });
    return before;
}

MPI_Request far_memory::begin_change(unsigned rank, std::uint32_t unit,
                                     const std::uint64_t* operand, std::uint64_t* before,
                                     MPI_Op how) const noexcept {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Rget_accumulate(operand, 1, MPI_UINT64_T, before, 1, MPI_UINT64_T, static_cast<int>(rank),
                         displacement(unit), 1, MPI_UINT64_T, how, window_, &request);
    return request;
}

// Stores a word. Fetches the old word too, so that the request ends only when the word has changed.
void far_memory::replace(unsigned rank, std::uint32_t unit, std::uint64_t value) const noexcept {
    change(rank, unit, value, MPI_REPLACE);
}

void far_memory::initialise() noexcept {
    set_own(shape_.counter(), 0);
    set_own(shape_.head(), 0);
    for (std::uint32_t slot = 0; slot < shape_.ring.slots; ++slot) {
        set_own(shape_.slot(slot), 0);
    }
    if (shape_.ring.slots == 0) {
        for (unsigned receiver = 0; receiver < shape_.peers; ++receiver) {
            set_own(shape_.released_by(receiver), 0);
        }
        set_own(shape_.stub(), 0);
        set_own(shape_.counter(), refer::to(self_, shape_.stub(), 1));
    }
}

void far_memory::reset_next(std::uint32_t unit) noexcept { set_own(unit, 0); }

reference far_memory::swap_tail(unsigned receiver, reference r) noexcept {
    return change(receiver, shape_.counter(), r, MPI_REPLACE);
}

void far_memory::link(reference previous, reference r) noexcept {
    replace(refer::rank(previous), refer::unit(previous), r);
}

reference far_memory::next_of(reference r) noexcept {
    // If the queue is empty, its receiver looks at its own stub, which it reads in place.
    if (refer::rank(r) == self_ && refer::unit(r) == shape_.stub()) {
        return own(shape_.stub());
    }
    return change(refer::rank(r), refer::unit(r), 0, MPI_NO_OP);
}

// Fetches the packet and its next word in one round trip. An atomic call reads the word, because
// another rank may be writing it.
far_memory::fetched far_memory::fetch(reference r) {
    const std::size_t bytes = std::size_t{refer::units(r)} * unit_bytes - word_bytes;
    if (incoming_.size() < bytes) {
        incoming_.resize(bytes * 2);
    }
    const int target = static_cast<int>(refer::rank(r));
    const std::uint64_t nothing = 0;
    std::uint64_t next = 0;
    core::on_large_stack([&] {
        MPI_Request body = MPI_REQUEST_NULL;
        PMPI_Rget(incoming_.data(), static_cast<int>(bytes), MPI_BYTE, target,
                  displacement(refer::unit(r)) + static_cast<MPI_Aint>(word_bytes),
                  static_cast<int>(bytes), MPI_BYTE, window_, &body);
        MPI_Request link = begin_change(refer::rank(r), refer::unit(r), &nothing, &next, MPI_NO_OP);
        await(body);
        await(link);
    });
    packet_view view{incoming_.data() + sizeof(packet_facts), {}};
    std::memcpy(&view.facts, incoming_.data(), sizeof view.facts);
    return {view, next};
}

void far_memory::publish_released(unsigned sender, std::uint64_t count) noexcept {
    replace(sender, shape_.released_by(self_), count);
}

std::uint64_t far_memory::released_by(unsigned receiver) noexcept {
    return own(shape_.released_by(receiver));
}

std::uint64_t far_memory::take_tickets(unsigned receiver, std::uint32_t count) noexcept {
    return change(receiver, shape_.counter(), count, MPI_SUM);
}

void far_memory::put(unsigned receiver, std::uint32_t slot, const std::byte* from,
                     std::size_t bytes) noexcept {
    const int target = static_cast<int>(receiver);
    const int count = static_cast<int>(bytes);
    core::on_large_stack([&] {
        PMPI_Put(from, count, MPI_BYTE, target,
                 displacement(shape_.slot(slot)) + static_cast<MPI_Aint>(word_bytes), count,
                 MPI_BYTE, window_);
        // This call waits without spinning for most of the time that the flush would spin. The
        // flush then only waits for what the target has not done yet.
        change(receiver, shape_.slot(slot), 0, MPI_NO_OP);
        PMPI_Win_flush(target, window_);
    });
}

void far_memory::stamp(unsigned receiver, std::uint32_t slot, std::uint64_t value) noexcept {
    replace(receiver, shape_.slot(slot), value);
}

std::uint64_t far_memory::stamp_of(std::uint32_t slot) noexcept { return own(shape_.slot(slot)); }

// Does not store in place, because other ranks read the word meanwhile by accumulating calls.
void far_memory::publish_head(std::uint64_t head) noexcept { replace(self_, shape_.head(), head); }

std::uint64_t far_memory::head_of(unsigned receiver) noexcept {
    return change(receiver, shape_.head(), 0, MPI_NO_OP);
}

}  // namespace lazult::concert
