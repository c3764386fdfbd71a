// SPDX-License-Identifier: BSD-3-Clause
#include "tasks/caller.hpp"

#include <new>

#include "environment/environment.hpp"
#include "spare_list.hpp"
#include "tasks/implicit_task.hpp"
#include "threads/end_of_thread.hpp"

namespace lazult::omp {
namespace {

// The initial context of an OS thread or of another door's ULT. When this has ended, the object
// waits for another one.
struct foreign_context : initial_context {
    foreign_context* next = nullptr;
};

using spare_contexts = spare_list<foreign_context, &foreign_context::next>;

spare_contexts& unused_contexts() noexcept { return base::the_only<spare_contexts>(); }

foreign_context& take_context(const icvs& first) {
    foreign_context* const found = unused_contexts().take();
    foreign_context& fresh = found != nullptr ? *found : *new foreign_context;
    fresh.begin(first);
    return fresh;
}

void give_back(void* context) { unused_contexts().keep(static_cast<foreign_context*>(context)); }

// --- OS threads

thread_local foreign_context* this_threads [[gnu::tls_model("initial-exec")]] = nullptr;

const end_of_thread foreign_thread_ends([](void* context) {
    this_threads = nullptr;
    give_back(context);
});

// Gives the calling OS thread a context when it first uses OpenMP.
LAZULT_NOINLINE foreign_context& begin_os_thread() {
    foreign_context& fresh = take_context(variables().first);
    this_threads = &fresh;
    foreign_thread_ends.announce_to(&fresh);
    return fresh;
}

// Not inlined, because a unit may resume on another OS thread, which has another `this_threads`.
LAZULT_NOINLINE foreign_context& context_of_os_thread() noexcept {
    foreign_context* const own = this_threads;
    return own != nullptr ? *own : begin_os_thread();
}

// --- other doors' ULTs

core::local_key key() noexcept {
    static const core::local_key made = core::create_local_key(give_back);
    return made;
}

// A main thread that has become a ULT keeps the variables that it has set.
const icvs& first_variables(const worker& w, const work_unit& u) {
    return u.stk == &w.thread_stack ? context_of_os_thread().initial.implicit.variables
                                    : variables().first;
}

// Gives a ULT a context when it first uses OpenMP.
LAZULT_NOINLINE foreign_context& begin_ult(const worker& w, work_unit& u) {
    foreign_context& fresh = take_context(first_variables(w, u));
    if (!core::set_local(u, key(), &fresh)) {
        base::fatal_misuse("OpenMP", "no memory for what a ULT has outside of regions",
                           "run fewer ULTs at once");
    }
    return fresh;
}

}  // namespace

void forget_spare_contexts() noexcept { new (&unused_contexts()) spare_contexts; }

// A scheduler's own code counts as its OS thread's.
unit_data& data_of_foreign() noexcept {
    const worker* w = core::this_worker_or_null();
    work_unit* u = w == nullptr ? nullptr : w->current;
    if (u == nullptr || w->here == nullptr || u == w->here->self_unit()) {
        return context_of_os_thread().part;
    }
    void* own = u->locals == nullptr ? nullptr : core::get_local(*u, key());
    return own != nullptr ? static_cast<foreign_context*>(own)->part : begin_ult(*w, *u).part;
}

}  // namespace lazult::omp
