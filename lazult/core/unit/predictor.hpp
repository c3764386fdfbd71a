// SPDX-License-Identifier: BSD-3-Clause
// The adaptive technique: which ULTs of one entry function suspended lately decides how the next
// one starts.
//
// Each OS thread keeps a small table for the units that it creates. A row looks at one creation in
// `stride`: such a unit is a sample. A sample's first suspension is noted in the creator's table,
// wherever it happens. At a window's end the row compares the share of samples that suspended with
// the crossover and picks the cheaper technique for the next window. Creating a unit costs a
// comparison and the question whether it is a sample; that its samples are few matters, because a
// number that each creation changes is a chain from one to the next, and costs half of what
// creating a unit costs. Source: left open by Iwasaki et al., SC18, section III-E.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lazult/core/unit/counters.hpp"
#include "lazult/core/unit/technique.hpp"
#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

class predictor {
public:
    // Units per sample. A prime, so that patterns in what the program creates do not meet it.
    static constexpr std::uint32_t stride = 11;
    // Samples per window.
    static constexpr std::uint16_t window = 64;
    // The share of suspending units, in samples per window, from which a stack of its own pays.
    // Measured: see docs/techniques.md.
    static constexpr std::uint16_t crossover = 2;

    // Whether one more unit of this entry function gets a stack of its own.
    LAZULT_ALWAYS_INLINE bool wants_stack(entry_function entry) noexcept {
        row& r = row_of(entry);
        if (r.usual == entry) LAZULT_LIKELY {
            return false;
        }
        if (r.on_stack == entry) LAZULT_LIKELY {
            return true;
        }
        replace(r, entry);
        return false;
    }

    // What wants_stack() would say, unless it would have to make a row for the function: unknown.
    enum class answer : std::uint8_t { no, yes, unknown };
    LAZULT_ALWAYS_INLINE answer knows_to_want_stack(entry_function entry) const noexcept {
        const row& r = rows_[index_of(entry)];
        return r.usual == entry ? answer::no : r.on_stack == entry ? answer::yes : answer::unknown;
    }

    // Neighbours in a batch differ by their descriptors' addresses, one unit after another by the
    // starts in between.
    static bool is_due(const work_unit& u, const counters& count) noexcept {
        const std::uintptr_t number =
            reinterpret_cast<std::uintptr_t>(&u) / sizeof(work_unit) + count.started.get();
        return static_cast<std::uint32_t>(number) % stride == 0;  // 32 bits: shorter code
    }
    // Makes a unit, that is due, a sample.
    LAZULT_NOINLINE void take_sample(work_unit& u, counters& count) noexcept {
        u.requests.store(is_sample, std::memory_order_relaxed);  // nobody else knows the unit yet
        row& r = row_of(u.entry);
        if (--r.samples_left == 0) LAZULT_UNLIKELY {
            close_window(r, count);
        }
    }

    // Whether the function's next sample is not the last one of its window. Then
    // take_sample_amid_window() does what take_sample() does, and makes no call.
    bool is_amid_window(entry_function entry) const noexcept {
        return rows_[index_of(entry)].samples_left > 1;
    }
    void take_sample_amid_window(work_unit& u) noexcept {
        u.requests.store(is_sample, std::memory_order_relaxed);  // nobody else knows the unit yet
        --row_of(u.entry).samples_left;
    }

    // Of a sample, on the table of its creator, from any OS thread. A lost count does no harm.
    void note_first_suspension(entry_function entry) noexcept {
        row& r = row_of(entry);
        if (r.entry.load(std::memory_order_relaxed) == entry) {
            r.suspended.store(
                static_cast<std::uint16_t>(r.suspended.load(std::memory_order_relaxed) + 1),
                std::memory_order_relaxed);
        }
    }

private:
    // field               written by                 read by        order
    // entry, suspended    the owner; suspenders      both           relaxed: counts, no data behind
    //                                                               them
    // the others          the owner                  the owner      none needed
    struct alignas(base::cache_line) row {
        // Its function stands in one of these, which says how its next unit starts: planning is one
        // comparison.
        entry_function usual = nullptr;
        entry_function on_stack = nullptr;
        std::uint32_t samples_left = window;
        std::uint16_t windows = 0;
        std::atomic<std::uint16_t> suspended{0};
        std::atomic<entry_function> entry{nullptr};
        std::uint64_t started_before = 0;
    };
    static constexpr std::size_t rows = 64;

    static std::size_t index_of(entry_function entry) noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(entry);
        return (bits >> 4) % rows;
    }
    row& row_of(entry_function entry) noexcept { return rows_[index_of(entry)]; }

    LAZULT_NOINLINE static void replace(row& r, entry_function entry) noexcept {
        r.suspended.store(0, std::memory_order_relaxed);
        r.entry.store(entry, std::memory_order_relaxed);
        r.samples_left = window;
        r.windows = 0;
        r.usual = entry;
        r.on_stack = nullptr;
    }

    // A batch of creations teaches nothing before its units have run: until this thread has started
    // as many units as it created, or has waited long enough (they may run elsewhere), the window
    // goes on.
    static void close_window(row& r, counters& count) noexcept {
        constexpr std::uint16_t longest = 16;
        constexpr std::uint32_t units = window * stride;
        const technique now =
            r.on_stack != nullptr ? technique::lazy_stack : technique::scheduler_creation;
        count.planned[static_cast<int>(now)].add(units);
        r.samples_left = window;
        ++r.windows;
        const std::uint64_t started = count.started.get();
        if (started - r.started_before < units && r.windows < longest) {
            return;
        }
        const bool often =
            r.suspended.exchange(0, std::memory_order_relaxed) >= crossover * r.windows;
        const entry_function entry = r.entry.load(std::memory_order_relaxed);
        r.usual = often ? nullptr : entry;
        r.on_stack = often ? entry : nullptr;
        r.windows = 0;
        r.started_before = started;
    }

    row rows_[rows];
};

}  // namespace lazult::core
