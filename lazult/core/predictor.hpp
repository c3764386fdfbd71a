// SPDX-License-Identifier: BSD-3-Clause
// The adaptive technique: which ULTs of one entry function suspended lately decides how the next one starts.
//
// Each OS thread keeps a small table for the units that it creates. A row counts creations down in windows of
// `window`; a first suspension is noted in the creator's table, wherever it happens. At a window's end the row compares the share of
// units that suspended with the crossover and picks the cheaper technique for the next window. The start path
// pays one look-up and one decrement. Source: left open by Iwasaki et al., SC18, section III-E.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lazult/core/counters.hpp"
#include "lazult/core/technique.hpp"
#include "lazult/core/work_unit.hpp"

namespace lazult::core {

class predictor {
public:
    static constexpr std::uint16_t window = 64;
    // The share of suspending units, in units per window, from which a stack of its own pays. Measured: see
    // docs/techniques.md.
    static constexpr std::uint16_t crossover = 48;

    // What a window's end decided, in the form that a unit's header wants.
    struct choice {
        technique how = technique::scheduler_creation;

        void apply(unit_header& header) const noexcept {
            header.plan = how;
            header.room_class =
                how == technique::scheduler_creation ? header.stack_class : unit_header::no_room;
        }
    };

    // The technique for one more unit of this entry function.
    const choice& plan(entry_function entry, counters& count) noexcept {
        row& r = row_of(entry);
        if (r.entry.load(std::memory_order_relaxed) != entry) LAZULT_UNLIKELY {
            replace(r, entry);
        }
        if (--r.starts_left == 0) LAZULT_UNLIKELY {
            close_window(r, count);
        }
        return r.now;
    }

    // On the table of the unit's creator, from any OS thread. A lost count does no harm.
    void note_first_suspension(entry_function entry) noexcept {
        row& r = row_of(entry);
        if (r.entry.load(std::memory_order_relaxed) == entry) {
            r.suspended.store(static_cast<std::uint16_t>(r.suspended.load(std::memory_order_relaxed) + 1),
                              std::memory_order_relaxed);
        }
    }

private:
    // field               who writes                 who reads      order
    // entry, suspended    the owner; suspenders      both           relaxed: counts, no data behind them
    // the others          the owner                  the owner      none needed
    struct row {
        std::atomic<entry_function> entry{nullptr};
        std::atomic<std::uint16_t> suspended{0};
        std::uint16_t starts_left = window;
        std::uint16_t windows = 0;
        choice now;
        std::uint64_t started_before = 0;
    };
    static constexpr std::size_t rows = 64;

    static std::size_t index_of(entry_function entry) noexcept {
        const auto bits = reinterpret_cast<std::uintptr_t>(entry);
        return (bits >> 4) % rows;
    }
    row& row_of(entry_function entry) noexcept { return rows_[index_of(entry)]; }

    static void replace(row& r, entry_function entry) noexcept {
        r.suspended.store(0, std::memory_order_relaxed);
        r.entry.store(entry, std::memory_order_relaxed);
        r.starts_left = window;
        r.windows = 0;
        r.now = choice{};
    }

    // A batch of creations teaches nothing before its units have run: until this thread has started as many units
    // as it created, or has waited long enough (they may run elsewhere), the window goes on.
    static void close_window(row& r, counters& count) noexcept {
        constexpr std::uint16_t longest = 16;
        count.planned[static_cast<int>(r.now.how)].add(window);
        r.starts_left = window;
        ++r.windows;
        const std::uint64_t started = count.started.get();
        if (started - r.started_before < window && r.windows < longest) {
            return;
        }
        const bool often = r.suspended.exchange(0, std::memory_order_relaxed) >= crossover * r.windows;
        r.now.how = often ? technique::lazy_stack : technique::scheduler_creation;
        r.windows = 0;
        r.started_before = started;
    }

    row rows_[rows];
};

}  // namespace lazult::core
