// SPDX-License-Identifier: BSD-3-Clause
#include "check/check.hpp"

#include "reentry/at_work.hpp"
#include "reentry/handlers.hpp"
#include "units/mover.hpp"

namespace lazult::checker {
namespace {

// Returns whether note_here() would do nothing: it is done for this unit, on this OS thread.
bool is_noted_here(const core::work_unit& u) noexcept {
    history* const h = newest_history_of(&u);
    return h != nullptr && h->last == this_os_thread() && is_asked_to_move(u, *h);
}

history* note_here() noexcept {
    history* const h = history_here();
    if (h != nullptr) {
        ask_to_move(*core::current_unit(), *h);
    }
    return h;
}

}  // namespace

void note_run() noexcept {
    const core::work_unit* const u = core::current_unit();
    if (u == nullptr || is_at_work() || is_noted_here(*u)) LAZULT_LIKELY {
        return;
    }
    const at_work now;
    if (!is_in_signal_handler()) {
        note_here();
    }
}

void look_closer(std::uintptr_t address, std::size_t size, access what, const void* code) noexcept {
    const core::work_unit* const u = core::current_unit();
    if (u == nullptr || is_at_work() || (is_noted_here(*u) && is_in_own_storage(address)))
        LAZULT_LIKELY {
        return;
    }
    const at_work now;
    const history* const h = is_in_signal_handler() ? nullptr : note_here();
    if (h == nullptr || is_in_own_storage(address)) {
        return;
    }
    const finding found = find_owner(address);
    if (found.owner != nullptr && h->ran_on(found.owner)) {
        report_access(code, size, what, found);
    }
}

void look_at_range(std::uintptr_t address, std::size_t size, access what,
                   const void* code) noexcept {
    look_closer(address, size, what, code);
    look_closer(address + size - 1, size, what, code);
}

void note_own_address(const void* variable) noexcept {
    if (this_os_thread() == nullptr || is_at_work() ||
        is_in_own_storage(reinterpret_cast<std::uintptr_t>(variable))) {
        return;
    }
    const at_work now;
    look_for_new_blocks();
}

}  // namespace lazult::checker
