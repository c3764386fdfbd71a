// SPDX-License-Identifier: BSD-3-Clause
#include "pools/pool_user.hpp"

namespace lazult::abt {
namespace {

// The flags have the order of push_context.
constexpr ABT_pool_context first_context = ABT_POOL_CONTEXT_OP_THREAD_CREATE;
constexpr ABT_pool_context flag_of(push_context c) noexcept {
    return first_context << static_cast<unsigned>(c);
}
static_assert(flag_of(push_context::create_to) == ABT_POOL_CONTEXT_OP_THREAD_CREATE_TO);
static_assert(flag_of(push_context::revive) == ABT_POOL_CONTEXT_OP_THREAD_REVIVE);
static_assert(flag_of(push_context::revive_to) == ABT_POOL_CONTEXT_OP_THREAD_REVIVE_TO);
static_assert(flag_of(push_context::yield) == ABT_POOL_CONTEXT_OP_THREAD_YIELD);
static_assert(flag_of(push_context::yield_to) == ABT_POOL_CONTEXT_OP_THREAD_YIELD_TO);
static_assert(flag_of(push_context::resume_yield_to) == ABT_POOL_CONTEXT_OP_THREAD_RESUME_YIELD_TO);
static_assert(flag_of(push_context::yield_loop) == ABT_POOL_CONTEXT_OP_THREAD_YIELD_LOOP);
static_assert(flag_of(push_context::resume) == ABT_POOL_CONTEXT_OP_THREAD_RESUME);
static_assert(flag_of(push_context::migrate) == ABT_POOL_CONTEXT_OP_THREAD_MIGRATE);

}  // namespace

user_pool::user_pool(const pool_functions& functions) noexcept : functions_(functions) {
    set_makers_word(static_cast<pool_part*>(this));
    is_users = true;
    hears_of_yields_ = true;
    takes_foreign_units_ = false;  // its functions expect units of this door
    access =
        functions.old.u_create_from_thread == nullptr ? ABT_POOL_ACCESS_MPMC : functions.old.access;
}

user_pool::~user_pool() {
    core::await_pushers(*this);
    if (is_initialized_ && functions_.free != nullptr) {
        functions_.free(handle());
    }
}

int user_pool::initialize(ABT_pool_config config) noexcept {
    const int outcome =
        functions_.init == nullptr ? ABT_SUCCESS : functions_.init(handle(), config);
    is_initialized_ = outcome == ABT_SUCCESS;
    return outcome;
}

ABT_unit user_pool::create_unit(work_unit& u) const noexcept {
    const core::program_callback inside;
    return functions_.create_unit(handle(), abt::to_handle(&u));
}

void user_pool::push_with(ABT_unit unit, ABT_pool_context context) noexcept {
    {
        const core::program_callback inside;
        functions_.push(handle(), unit, context);
    }
    announce();
}

void user_pool::push_all_with(const ABT_unit* units, std::size_t count,
                              ABT_pool_context context) noexcept {
    {
        const core::program_callback inside;
        functions_.push_many(handle(), units, count, context);
    }
    idle_gate().notify_many(static_cast<unsigned>(count));
}

work_unit* user_pool::pop_with(ABT_pool_context context) noexcept {
    const core::program_callback inside;
    return popped_unit(functions_.pop(handle(), context));
}

// Calls the user's push with the unit's context. The unit may be freed as soon as the user has it.
// errno is kept, because it may already be that of the unit that runs next.
void user_pool::push_as(work_unit& u, push_context usual) noexcept {
    thread_part& part = part_of(u);
    const auto told = static_cast<push_context>(part.context);
    part.context = static_cast<std::uint8_t>(push_context::resume);
    const base::errno_guard kept;
    push_with(part.unit, flag_of(told == push_context::resume ? usual : told));
}

void user_pool::push_other(worker*, work_unit* u) noexcept { push_as(*u, push_context::resume); }

// A ULT that joins many units may go behind all other units of the pool. The user's program has not
// yielded there, so the context says "resume".
void user_pool::push_yielded_other(worker*, work_unit* u) noexcept {
    push_as(*u, u->has(core::flag_joins_many) ? push_context::resume : push_context::yield);
}

core::pool::ticket user_pool::push_parent_other(worker*, work_unit* u) noexcept {
    push_as(*u, push_context::create_to);
    return no_ticket;
}

// Takes the unit out of the pool, if the pool has an old definition with p_remove. The user must
// ensure that no other thread pops the unit meanwhile.
bool user_pool::remove(work_unit* u) noexcept {
    const ABT_pool_def& old = functions_.old;
    if (old.p_remove == nullptr) {
        return false;
    }
    const ABT_unit unit = part_of(*u).unit;
    const core::program_callback inside;
    if (old.u_is_in_pool != nullptr && old.u_is_in_pool(unit) == ABT_FALSE) {
        return false;
    }
    old.p_remove(handle(), unit);
    return true;
}

std::size_t user_pool::size() const noexcept {
    if (functions_.get_size != nullptr) {
        const core::program_callback inside;
        return functions_.get_size(handle());
    }
    return has_units() ? 1 : 0;
}

void user_pool::for_each(visitor visit, void* argument) {
    struct visiting {
        visitor visit;
        void* argument;

        static void one(void* self, ABT_thread thread) {
            const auto& me = *static_cast<visiting*>(self);
            if (work_unit* u = checked_thread(thread); u != nullptr) {
                me.visit(u, me.argument);
            }
        }
    } shown{visit, argument};
    if (functions_.print_all != nullptr) {
        functions_.print_all(handle(), &shown, visiting::one);
    }
}

}  // namespace lazult::abt
