// SPDX-License-Identifier: BSD-3-Clause
// What the file of a trace says of units that few programs have: names of all sorts, starts that
// never come, events that found no room. tests/tools/trace_test.py looks at whole programs.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "lazult/watch/trace_file.hpp"
#include "tests/support/runtime.hpp"
#include "tests/support/scarcity.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

base::settings traced(unsigned streams, unsigned events = 10'000) {
    base::settings s = settings_for(streams);
    for (const base::setting_definition& row : base::setting_table()) {
        if (std::string(row.variable) == "LAZULT_TRACE") {
            s.trace = static_cast<std::uint32_t>(base::parse_setting(row, "/dev/null").value());
        }
    }
    s.trace_events = events;
    s.trace_every = 1;
    return s;
}

std::string written() {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    EXPECT_NE(file, nullptr);
    EXPECT_TRUE(watch::write_trace(file.get()));
    std::string text(static_cast<std::size_t>(std::ftell(file.get())), '\0');
    std::rewind(file.get());
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file.get()), text.size());
    return text;
}

bool contains(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

// By another test in this process.
bool has_its_room_already() {
    return core::this_worker().tracing.buffer.load(std::memory_order_relaxed) != nullptr;
}

std::size_t times(const std::string& text, const char* what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++count;
    }
    return count;
}

// Runs a unit with this function.
void run(core::entry_function entry) {
    worker& w = core::this_worker();
    work_unit* u =
        core::prepare(w, pinned(), entry, nullptr, core::unit_attributes(technique::lazy_stack));
    core::launch(w, u);
    EXPECT_EQ(core::join(u), status::ok);
    core::dispose(&w, u);
}

TEST(trace_file, names_functions_as_well_as_the_linker_knows_them) {
    const runtime running(traced(1));
    run(reinterpret_cast<core::entry_function>(&std::free));
    run(static_cast<core::entry_function>(&operator delete));
    run([](void*) {});  // of this file alone
    // One that lies nowhere, and is never called.
    worker& w = core::this_worker();
    work_unit* u =
        core::prepare(w, pinned(), reinterpret_cast<core::entry_function>(std::uintptr_t{64}),
                      nullptr, core::unit_attributes(technique::lazy_stack));
    core::cancel(*u);
    core::launch(w, u);
    EXPECT_EQ(core::join(u), status::ok);
    core::dispose(&w, u);
    const std::string text = written();
    EXPECT_TRUE(contains(text, "\"entry\":\"?\""));
    EXPECT_TRUE(contains(text, "free\"")) << text;
    EXPECT_TRUE(contains(text, "operator delete(void*)") || contains(text, "_ZdlPv") ||
                contains(text, "+0x"));
    EXPECT_TRUE(contains(text, "+0x"));
}

TEST(trace_file, has_strings_as_json_wants_them) {
    char name[] = "a \"b\" \\ \x01";
    char* const before = std::exchange(program_invocation_short_name, name);
    const runtime running(traced(1));
    const std::string text = written();
    program_invocation_short_name = before;
    EXPECT_TRUE(contains(text, R"(a \"b\" \\ ?)")) << text.substr(0, 300);
}

TEST(trace_file, tells_why_units_leave) {
    const runtime running(traced(2));
    core::pool& elsewhere = *sched::stream_at(1)->pinned();
    unit u = spawn(pinned(), technique::lazy_stack, [&] {
        core::yield();
        core::migrate(*core::current_unit(), elsewhere);
        core::yield();
        suspend_for_a_moment();
    });
    EXPECT_EQ(u.join(), status::ok);
    const std::string text = written();
    EXPECT_TRUE(contains(text, "\"left\":\"migration\""));
    EXPECT_TRUE(contains(text, "\"left\":\"wait\""));
}

TEST(trace_file, tells_of_units_that_found_no_stack) {
    if (has_its_room_already()) {
        GTEST_SKIP() << "room for this thread's events is made once";
    }
    in_child([] {
        const runtime running(traced(1, 200'000));
        std::atomic<bool> may_end{false};
        std::vector<unit> all;
        all.reserve(300);
        for (int i = 0; i < 300; ++i) {
            all.emplace_back(pinned(), core::unit_attributes(technique::lazy_stack), [&] {
                while (!may_end.load()) {
                    core::yield();
                }
            });
        }
        let_the_scheduler_have_its_stack();  // and the trace its memory
        if (!limit_addresses(std::size_t{12} << 20)) {
            return false;
        }
        for (unit& u : all) {
            u.launch();
        }
        core::yield();
        core::yield();
        may_end = true;
        for (unit& u : all) {
            EXPECT_EQ(u.join(), status::ok);
        }
        lift_limit_on_addresses();
        const std::string text = written();
        // Each time that one is tried is a start, which ends at once where there is none.
        const std::size_t in_vain = times(text, "\"left\":\"no stack\"");
        EXPECT_GT(in_vain, 0U);
        EXPECT_EQ(times(text, "\"how\":\"starts"), all.size() + in_vain + 1)
            << "the primary one began, too";
        return true;
    });
}

// The creator's events have no room any more, those of the stream that runs the units have.
TEST(trace_file, tells_of_units_without_an_event_of_their_creation) {
    if (has_its_room_already()) {
        GTEST_SKIP() << "room for this thread's events is made once";
    }
    const runtime running(traced(2, 16));
    for (int i = 0; i < 20; ++i) {
        run([](void*) {});
    }
    for (int i = 0; i < 3; ++i) {
        std::vector<unit> all;
        for (int k = 0; k < 20; ++k) {
            all.push_back(spawn(*sched::stream_at(1)->pinned(),
                                suspending_techniques[static_cast<std::size_t>(k) % 6],
                                [] { suspend_for_a_moment(); }));
        }
        for (unit& u : all) {
            EXPECT_EQ(u.join(), status::ok);
        }
    }
    const std::string text = written();
    EXPECT_FALSE(contains(text, "\"dropped_events\": 0, \"events_kept"));
    EXPECT_TRUE(contains(text, "\"ult\":0,"));
}

TEST(trace_file, is_given_up_without_memory) {
    if (probe::tsan) {
        GTEST_SKIP() << "its library lets nobody replace operator new";
    }
    const runtime running(traced(1));
    run([](void*) {});
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    ASSERT_NE(file, nullptr);
    EXPECT_GE(refusals_until([&] { return watch::write_trace(file.get()); }), 1);
}

}  // namespace
