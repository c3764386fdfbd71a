// SPDX-License-Identifier: BSD-3-Clause
// Queries about the library's features and settings.
#include "settings/environment.hpp"
#include "units/tool.hpp"

namespace {

using namespace lazult::abt;
namespace arch = lazult::arch;

// Writes an answer. T is the type of the answer, and exactly sizeof(T) bytes are written.
template <class T>
int answer(void* val, T value) noexcept {
    *static_cast<T*>(val) = value;
    return ABT_SUCCESS;
}

int yes(void* val) noexcept { return answer<ABT_bool>(val, ABT_TRUE); }
int no(void* val) noexcept { return answer<ABT_bool>(val, ABT_FALSE); }
int whether(bool condition, void* val) noexcept { return condition ? yes(val) : no(val); }

int answer_of_settings(int kind, void* val) noexcept {
    const base::settings& now = base::current_settings();
    const environment& asked = current_environment();
    switch (kind) {
        case ABT_INFO_QUERY_KIND_ENABLED_PRINT_ERRNO: return whether(refusals_are_printed(), val);
        case ABT_INFO_QUERY_KIND_ENABLED_PRINT_CONFIG: return whether(asked.print_config, val);
        case ABT_INFO_QUERY_KIND_ENABLED_AFFINITY: return whether(asked.affinity, val);
        case ABT_INFO_QUERY_KIND_MAX_NUM_XSTREAMS: return answer<unsigned>(val, asked.max_xstreams);
        case ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE:
            return answer<std::size_t>(val, now.stack_size);
        case ABT_INFO_QUERY_KIND_DEFAULT_SCHED_STACKSIZE:
            return answer<std::size_t>(val, now.scheduler_stack_bytes());
        case ABT_INFO_QUERY_KIND_DEFAULT_SCHED_EVENT_FREQ:
            return answer<std::uint64_t>(val, now.event_period);
        case ABT_INFO_QUERY_KIND_DEFAULT_SCHED_SLEEP_NSEC:
            return answer<std::uint64_t>(val, asked.sched_sleep_ns);
        case ABT_INFO_QUERY_KIND_ENABLED_STACK_OVERFLOW_CHECK:
            return answer<int>(val, asked.stack_overflow_check);
        default: return ABT_ERR_INV_QUERY_KIND;
    }
}

}  // namespace

extern "C" int ABT_info_query_config(ABT_info_query_kind query_kind, void* val) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    switch (number_of(query_kind)) {
        case ABT_INFO_QUERY_KIND_ENABLED_DEBUG:
        case ABT_INFO_QUERY_KIND_ENABLED_LOG:
        case ABT_INFO_QUERY_KIND_ENABLED_VALGRIND:
        case ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_PRODUCER:
        case ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_CONSUMER: return no(val);
        case ABT_INFO_QUERY_KIND_ENABLED_CHECK_ERROR:
        case ABT_INFO_QUERY_KIND_ENABLED_PRESERVE_FPU:
        case ABT_INFO_QUERY_KIND_ENABLED_THREAD_CANCEL:
        case ABT_INFO_QUERY_KIND_ENABLED_TASK_CANCEL:
        case ABT_INFO_QUERY_KIND_ENABLED_MIGRATION:
        case ABT_INFO_QUERY_KIND_ENABLED_STACKABLE_SCHED:
        case ABT_INFO_QUERY_KIND_ENABLED_EXTERNAL_THREAD:
        case ABT_INFO_QUERY_KIND_ENABLED_SCHED_SLEEP:
        case ABT_INFO_QUERY_KIND_DYNAMIC_PROMOTION:
        case ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND:
        case ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC: return yes(val);
        case ABT_INFO_QUERY_KIND_ENABLED_TOOL: return whether(tool::is_available(), val);
        case ABT_INFO_QUERY_KIND_FCONTEXT: return whether(arch::switches_in_tail_position, val);
        case ABT_INFO_QUERY_KIND_WAIT_POLICY: return answer<int>(val, 0);
        default: {
            const int outcome = answer_of_settings(number_of(query_kind), val);
            return outcome == ABT_SUCCESS ? outcome : refuse(outcome, __func__);
        }
    }
}
