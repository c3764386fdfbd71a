// SPDX-License-Identifier: BSD-3-Clause
// Joining, freeing, cancelling and exiting.
#include "threads/thread_join.hpp"

using namespace lazult::abt;

namespace {

int exit_caller(const char* function) {
    const caller me = this_caller();
    if (me.is_outside()) {
        return refuse(ABT_ERR_INV_XSTREAM, function);
    }
    if (!me.is_ult() || has_bit(*me.unit, abt_primary)) {
        return refuse(ABT_ERR_INV_THREAD, function);
    }
    core::exit_running();
}

}  // namespace

extern "C" {

int ABT_thread_join(ABT_thread thread) {
    return result(join_unit(thread, ABT_ERR_INV_THREAD), __func__);
}

int ABT_thread_join_many(int num_threads, ABT_thread* thread_list) {
    return join_many(num_threads, thread_list);
}

LAZULT_HOT int ABT_thread_free(ABT_thread* thread) { return free_ult(thread); }

int ABT_thread_free_many(int num_threads, ABT_thread* thread_list) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return free_many(num_threads, thread_list);
}

int ABT_thread_cancel(ABT_thread thread) {
    return result(cancel_thread(thread, ABT_ERR_INV_THREAD), __func__);
}

int ABT_thread_exit(void) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    return exit_caller(__func__);
}

int ABT_self_exit(void) { return exit_caller(__func__); }
}
