// SPDX-License-Identifier: BSD-3-Clause
// The technique `adaptive`: if many recent ULTs of an entry function suspended, the next ULT of
// that function starts on a stack of its own.
//
// Each OS thread keeps a small table for the units that it creates; a row is about one function.
// One creation in `stride` is a sample. The first suspension of a sample is counted in its
// creator's table, wherever it happens. When a window of samples ends, the row compares the share
// of samples that suspended with the crossover, and picks the cheaper technique for the next
// window. A creation costs a comparison, and a check whether it is a sample. A counter that every
// creation changes would make each creation wait for the one before, and add half to its cost.
// Iwasaki et al., SC18, section III-E, leave this choice open.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lazult/core/unit/counters.hpp"
#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

class predictor {
public:
    // Creations per sample. A prime, so that it does not keep step with patterns in the program.
    static constexpr std::uint32_t stride = 11;
    // Samples per window.
    static constexpr std::uint16_t window = 64;
    // A unit gets a stack of its own if at least so many samples of a window suspended. Measured:
    // see docs/techniques.md.
    static constexpr std::uint16_t crossover = 2;

    // Returns whether the next unit of this function gets a stack of its own. Adds a missing row.
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

    // What wants_stack() would return; `unknown` if the function has no row. Adds no row.
    enum class answer : std::uint8_t { no, yes, unknown };
    LAZULT_ALWAYS_INLINE answer knows_to_want_stack(entry_function entry) const noexcept {
        const row& r = rows_[index_of(entry)];
        return r.usual == entry ? answer::no : r.on_stack == entry ? answer::yes : answer::unknown;
    }

    // Returns whether a new unit is to be a sample. The units of a batch differ by their
    // descriptors' addresses. Units that reuse one descriptor differ by the starts in between.
    static bool is_due(const work_unit& u, const counters& count) noexcept {
        const std::uintptr_t number =
            reinterpret_cast<std::uintptr_t>(&u) / sizeof(work_unit) + count.started.get();
        return static_cast<std::uint32_t>(number) % stride == 0;  // 32 bits: shorter code
    }
    // Makes a unit for which is_due() has returned true a sample.
    LAZULT_NOINLINE void take_sample(work_unit& u, counters& count) noexcept {
        u.notes.store(is_sample, std::memory_order_relaxed);  // nobody else knows the unit yet
        row& r = row_of(u.entry);
        if (--r.samples_left == 0) LAZULT_UNLIKELY {
            close_window(r, count);
        }
    }

    // Returns whether the function's next sample is not the last one of its window. Then
    // take_sample_amid_window() may replace take_sample(), and makes no call.
    bool is_amid_window(entry_function entry) const noexcept {
        return rows_[index_of(entry)].samples_left > 1;
    }
    void take_sample_amid_window(work_unit& u) noexcept {
        u.notes.store(is_sample, std::memory_order_relaxed);  // nobody else knows the unit yet
        --row_of(u.entry).samples_left;
    }

    // Counts a sample's first suspension in its creator's table, from any OS thread. A lost count
    // does no harm.
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
        // One of these two is the row's function: `usual` if its next unit gets no stack of its
        // own, `on_stack` if it does. So planning is one comparison.
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

    // Ends a window, and chooses the technique for the next one. A batch of creations teaches
    // nothing before its units have run. So the window is extended, up to 16 times, until this
    // thread has started as many units as it created. The limit is for units that run on other
    // threads.
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
