// SPDX-License-Identifier: BSD-3-Clause
// Has ULTs change their streams as often as they may, so that what is wrong after a move is found
// at every run and not by luck.
#pragma once

#include "units/history.hpp"

namespace lazult::checker {

// Asks the running ULT to go on upon another stream at each of its scheduling points, if other
// streams could steal it. Where nothing is stolen (one stream, private pools, LAZULT_STARTED=stay,
// other schedulers), and with LAZULT_CHECKER=watch, does nothing.
void ask_to_move(core::work_unit& self, history& h) noexcept;
// Returns whether ask_to_move() would do nothing.
inline bool is_asked_to_move(const core::work_unit& self, history& h) noexcept {
    if ((self.notes.load(std::memory_order_relaxed) & core::request_migrate) != 0) LAZULT_LIKELY {
        return true;
    }
    return h.patience != 0 && --h.patience != 0;
}

}  // namespace lazult::checker
