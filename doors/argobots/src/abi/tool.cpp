// SPDX-License-Identifier: BSD-3-Clause
// Tools that listen to the events of units.
#include "units/tool.hpp"

using namespace lazult::abt;

extern "C" {

int ABT_tool_register_thread_callback(ABT_tool_thread_callback_fn cb_func, uint64_t event_mask,
                                      void* user_arg) {
    ABT_GIVE_UP_UNLESS(tool::is_available(), ABT_ERR_FEATURE_NA);
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    const std::uint64_t events = cb_func == nullptr ? 0 : event_mask & ABT_TOOL_EVENT_THREAD_ALL;
    const caller me = this_caller();
    if (events != 0 && me.is_ult() && has_bit(*me.unit, abt_primary)) {
        core::watch(*me.unit);
    }
    tool::listen(cb_func, user_arg, events);
    return ABT_SUCCESS;
}

int ABT_tool_query_thread(ABT_tool_context context, uint64_t, ABT_tool_query_kind query_kind,
                          void* val) {
    ABT_GIVE_UP_UNLESS(tool::is_available(), ABT_ERR_FEATURE_NA);
    const int outcome = tool::query(context, query_kind, val);
    ABT_GIVE_UP_UNLESS(outcome != ABT_ERR_INV_TOOL_CONTEXT, outcome);
    return outcome;
}

}  // extern "C"
