// SPDX-License-Identifier: BSD-3-Clause
// Pools that users wrote, with a new definition (abt/pool_user_def.h) or an old one
// (abt/pool_def.h).
#pragma once

#include "pools/pool.hpp"
#include "pools/pool_definition.hpp"

namespace lazult::abt {

// Returns the unit that a function of the user's popped. Anything that is no thread counts as
// nothing.
inline work_unit* popped_unit(ABT_thread popped) noexcept {
    note_nothing(popped);
    return checked_thread(popped);
}

class user_pool final : public sched::ready_pool, public pool_part {
public:
    explicit user_pool(const pool_functions& functions) noexcept;
    ~user_pool() override;

    const pool_functions& functions() const noexcept { return functions_; }
    ABT_pool handle() const noexcept { return to_handle(this); }
    // Calls the user's init. It is called after construction, when the handle is valid. If init
    // fails, the user's free is not called.
    int initialize(ABT_pool_config config) noexcept;

    ABT_unit create_unit(work_unit& u) const noexcept;
    void free_unit(ABT_unit unit) const noexcept {
        const core::program_callback inside;
        functions_.free_unit(handle(), unit);
    }

    // These pass `context` on to the user's function unchanged.
    void push_with(ABT_unit unit, ABT_pool_context context) noexcept;
    void push_all_with(const ABT_unit* units, std::size_t count, ABT_pool_context context) noexcept;
    work_unit* pop_with(ABT_pool_context context) noexcept;

    bool has_units() const noexcept {
        const core::program_callback inside;
        return functions_.is_empty(handle()) == ABT_FALSE;
    }

    bool maybe_has_work(const worker&) const noexcept override { return has_units(); }
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    bool serves(const worker&) const noexcept override { return false; }
    const char* kind() const noexcept override { return "user"; }
    void for_each(visitor visit, void* argument) override;

protected:
    void push_other(worker*, work_unit* u) noexcept override;
    void push_yielded_other(worker*, work_unit* u) noexcept override;
    ticket push_parent_other(worker*, work_unit* u) noexcept override;
    work_unit* pop_other(worker&) noexcept override {
        return pop_with(ABT_POOL_CONTEXT_OP_POOL_OTHER);
    }
    // Returns false, because only the user's pop decides which unit is next.
    bool take_other(worker&, work_unit*) noexcept override { return false; }

private:
    void push_as(work_unit& u, push_context usual) noexcept;

    const pool_functions functions_;
    bool is_initialized_ = false;
};

inline user_pool& as_user_pool(sched::ready_pool& p) noexcept { return static_cast<user_pool&>(p); }
inline const user_pool& as_user_pool(const sched::ready_pool& p) noexcept {
    return static_cast<const user_pool&>(p);
}

}  // namespace lazult::abt
