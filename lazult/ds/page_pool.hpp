// SPDX-License-Identifier: BSD-3-Clause
// Allocates pages, which the owner of the pool cuts into pieces of one size. When all pieces of a
// page are free, the page goes back to the system, but stays readable, and reads as 0. The owner
// keeps the lists of free pieces, and gives pages back in three steps:
//     for all free pieces: pool.count(piece);
//     for all free pieces: if (pool.is_all_free(piece, per_page)) remove it from its list;
//     pool.vacate(per_page);
// Only one thread at a time may use a pool.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

namespace lazult::ds {

class page_pool {
public:
    static constexpr std::size_t page_bytes = 4096;

    constexpr page_pool() noexcept = default;
    page_pool(const page_pool&) = delete;
    page_pool& operator=(const page_pool&) = delete;

    // Returns a zeroed page, or nullptr when memory is exhausted.
    void* take_page() noexcept {
        for (chunk* c = chunks_; vacant_ != 0 && c != nullptr; c = c->next) {
            if (c->vacant != 0) {
                --vacant_;
                return page(*c, take_bit(c->vacant));
            }
        }
        if (chunks_ == nullptr || chunks_->used == pages) {
            if (!add_chunk()) {
                return nullptr;
            }
        }
        return page(*chunks_, chunks_->used++);
    }

    void count(const void* piece) noexcept { ++count_of(piece); }
    bool is_all_free(const void* piece, unsigned per_page) const noexcept {
        return count_of(piece) == per_page;
    }
    // Gives back to the system each page that has per_page counted pieces, and resets all counts.
    // Returns the number of these pages.
    std::size_t vacate(unsigned per_page) noexcept {
        std::size_t gone = 0;
        for (chunk* c = chunks_; c != nullptr; c = c->next) {
            for (unsigned i = 1; i != pages; ++i) {
                if (c->free[i] == per_page) {
                    os::discard(page(*c, i), page_bytes);
                    c->vacant |= std::uint64_t{1} << i;
                    ++gone;
                }
            }
            c->free = {};
        }
        vacant_ += gone;
        return gone;
    }

    // For each page, a number for the owner's use; 0 at first. It stays when the page goes back.
    static std::uint32_t& note_of(const void* piece) noexcept {
        return chunk_of(piece)->notes[index_of(piece)];
    }

private:
    static constexpr unsigned pages = 64;  // of a chunk; the first page holds the struct chunk
    static constexpr std::size_t chunk_bytes = pages * page_bytes;

    struct chunk {
        chunk* next;
        std::uint64_t vacant;  // one bit for each page that went back to the system
        unsigned used;         // pages from this number on were never taken
        std::array<std::uint16_t, pages> free;
        std::array<std::uint32_t, pages> notes;
    };

    static chunk* chunk_of(const void* piece) noexcept {
        return reinterpret_cast<chunk*>(reinterpret_cast<std::uintptr_t>(piece) &
                                        ~(chunk_bytes - 1));
    }
    static std::size_t index_of(const void* piece) noexcept {
        return reinterpret_cast<std::uintptr_t>(piece) % chunk_bytes / page_bytes;
    }
    static std::uint16_t& count_of(const void* piece) noexcept {
        return chunk_of(piece)->free[index_of(piece)];
    }
    static void* page(chunk& c, unsigned index) noexcept {
        return reinterpret_cast<std::byte*>(&c) + index * page_bytes;
    }
    static unsigned take_bit(std::uint64_t& bits) noexcept {
        const auto lowest = static_cast<unsigned>(std::countr_zero(bits));
        bits &= bits - 1;
        return lowest;
    }

    bool add_chunk() noexcept {
        void* const memory = os::reserve(chunk_bytes, chunk_bytes);
        if (memory == nullptr) {
            return false;
        }
        os::advise_small(memory, chunk_bytes);
        probe::leak_root(memory, chunk_bytes);
        chunks_ = new (memory) chunk{chunks_, 0, 1, {}, {}};
        return true;
    }

    chunk* chunks_ = nullptr;
    std::size_t vacant_ = 0;
};

}  // namespace lazult::ds
