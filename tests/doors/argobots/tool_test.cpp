// SPDX-License-Identifier: BSD-3-Clause
// What tools get to know of units.
#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace lazult::testing {
namespace {

// Before anything reads the settings. That there are no tools by default is in numbers/library.c.
const int has_tools = setenv("LAZULT_ABT_TOOLS", "on", 1);

// The events of each unit in their order, as letters.
class recorder {
public:
    recorder() {
        EXPECT_EQ(ABT_tool_register_thread_callback(note, ABT_TOOL_EVENT_THREAD_ALL, this),
                  ABT_SUCCESS);
    }
    recorder(const recorder&) = delete;
    recorder& operator=(const recorder&) = delete;
    ~recorder() { EXPECT_EQ(ABT_tool_register_thread_callback(nullptr, 0, nullptr), ABT_SUCCESS); }

    std::string of(ABT_thread unit) {
        const std::scoped_lock guard(lock_);
        return told_[unit];
    }
    // Of all units that have ended and are freed.
    std::vector<std::string> freed() {
        const std::scoped_lock guard(lock_);
        std::vector<std::string> sorted = freed_;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }
    ABT_sync_event_type last_reason() const { return reason_; }
    void* last_object() const { return object_; }

private:
    static char letter_of(std::uint64_t event) { return "CJFVRfcYSU"[__builtin_ctzll(event)]; }

    static void note(ABT_thread unit, ABT_xstream, std::uint64_t event, ABT_tool_context context,
                     void* self) {
        static_cast<recorder*>(self)->add(unit, event, context);
    }
    void add(ABT_thread unit, std::uint64_t event, ABT_tool_context context) {
        const std::scoped_lock guard(lock_);
        told_[unit] += letter_of(event);
        if (event == ABT_TOOL_EVENT_THREAD_FREE) {
            freed_.push_back(told_[unit]);
            told_[unit].clear();
        }
        if (event == ABT_TOOL_EVENT_THREAD_SUSPEND) {
            EXPECT_EQ(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE,
                                            &reason_),
                      ABT_SUCCESS);
            EXPECT_EQ(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE,
                                            &object_),
                      ABT_SUCCESS);
        }
        int depth = -1;
        EXPECT_EQ(ABT_tool_query_thread(context, event, ABT_TOOL_QUERY_KIND_STACK_DEPTH, &depth),
                  ABT_SUCCESS);
        EXPECT_GE(depth, 0);
        EXPECT_EQ(
            ABT_tool_query_thread(context, event, static_cast<ABT_tool_query_kind>(6), &depth),
            ABT_ERR_OTHER);
    }

    std::mutex lock_;
    std::map<ABT_thread, std::string> told_;
    std::vector<std::string> freed_;
    ABT_sync_event_type reason_ = ABT_SYNC_EVENT_TYPE_UNKNOWN;
    void* object_ = nullptr;
};

TEST(tool, needs_a_runtime) {
    EXPECT_EQ(has_tools, 0);
    EXPECT_EQ(ABT_tool_register_thread_callback(nullptr, 0, nullptr), ABT_ERR_UNINITIALIZED);
}

TEST(tool, is_reported_as_enabled) {
    const runtime r;
    ABT_bool told = ABT_FALSE;
    EXPECT_EQ(ABT_info_query_config(ABT_INFO_QUERY_KIND_ENABLED_TOOL, &told), ABT_SUCCESS);
    EXPECT_EQ(told, ABT_TRUE);
}

TEST(tool, hears_of_a_units_life) {
    const runtime r;
    recorder heard;
    ABT_thread t = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_thread_create(
                  r.pool(0), [](void*) { ABT_thread_yield(); }, nullptr, ABT_THREAD_ATTR_NULL, &t),
              ABT_SUCCESS);
    EXPECT_EQ(heard.of(t), "C");
    ABT_thread_yield();
    EXPECT_EQ(heard.of(t), "CRY");
    EXPECT_EQ(ABT_thread_join(t), ABT_SUCCESS);
    EXPECT_EQ(heard.of(t), "CRYRfJ");
    EXPECT_EQ(ABT_thread_revive(r.pool(0), [](void*) {}, nullptr, &t), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(heard.freed(), std::vector<std::string>{"CRYRfJVRfJF"});
}

