// SPDX-License-Identifier: BSD-3-Clause
// Bringing units into being: parent first (the default), child first, and again (revive).
#pragma once

#include "lazult/core/pool.hpp"
#include "lazult/core/worker.hpp"

namespace lazult::core {

// Composed once, used for any number of units.
class unit_attributes {
public:
    unit_attributes() noexcept { compose(); }
    explicit unit_attributes(technique how, std::size_t stack_bytes = 0) noexcept : how_(how) {
        stack_class_ = stack_bytes == 0 ? std::uint8_t{0} : stack_class_for(stack_bytes);
        compose();
    }

    unit_attributes& priority(std::uint8_t value) noexcept {
        header_.priority = value;
        return *this;
    }
    unit_attributes& user_bits(std::uint16_t value) noexcept {
        header_.user_bits = value;
        return *this;
    }
    // A stack from adopt_user_stack(); the unit is fully fledged from its start.
    unit_attributes& user_stack(stack* s) noexcept {
        user_stack_ = s;
        how_ = technique::lazy_stack;
        compose();
        return *this;
    }
    // A scheduler's own unit.
    unit_attributes& of_host() noexcept {
        header_.flags |= flag_host;
        return *this;
    }

    const unit_header& header() const noexcept { return header_; }
    stack* its_stack() const noexcept { return user_stack_; }
    // More to do than prepare() does inline: adaptive plans, full takes a stack.
    bool is_special() const noexcept { return special_; }

private:
    void compose() noexcept;

    unit_header header_;
    technique how_ = technique::adaptive;
    std::uint8_t stack_class_ = 0;  // 0: LAZULT_STACK_SIZE
    bool special_ = false;
    stack* user_stack_ = nullptr;
};

// The class of LAZULT_STACK_SIZE. Written by refresh_defaults() before any stream runs.
extern std::uint8_t default_stack_class;
void refresh_defaults() noexcept;

// The rest of prepare() for full: its stack. nullptr when memory is exhausted.
work_unit* take_stack_for(worker& w, work_unit* u) noexcept;

// Fills a fresh descriptor. nullptr when memory is exhausted. Nobody else knows the unit yet.
LAZULT_ALWAYS_INLINE work_unit* prepare(worker& w, pool& home, entry_function entry, void* argument,
                                        const unit_attributes& attributes) noexcept {
    work_unit* u = w.descriptors.allocate();
    if (u == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    u->entry = entry;
    u->argument = argument;
    u->context = nullptr;
    u->home = &home;
    u->stk = attributes.its_stack();
    u->join.reset();
    u->header = attributes.header();
    u->requests.store(0, std::memory_order_relaxed);
    u->park.reset();
    u->set_state(life_state::ready);
    if (attributes.is_special()) {
        if (u->header.how == technique::full) {
            return take_stack_for(w, u);
        }
        w.predict.plan(entry, w.count).apply(u->header);
    }
    return u;
}

// Makes a prepared unit available: parent first. The unit may have run and ended when this returns.
LAZULT_ALWAYS_INLINE void launch(worker& w, work_unit* u) noexcept {
    probe::release(u);
    u->home->push(&w, u);
}

// Starts a prepared unit at once in place of the caller, which becomes ready: child first. Falls back to
// parent first where the caller cannot suspend. Full, lazy stack and RoC are as asked for; the techniques that
// need a stateless parent become RoC.
void launch_child_first(work_unit* u);

// Makes a finished, joined unit ready again with another function. Its attributes stay.
base::status revive(work_unit* u, pool& home, entry_function entry, void* argument) noexcept;

}  // namespace lazult::core
