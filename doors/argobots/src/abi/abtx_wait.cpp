// SPDX-License-Identifier: BSD-3-Clause
// Waits for the first of several events, and joins with a deadline.
#include <abtx.h>

#include <vector>

#include "sync/deadline.hpp"
#include "sync/eventual.hpp"
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

// Returns the unit, or nullptr if the caller may not wait for it.
work_unit* checked_child(ABT_thread handle, const caller& me) noexcept {
    work_unit* u = checked_thread(handle);
    const bool has_an_end =
        u != nullptr && is_named(*u) && !has_bit(*u, abt_primary | abt_main_scheduler);
    return has_an_end && u != me.unit ? u : nullptr;
}

void tell_of_join(work_unit& u) noexcept {
    if (tools_are_on()) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_JOIN, u);
    }
}

// The items of the caller's list that are not null, and their positions in that list.
class selection {
public:
    explicit selection(const caller& me) noexcept : me_(me) {}

    int add_thread(ABT_thread handle, int position) {
        if (is_null(handle)) {
            return ABT_SUCCESS;
        }
        work_unit* u = checked_child(handle, me_);
        if (u == nullptr) {
            return ABT_ERR_INV_THREAD;
        }
        add(sync::choice::finished(u), position);
        return ABT_SUCCESS;
    }
    int add_eventual(ABT_eventual handle, int position) {
        if (is_null(handle)) {
            return ABT_SUCCESS;
        }
        sync::event_cell* e = checked_eventual(handle);
        if (e == nullptr) {
            return ABT_ERR_INV_EVENTUAL;
        }
        has_eventuals_ = true;
        add(sync::choice::set(*e), position);
        return ABT_SUCCESS;
    }
    int add_item(const ABTX_wait_item& item, int position) {
        switch (number_of(item.kind)) {
            case ABTX_WAIT_THREAD: return add_thread(item.handle.thread, position);
            case ABTX_WAIT_EVENTUAL: return add_eventual(item.handle.eventual, position);
        }
        return ABT_ERR_INV_ARG;
    }

    bool is_empty() const noexcept { return choices_.empty(); }

    int wait(std::int64_t deadline, int* index) {
        if (me_.is_tasklet() && has_eventuals_) {
            deadline = 0;  // a tasklet may only test eventuals
        }
        if (me_.is_ult() && !can_wait_until(deadline)) {
            return ABT_ERR_MEM;
        }
        const sync::any_result result = wait_until(deadline);
        if (result.outcome != base::status::ok) {
            return why_not(result.outcome);
        }
        const sync::choice& chosen = choices_[result.index];
        if (chosen.what() == sync::choice::kind::finished) {
            tell_of_join(chosen.object<work_unit>());
        }
        *index = positions_[result.index];
        return ABT_SUCCESS;
    }

private:
    void add(const sync::choice& what, int position) {
        choices_.push_back(what);
        positions_.push_back(position);
    }
    sync::any_result wait_until(std::int64_t deadline) {
        const waiting scope(me_, ABT_SYNC_EVENT_TYPE_OTHER, nullptr);
        return sync::wait_any(choices_, deadline);
    }
    int why_not(base::status outcome) const noexcept {
        if (me_.is_tasklet() && has_eventuals_) {
            return ABT_ERR_EVENTUAL;
        }
        return to_code(outcome, ABT_ERR_INV_THREAD);
    }

    const caller& me_;
    std::vector<sync::choice> choices_;
    std::vector<int> positions_;
    bool has_eventuals_ = false;
};

int join_any(int count, const ABT_thread* list, int* index) {
    const caller me = this_caller();
    selection all(me);
    for (int i = 0; i < count; ++i) {
        if (const int code = all.add_thread(list[i], i); code != ABT_SUCCESS) {
            return code;
        }
    }
    return all.is_empty() ? ABT_ERR_INV_THREAD : all.wait(sync::no_deadline, index);
}

int wait_any(int count, const ABTX_wait_item* items, std::int64_t deadline, int* index) {
    const caller me = this_caller();
    selection all(me);
    for (int i = 0; i < count; ++i) {
        if (const int code = all.add_item(items[i], i); code != ABT_SUCCESS) {
            return code;
        }
    }
    return all.is_empty() ? ABT_ERR_INV_ARG : all.wait(deadline, index);
}

}  // namespace

extern "C" {

int ABTX_thread_timedjoin(ABT_thread thread, const struct timespec* abstime) {
    const caller me = this_caller();
    work_unit* u = checked_child(thread, me);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    ABT_GIVE_UP_UNLESS(is_valid(*abstime), ABT_ERR_INV_ARG);
    const std::int64_t deadline = deadline_of(*abstime);
    ABT_GIVE_UP_UNLESS(!me.is_ult() || can_wait_until(deadline), ABT_ERR_MEM);
    try {
        const waiting scope(me, ABT_SYNC_EVENT_TYPE_THREAD_JOIN, u);
        const base::status outcome = sync::join_until(u, deadline);
        if (outcome != base::status::ok) {
            return to_code(outcome, ABT_ERR_INV_THREAD);
        }
    } catch (const std::bad_alloc&) {
        return refuse(ABT_ERR_MEM, __func__);
    }
    tell_of_join(*u);
    return ABT_SUCCESS;
}

int ABTX_thread_join_any(int num_threads, const ABT_thread* thread_list, int* index) {
    *index = -1;
    ABT_GIVE_UP_UNLESS(num_threads >= 0, ABT_ERR_INV_ARG);
    try {
        return join_any(num_threads, thread_list, index);
    } catch (const std::bad_alloc&) {
        return refuse(ABT_ERR_MEM, __func__);
    }
}

int ABTX_wait_any(int num_items, const ABTX_wait_item* items, const struct timespec* abstime,
                  int* index) {
    *index = -1;
    ABT_GIVE_UP_UNLESS(num_items >= 0 && (abstime == nullptr || is_valid(*abstime)),
                       ABT_ERR_INV_ARG);
    const std::int64_t deadline = abstime == nullptr ? sync::no_deadline : deadline_of(*abstime);
    try {
        return wait_any(num_items, items, deadline, index);
    } catch (const std::bad_alloc&) {
        return refuse(ABT_ERR_MEM, __func__);
    }
}

}  // extern "C"