TEST(tool, hears_why_a_unit_waits) {
    const runtime r;
    recorder heard;
    ABT_eventual_memory memory = ABT_EVENTUAL_INITIALIZER;
    ABT_eventual e = ABT_EVENTUAL_MEMORY_GET_HANDLE(&memory);
    crowd all;
    ABT_thread t =
        all.ult(r.pool(0), [e] { EXPECT_EQ(ABT_eventual_wait(e, nullptr), ABT_SUCCESS); });
    ABT_thread_yield();
    EXPECT_EQ(heard.of(t), "CRS");
    EXPECT_EQ(heard.last_reason(), ABT_SYNC_EVENT_TYPE_EVENTUAL);
    EXPECT_EQ(heard.last_object(), static_cast<void*>(e));
    EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS);
    EXPECT_EQ(heard.of(t), "CRSU");
    all.join();
    EXPECT_EQ(heard.freed(), std::vector<std::string>{"CRSURfJF"});
}

void wait_for_another(ABT_pool p) {
    ABT_eventual_memory memory = ABT_EVENTUAL_INITIALIZER;
    ABT_eventual e = ABT_EVENTUAL_MEMORY_GET_HANDLE(&memory);
    crowd other;
    other.ult(p, [e] { EXPECT_EQ(ABT_eventual_set(e, nullptr, 0), ABT_SUCCESS); });
    EXPECT_EQ(ABT_eventual_wait(e, nullptr), ABT_SUCCESS);
}

// The child is older than the tool, so it is called in place, and its wait takes its joiner along.
TEST(tool, hears_of_a_unit_that_has_joined_one_which_it_never_heard_of) {
    const runtime r;
    crowd older;
    const ABT_pool p = r.pool(0);
    older.ult(p, [p] { wait_for_another(p); });
    recorder heard;
    older.join();
    ABT_thread self = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_self_get_thread(&self), ABT_SUCCESS);
    const std::string before = heard.of(self);
    wait_for_another(p);
    EXPECT_EQ(heard.of(self), before + "SUR");
}

TEST(tool, hears_of_units_without_a_name_and_of_those_that_never_run) {
    const runtime r;
    recorder heard;
    ABT_thread t = ABT_THREAD_NULL;
    EXPECT_EQ(ABT_task_create(r.pool(0), [](void*) {}, nullptr, nullptr), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_create(
                  r.pool(0), [](void*) { FAIL(); }, nullptr, ABT_THREAD_ATTR_NULL, &t),
              ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_cancel(t), ABT_SUCCESS);
    ABT_thread_yield();
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(heard.freed(), (std::vector<std::string>{"CRfF", "CcJF"}));
}

TEST(tool, sees_real_functions_and_arguments) {
    const runtime r;
    const recorder heard;
    int argument = 0;
    ABT_thread t = ABT_THREAD_NULL;
    void (*const function)(void*) = [](void* a) { *static_cast<int*>(a) = 1; };
    EXPECT_EQ(ABT_thread_create(r.pool(0), function, &argument, ABT_THREAD_ATTR_NULL, &t),
              ABT_SUCCESS);
    void (*its_function)(void*) = nullptr;
    void* its_argument = nullptr;
    EXPECT_EQ(ABT_thread_get_thread_func(t, &its_function), ABT_SUCCESS);
    EXPECT_EQ(ABT_thread_get_arg(t, &its_argument), ABT_SUCCESS);
    EXPECT_EQ(its_function, function);
    EXPECT_EQ(its_argument, &argument);
    EXPECT_EQ(ABT_thread_free(&t), ABT_SUCCESS);
    EXPECT_EQ(argument, 1);
}

TEST(tool, all_lives_are_whole_on_several_streams) {
    const runtime r(2);
    recorder heard;
    ABT_mutex_memory memory = ABT_MUTEX_INITIALIZER;
    ABT_mutex m = ABT_MUTEX_MEMORY_GET_HANDLE(&memory);
    crowd all;
    for (int i = 0; i < 30; ++i) {
        all.ult(r.pool(i % 3), [&r, m] {
            crowd children;
            children.ult(r.pool(0), [m] {
                ABT_mutex_lock(m);
                ABT_thread_yield();
                ABT_mutex_unlock(m);
            });
            children.tasklet(r.pool(1), [] {});
        });
    }
    all.join();
    const std::vector<std::string> lives = heard.freed();
    EXPECT_EQ(lives.size(), 90U);
    for (const std::string& life : lives) {
        EXPECT_EQ(life.substr(0, 2), "CR");
        EXPECT_EQ(life.substr(life.size() - 3), "fJF") << life;
        for (std::size_t i = 1; i + 3 < life.size(); ++i) {
            EXPECT_TRUE((life[i] == 'R') ==
                        (life[i - 1] == 'C' || life[i - 1] == 'Y' || life[i - 1] == 'U'))
                << life;
        }
    }
}

}  // namespace
}  // namespace lazult::testing
