// SPDX-License-Identifier: BSD-3-Clause
#include "threads/thread_create.hpp"

#include "pools/pool.hpp"
#include "threads/quick.hpp"
#include "threads/thread_record.hpp"
#include "tools/tool.hpp"

namespace lazult::abt {

unit_defaults the_defaults;
constinit ds::default_atomics::atomic<std::uint64_t> header_of_quick_tasklets{0};

namespace {

LAZULT_ALWAYS_INLINE work_unit* prepare_bare(const birth& wanted,
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

// Of a unit that is not launched.
int discard(work_unit* u, int code) noexcept {
    free_unit(core::this_worker_or_null(), u);
    return code;
}

LAZULT_ALWAYS_INLINE int prepare_with(const birth& wanted, const core::unit_attributes& how,
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

// A page of the user's own memory is protected only if the user asked for that.
core::user_guard guard_of_users_stacks() noexcept {
    return base::current_settings().guard == base::guard_kind::mprotect ? core::user_guard::with
                                                                        : core::user_guard::without;
}

// A stack of the user's, for this unit alone.
int prepare_on_users_stack(const birth& wanted, const thread_attr_object& attr,
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

int prepare_by_attributes(const birth& wanted, const thread_attr_object& attr,
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

bool rehome(work_unit& u, core::pool& target) noexcept {
    if (associate(u, static_cast<sched::ready_pool&>(target)) != ABT_SUCCESS) {
        return false;
    }
    if (is_users_pool(target)) {
        set_context(u, push_context::migrate);
    }
    return true;
}

}  // namespace

core::technique default_technique() noexcept {
    const base::settings& s = base::current_settings();
    const bool lends_stacks = s.technique == core::technique::adaptive;
    return lends_stacks && s.guard == base::guard_kind::mprotect ? core::technique::lazy_stack
                                                                 : s.technique;
}

void become_unit(work_unit& u, std::uint16_t bits) noexcept {
    new (u.storage) thread_part;
    u.header.user_bits = static_cast<std::uint16_t>(abt_unit | bits);
}

void compose_thread_defaults() noexcept {
    const core::technique how = default_technique();
    const core::technique none = core::technique::run_to_completion;
    for (const bool named : {false, true}) {
        the_defaults.ult[named] = core::unit_attributes(how).user_bits(born_bits(how, named, true));
        the_defaults.tasklet[named] =
            core::unit_attributes(none).user_bits(born_bits(none, named, true));
    }
    choose_quick_tasklets();
    core::register_belongings(abt_unit, dispose_belongings);
    core::register_rehoming(abt_unit, rehome);
}

void choose_quick_tasklets() noexcept {
    const core::unit_attributes& how = the_defaults.tasklet[true];
    const auto header = std::bit_cast<std::uint64_t>(how.header());
    const bool is_plain = how.what() == core::unit_attributes::kind::plain;
    header_of_quick_tasklets.store(tools_are_on() || !is_plain ? 0 : header,
                                   std::memory_order_relaxed);
}

int prepare_ult(const birth& wanted, ABT_thread_attr attr, work_unit*& made) noexcept {
    note_null(attr);
    if (is_null(attr)) LAZULT_LIKELY {
        return prepare_with(wanted, the_defaults.ult[wanted.named], made);
    }
    const auto* a = checked<thread_attr_object>(attr);
    return a == nullptr ? ABT_ERR_INV_THREAD_ATTR : prepare_by_attributes(wanted, *a, made);
}

int prepare_tasklet(const birth& wanted, work_unit*& made) noexcept {
    return prepare_with(wanted, the_defaults.tasklet[wanted.named], made);
}

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

namespace {

LAZULT_NOINLINE int create(sched::ready_pool& home, core::entry_function entry, void* argument,
                           ABT_thread_attr attr, ABT_thread* newthread) noexcept {
    work_unit* u = nullptr;
    const int code = prepare_ult({home, entry, argument, newthread != nullptr}, attr, u);
    if (code != ABT_SUCCESS) LAZULT_UNLIKELY {
        return code;
    }
    if (newthread != nullptr) {
        *newthread = to_handle(u);
    }
    launch(u);
    return ABT_SUCCESS;
}

LAZULT_NOINLINE int create_in(ABT_pool pool, core::entry_function entry, void* argument,
                              ABT_thread_attr attr, ABT_thread* newthread) noexcept {
    sched::ready_pool* home = checked_pool(pool);
    note_null(attr);
    if (newthread != nullptr) {
        *newthread = as_null(ABT_THREAD_NULL);
    }
    const int code = !is_initialized() ? ABT_ERR_UNINITIALIZED
                     : home == nullptr ? ABT_ERR_INV_POOL
                                       : create(*home, entry, argument, attr, newthread);
    return code == ABT_SUCCESS ? code : refuse(code, "ABT_thread_create");
}

// With no attributes, for a handle.
LAZULT_NOINLINE LAZULT_HOT int create_elsewhere(ABT_pool pool, core::entry_function entry,
                                                void* argument, ABT_thread_attr attr,
                                                ABT_thread* newthread) noexcept {
    if (quick::create_to_be_stolen(quick::simple_caller(), pool, entry, argument,
                                   the_defaults.ult[true], newthread)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return create_in(pool, entry, argument, attr, newthread);
}

// As launch(), but the caller gives way to it.
void launch_at_once(const caller& me, work_unit* u) {
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_CREATE, *u);
    }
    if (!is_named(*u)) {
        u->join.reset_detached();
    }
    give_way_to_child(me, u, push_context::create_to);
}

bool holds_stack(ABT_thread_attr attr) noexcept {
    const auto* a = checked<thread_attr_object>(attr);
    return a != nullptr && a->stack_base != nullptr;
}

}  // namespace

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

}  // namespace lazult::abt

using namespace lazult::abt;

namespace {

// What ABT_thread_create_many() is given.
struct list_of_units {
    int count;
    ABT_pool* pools;
    void (**functions)(void*);
    void** arguments;  // nullptr: none has one
    ABT_thread* made;

    void* argument(int number) const noexcept {
        return arguments == nullptr ? nullptr : arguments[number];
    }
};

// These create the units from the given one on, in the order of the list, as long as their pools
// are the caller's own, private or open to thieves. They return the number of the first one that is
// still to be created.
LAZULT_ALWAYS_INLINE int create_in_private_pool(const list_of_units wanted, int next) noexcept {
    worker* const w = quick::simple_caller();
    if (w == nullptr) LAZULT_UNLIKELY {
        return next;
    }
    while (next < wanted.count &&
           quick::create(w, wanted.pools[next], wanted.functions[next], wanted.argument(next),
                         the_defaults.ult[true], &wanted.made[next])) {
        ++next;
    }
    return next;
}
LAZULT_NOINLINE int create_in_lane(const list_of_units wanted, int next) noexcept {
    worker* const w = quick::simple_caller();
    if (w == nullptr) LAZULT_UNLIKELY {
        return next;
    }
    while (next < wanted.count &&
           quick::create_to_be_stolen(w, wanted.pools[next], wanted.functions[next],
                                      wanted.argument(next), the_defaults.ult[true],
                                      &wanted.made[next])) {
        ++next;
    }
    return next;
}

}  // namespace

extern "C" {

LAZULT_HOT int ABT_thread_create(ABT_pool pool, void (*thread_func)(void*), void* arg,
                                 ABT_thread_attr attr, ABT_thread* newthread) {
    if (newthread == nullptr || !is_null(attr) || !is_known_null(attr)) LAZULT_UNLIKELY {
        return create_in(pool, thread_func, arg, attr, newthread);
    }
    if (quick::create(quick::simple_caller(), pool, thread_func, arg, the_defaults.ult[true],
                      newthread)) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    return create_elsewhere(pool, thread_func, arg, attr, newthread);
}

int ABT_thread_create_to(ABT_pool pool, void (*thread_func)(void*), void* arg, ABT_thread_attr attr,
                         ABT_thread* newthread) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    sched::ready_pool* home = checked_pool(pool);
    ABT_GIVE_UP_UNLESS(home != nullptr, ABT_ERR_INV_POOL);
    const caller me = who();
    ABT_GIVE_UP_UNLESS(!me.is_outside(), ABT_ERR_INV_XSTREAM);
    ABT_GIVE_UP_UNLESS(me.is_ult(), ABT_ERR_INV_THREAD);
    work_unit* u = nullptr;
    const int code = prepare_ult({*home, thread_func, arg, newthread != nullptr}, attr, u);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    if (newthread != nullptr) {
        *newthread = to_handle(u);
    }
    launch_at_once(me, u);
    return ABT_SUCCESS;
}

int ABT_thread_create_on_xstream(ABT_xstream xstream, void (*thread_func)(void*), void* arg,
                                 ABT_thread_attr attr, ABT_thread* newthread) {
    if (newthread != nullptr) {
        *newthread = as_null(ABT_THREAD_NULL);
    }
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const xstream_object* x = checked_xstream(xstream);
    ABT_GIVE_UP_UNLESS(x != nullptr, ABT_ERR_INV_XSTREAM);
    const int code = create(*main_pool_of(*x), thread_func, arg, attr, newthread);
    ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    return ABT_SUCCESS;
}

int ABT_thread_create_many(int num_threads, ABT_pool* pool_list, void (**thread_func_list)(void*),
                           void** arg_list, ABT_thread_attr attr, ABT_thread* newthread_list) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    ABT_GIVE_UP_UNLESS(!holds_stack(attr), ABT_ERR_INV_THREAD_ATTR);
    const list_of_units wanted{num_threads, pool_list, thread_func_list, arg_list, newthread_list};
    const bool plain = newthread_list != nullptr && is_null(attr) && is_known_null(attr);
    for (int next = 0;; ++next) {
        if (plain) LAZULT_LIKELY {
            next = create_in_lane(wanted, create_in_private_pool(wanted, next));
        }
        if (next >= num_threads) {
            return ABT_SUCCESS;
        }
        sched::ready_pool* home = checked_pool(pool_list[next]);
        ABT_GIVE_UP_UNLESS(home != nullptr, ABT_ERR_INV_POOL);
        const int code = create(*home, thread_func_list[next], wanted.argument(next), attr,
                                newthread_list == nullptr ? nullptr : &newthread_list[next]);
        ABT_GIVE_UP_UNLESS(code == ABT_SUCCESS, code);
    }
}
}
