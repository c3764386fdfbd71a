// SPDX-License-Identifier: BSD-3-Clause
#include "threads/thread_create.hpp"

#include "pools/unit.hpp"
#include "units/attributes.hpp"
#include "units/thread_record.hpp"

namespace lazult::abt {
namespace {

// Prepares a unit and its thread_part. prepare_with() does the rest.
LAZULT_ALWAYS_INLINE work_unit* prepare_bare(const creation& wanted,
                                             const core::unit_attributes& how) noexcept {
    worker* const mine = core::try_this_worker();
    if (mine == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    work_unit* u = core::prepare(*mine, wanted.home, wanted.entry, wanted.argument, how);
    if (u != nullptr) LAZULT_LIKELY {
        probe::acquire(u);  // pairs with: free_unit()
        new (u->storage) thread_part;
    }
    return u;
}

// Frees a unit that is not launched, and returns `code`.
int discard(work_unit* u, int code) noexcept {
    free_unit(core::this_worker_or_null(), u);
    return code;
}

// Prepares a unit for its pool and, if a tool listens, traces the unit. Does not launch it.
LAZULT_ALWAYS_INLINE int prepare_with(const creation& wanted, const core::unit_attributes& how,
                                      work_unit*& made) noexcept {
    work_unit* u = prepare_bare(wanted, how);
    if (u == nullptr) LAZULT_UNLIKELY {
        return ABT_ERR_MEM;
    }
    if (part_of(wanted.home).is_users) LAZULT_UNLIKELY {
        if (const int code = enter_first_pool(*u); code != ABT_SUCCESS) {
            return discard(u, code);
        }
        set_context(*u, push_context::create);
    } else if (!provide_for(wanted.home, *u)) LAZULT_UNLIKELY {
        return discard(u, ABT_ERR_MEM);
    }
    if (tools_are_on()) LAZULT_UNLIKELY {
        if (!trace(*u)) {
            return discard(u, ABT_ERR_MEM);
        }
    }
    made = u;
    return ABT_SUCCESS;
}

// A page of the user's own memory is protected only if the user asked for guards by mprotect.
core::user_guard guard_of_users_stacks() noexcept {
    return base::current_settings().guard == base::guard_kind::mprotect ? core::user_guard::with
                                                                        : core::user_guard::without;
}

// Prepares a unit that runs on the stack which the user names in `attr`. The library never
// gives that stack to another unit.
int prepare_on_users_stack(const creation& wanted, const thread_attr_object& attr,
                           work_unit*& made) noexcept {
    core::stack* s =
        core::adopt_user_stack(attr.stack_base, attr.stack_size, guard_of_users_stacks());
    if (s == nullptr) {
        return ABT_ERR_INV_THREAD_ATTR;
    }
    core::unit_attributes how = attr.composed(wanted.named);
    how.user_stack(s);
    work_unit* u = nullptr;
    const int code = prepare_with(wanted, how, u);
    thread_record* record = code == ABT_SUCCESS ? record_of(*u) : nullptr;
    if (record == nullptr) {
        core::disown_user_stack(s);
        return u == nullptr ? code : discard(u, ABT_ERR_MEM);
    }
    record->users_stack = s;
    record->stack_base = attr.stack_base;
    made = u;
    return ABT_SUCCESS;
}

int prepare_by_attributes(const creation& wanted, const thread_attr_object& attr,
                          work_unit*& made) noexcept {
    work_unit* u = nullptr;
    const int code = attr.stack_base != nullptr
                         ? prepare_on_users_stack(wanted, attr, u)
                         : prepare_with(wanted, attr.composed(wanted.named), u);
    if (code != ABT_SUCCESS) {
        return code;
    }
    if (!note_stack_size(*u, attr.stack_size) ||
        (attr.migrated != nullptr &&
         !set_migration_callback(*u, attr.migrated, attr.migrated_argument))) {
        return discard(u, ABT_ERR_MEM);
    }
    made = u;
    return ABT_SUCCESS;
}

// Makes a prepared unit available in its pool. An unnamed unit may be freed before this returns.
void launch(work_unit* u) noexcept {
    worker& w = core::running_worker();
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_CREATE, *u);
    }
    if (is_named(*u) && u->home->confines()) {
        core::launch(w, u);
        return;
    }
    if (!is_named(*u)) {
        u->join.reset_detached();
    }
    core::launch_open(w, u);
}

void hand_out(work_unit* u, ABT_thread* handle) noexcept {
    if (handle != nullptr) {
        *handle = to_handle(u);
    }
    launch(u);
}

// The arguments of create_many().
struct list_of_units {
    int count;
    ABT_pool* pools;
    void (**functions)(void*);
    void** arguments;  // nullptr: all arguments are null
    ABT_thread* made;  // receives the handles; nullptr: no handles are wanted

    void* argument(int number) const noexcept {
        return arguments == nullptr ? nullptr : arguments[number];
    }
};

// The next two functions create units of the list from number `next` on, in order, by a short cut.
// They stop at the first unit that the short cut cannot create, and return its number. The first
// function is for the caller's own private pool, the second one for its work-stealing pool.
LAZULT_ALWAYS_INLINE int create_in_private_pool(const list_of_units wanted, int next) noexcept {
    worker* const w = simple_caller();
    if (w == nullptr) LAZULT_UNLIKELY {
        return next;
    }
    while (next < wanted.count &&
           short_cut::create_in_own(w, wanted.pools[next], wanted.functions[next],
                                    wanted.argument(next), the_defaults.ult[true],
                                    &wanted.made[next])) {
        ++next;
    }
    return next;
}

LAZULT_NOINLINE int create_in_lane(const list_of_units wanted, int next) noexcept {
    worker* const w = simple_caller();
    if (w == nullptr) LAZULT_UNLIKELY {
        return next;
    }
    while (next < wanted.count &&
           short_cut::create_to_be_stolen(w, wanted.pools[next], wanted.functions[next],
                                          wanted.argument(next), the_defaults.ult[true],
                                          &wanted.made[next])) {
        ++next;
    }
    return next;
}

}  // namespace

