// SPDX-License-Identifier: BSD-3-Clause
// Pools that users wrote, by a new definition (abt/pool_user_def.h) or an old one (abt/pool_def.h).
#pragma once

#include "pools/pool.hpp"

#include <cstddef>

namespace lazult::abt {

// A new definition as the client holds it. In an ABT_pool_def u_create_from_thread stands where
// `is_old` does, and is never null: so an address tells which of both it is.
struct pool_definition {
    static constexpr kind arena_kind = kind::pool_user_def;

    ABT_pool_user_create_unit_fn create_unit = nullptr;
    ABT_pool_user_free_unit_fn free_unit = nullptr;
    ABT_pool_user_is_empty_fn is_empty = nullptr;
    ABT_pool_user_pop_fn pop = nullptr;
    ABT_pool_user_push_fn push = nullptr;
    void* is_old = nullptr;
    ABT_pool_user_init_fn init = nullptr;
    ABT_pool_user_free_fn free = nullptr;
    ABT_pool_user_get_size_fn get_size = nullptr;
    ABT_pool_user_pop_wait_fn pop_wait = nullptr;
    ABT_pool_user_pop_many_fn pop_many = nullptr;
    ABT_pool_user_push_many_fn push_many = nullptr;
    ABT_pool_user_print_all_fn print_all = nullptr;
};
static_assert(offsetof(pool_definition, is_old) == offsetof(ABT_pool_def, u_create_from_thread));

// What the door calls: of an old definition, adapters to it.
struct pool_functions : pool_definition {
    ABT_pool_def old{};  // zeroes for a new one

    static pool_functions of(const pool_definition& definition) noexcept;
    static pool_functions of(const ABT_pool_def& definition) noexcept;
};

// Of what a function of the user's popped: what is no thread is nothing.
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
    // So that the pool's init may be called: before, nobody knows the pool, and there is nothing to
    // free after.
    int initialize(ABT_pool_config config) noexcept;

    ABT_unit create_unit(work_unit& u) const noexcept;
    void free_unit(ABT_unit unit) const noexcept { functions_.free_unit(handle(), unit); }

    // Their context goes to the user as it is.
    void push_with(ABT_unit unit, ABT_pool_context context) noexcept;
    void push_all_with(const ABT_unit* units, std::size_t count, ABT_pool_context context) noexcept;
    work_unit* pop_with(ABT_pool_context context) noexcept;

    bool has_units() const noexcept { return functions_.is_empty(handle()) == ABT_FALSE; }

    base::status attach(worker&) noexcept override { return base::status::ok; }
    void detach(worker&) noexcept override {}
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
    // The order is the user's business.
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