int prepare_ult(const creation& wanted, ABT_thread_attr attr, work_unit*& made) noexcept {
    note_null(attr);
    if (is_null(attr)) LAZULT_LIKELY {
        return prepare_with(wanted, the_defaults.ult[wanted.named], made);
    }
    const auto* a = checked<thread_attr_object>(attr);
    return a == nullptr ? ABT_ERR_INV_THREAD_ATTR : prepare_by_attributes(wanted, *a, made);
}

void give_way_to_child(const caller& me, work_unit* child, push_context how) {
    work_unit* parent = me.unit;
    const bool told = tools_are_on();
    if (told) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_YIELD, *parent);
    }
    set_context(*parent, how);
    core::launch_child_first(child);
    set_context(*parent, push_context::resume);
    if (told) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_RUN, *parent);
    }
}

LAZULT_NOINLINE int create_ult_in(sched::ready_pool& home, core::entry_function entry,
                                  void* argument, ABT_thread_attr attr,
                                  ABT_thread* newthread) noexcept {
    work_unit* u = nullptr;
    const int code = prepare_ult({home, entry, argument, newthread != nullptr}, attr, u);
    if (code == ABT_SUCCESS) LAZULT_LIKELY {
        hand_out(u, newthread);
    }
    return code;
}

int create_tasklet_in(sched::ready_pool& home, core::entry_function entry, void* argument,
                      ABT_task* newtask) noexcept {
    const bool named = newtask != nullptr;
    work_unit* u = nullptr;
    const int code = prepare_with({home, entry, argument, named}, the_defaults.tasklet[named], u);
    if (code == ABT_SUCCESS) LAZULT_LIKELY {
        hand_out(u, newtask);
    }
    return code;
}

int create_ult_anywhere(ABT_pool pool, core::entry_function entry, void* argument,
                        ABT_thread_attr attr, ABT_thread* newthread) noexcept {
    sched::ready_pool* home = checked_pool(pool);
    note_null(attr);
    if (newthread != nullptr) {
        *newthread = as_null(ABT_THREAD_NULL);
    }
    const int code = !is_initialized() ? ABT_ERR_UNINITIALIZED
                     : home == nullptr ? ABT_ERR_INV_POOL
                                       : create_ult_in(*home, entry, argument, attr, newthread);
    return code == ABT_SUCCESS ? code : refuse(code, "ABT_thread_create");
}

// Creates a named ULT without attributes, when create_in_own() was not possible. Tries the caller's
// work-stealing pool first.
int create_ult_elsewhere(ABT_pool pool, core::entry_function entry, void* argument,
                         ABT_thread_attr attr, ABT_thread* newthread) noexcept {
    if (short_cut::create_to_be_stolen(simple_caller(), pool, entry, argument,
                                       the_defaults.ult[true], newthread)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return create_ult_anywhere(pool, entry, argument, attr, newthread);
}

namespace {

LAZULT_NOINLINE int create_tasklet_anywhere(ABT_pool pool, core::entry_function entry,
                                            void* argument, ABT_task* newtask) noexcept {
    sched::ready_pool* home = checked_pool(pool);
    if (newtask != nullptr) {
        *newtask = as_null(ABT_TASK_NULL);
    }
    const int code =
        home == nullptr ? ABT_ERR_INV_POOL : create_tasklet_in(*home, entry, argument, newtask);
    return code == ABT_SUCCESS ? code : refuse(code, "ABT_task_create");
}

}  // namespace

int create_tasklet_elsewhere(ABT_pool pool, core::entry_function entry, void* argument,
                             ABT_task* newtask) noexcept {
    if (newtask != nullptr && short_cut::create_to_be_stolen(simple_caller(), pool, entry, argument,
                                                             the_defaults.tasklet[true], newtask))
        LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return create_tasklet_anywhere(pool, entry, argument, newtask);
}

int create_many(int count, ABT_pool* pools, void (**functions)(void*), void** arguments,
                ABT_thread_attr attr, ABT_thread* made) noexcept {
    const list_of_units wanted{count, pools, functions, arguments, made};
    const bool plain = wanted.made != nullptr && is_null(attr) && is_known_null(attr);
    for (int next = 0;; ++next) {
        if (plain) LAZULT_LIKELY {
            next = create_in_lane(wanted, create_in_private_pool(wanted, next));
        }
        if (next >= wanted.count) {
            return ABT_SUCCESS;
        }
        sched::ready_pool* home = checked_pool(wanted.pools[next]);
        if (home == nullptr) {
            return ABT_ERR_INV_POOL;
        }
        const int code = create_ult_in(*home, wanted.functions[next], wanted.argument(next), attr,
                                       wanted.made == nullptr ? nullptr : &wanted.made[next]);
        if (code != ABT_SUCCESS) {
            return code;
        }
    }
}

}  // namespace lazult::abt
