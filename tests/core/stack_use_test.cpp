// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/stack_use.hpp"

#include <gtest/gtest.h>

#include <alloca.h>

#include <cstring>
#include <optional>
#include <vector>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

constexpr std::size_t kib = 1024;

// What a unit that does nothing may use, at its start and its end. Sanitizers have large frames.
constexpr std::size_t nothing = (probe::asan || probe::tsan ? 8 : 2) * kib;
// The same, and the loader when a function is called first.
constexpr std::size_t frames = 8 * kib + nothing;

base::settings measuring(unsigned streams = 1) {
    base::settings s = settings_for(streams);
    s.stack_use = base::output_on;
    return s;
}

[[gnu::noinline]] void use_stack(std::size_t bytes) {
    void* const memory = alloca(bytes);
    std::memset(memory, 7, bytes);
    asm volatile("" : : "r"(memory) : "memory");
}

// Entry functions of their own, because a row is for one of them.
template <int Number>
void goes(void* bytes) {
    use_stack(reinterpret_cast<std::uintptr_t>(bytes));
}

work_unit* prepare(core::entry_function entry, std::size_t bytes,
                   const core::unit_attributes& how = core::unit_attributes()) {
    work_unit* const u = core::prepare(core::this_worker(), default_pool(), entry,
                                       reinterpret_cast<void*>(bytes), how);
    EXPECT_NE(u, nullptr);
    return u;
}

void run_prepared(work_unit* u) {
    core::launch(core::this_worker(), u);
    EXPECT_EQ(core::join(u), status::ok);
    core::dispose(core::this_worker_or_null(), u);
}

std::optional<core::stack_use> use_of(core::entry_function entry, std::size_t stack_bytes) {
    for (const core::stack_use& use : core::stack_uses()) {
        if (use.entry == entry && use.stack_bytes == stack_bytes) {
            return use;
        }
    }
    return std::nullopt;
}

TEST(stack_use, enough_is_depth_and_reserve_on_what_a_unit_may_use) {
    EXPECT_EQ(core::enough_stack(0), 8 * kib);  // 4 KiB of reserve, and 4 that are not the unit's
    EXPECT_EQ(core::enough_stack(1), 12 * kib);
    EXPECT_EQ(core::enough_stack(10 * kib), 20 * kib);  // 10 + 4 + 4
    EXPECT_EQ(core::enough_stack(16 * kib), 24 * kib);  // 16 + 4 + 4
    EXPECT_EQ(core::enough_stack(24 * kib), 36 * kib);  // (24 + 6) * 8 / 7 = 34.3
    EXPECT_EQ(core::enough_stack(112 * kib), 164 * kib);
    EXPECT_EQ(core::enough_stack(std::size_t{1} << 30), std::size_t{1} << 30);
    for (std::size_t depth = 0; depth < 300 * kib; depth += 100) {
        const std::size_t size = core::enough_stack(depth);
        const std::size_t may_use = size < 32 * kib ? size - 4 * kib : size / 8 * 7;
        ASSERT_EQ(size % os::page_size(), 0U);
        ASSERT_GE(may_use, depth + std::max(4 * kib, depth / 4)) << depth;
        ASSERT_LE(core::enough_stack(depth), core::enough_stack(depth + 100));
    }
}

TEST(stack_use, says_how_deep_each_function_went_on_which_size) {
    {
        const runtime running(measuring());
        for (const std::size_t bytes : {2 * kib, 10 * kib, 3 * kib}) {
            run_prepared(prepare(goes<0>, bytes));
        }
        run_prepared(
            prepare(goes<0>, 100 * kib, core::unit_attributes(technique::adaptive, 256 * kib)));
        run_prepared(prepare(goes<1>, 0));
    }
    const auto usual = use_of(goes<0>, 64 * kib);
    ASSERT_TRUE(usual);
    EXPECT_EQ(usual->units, 3U);
    EXPECT_GE(usual->deepest, 10 * kib);
    EXPECT_LT(usual->deepest, 10 * kib + frames);
    EXPECT_GE(usual->median, 3 * kib);
    const auto large = use_of(goes<0>, 256 * kib);
    ASSERT_TRUE(large);
    EXPECT_EQ(large->units, 1U);
    EXPECT_GE(large->deepest, 100 * kib);
    EXPECT_LT(large->deepest, 100 * kib + frames);
    const auto shallow = use_of(goes<1>, 64 * kib);
    ASSERT_TRUE(shallow);
    EXPECT_LT(shallow->deepest, nothing);  // not what the units before it left on the stack
}

TEST(stack_use, is_measured_whatever_the_technique) {
    using enum technique;
    {
        const runtime running(measuring());
        for (const technique how : {full, lazy_stack, return_on_completion, stack_separation,
                                    scheduler_creation, adaptive}) {
            run_prepared(prepare(goes<2>, 20 * kib, core::unit_attributes(how)));
            work_unit* const first = prepare(goes<2>, 20 * kib, core::unit_attributes(how));
            core::launch_child_first(first);
            EXPECT_EQ(core::join(first), status::ok);
            core::dispose(core::this_worker_or_null(), first);
        }
        run_prepared(prepare(goes<3>, 2 * kib, core::unit_attributes(run_to_completion)));
    }
    const auto use = use_of(goes<2>, 64 * kib);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->units, 12U);
    EXPECT_GE(use->median, 20 * kib);
    EXPECT_LT(use->deepest, 20 * kib + frames);
    EXPECT_FALSE(use_of(goes<3>, 64 * kib)) << "a tasklet has no stack of its own";
}

// Touches the lowest byte alone, with a zero, as a probe of the compiler does.
void touches_with_zero(void* bytes) {
    auto* const memory =
        static_cast<volatile char*>(alloca(reinterpret_cast<std::uintptr_t>(bytes)));
    memory[0] = 0;
}

TEST(stack_use, counts_a_page_that_was_touched_with_zeros) {
    alignas(4096) static std::byte page[4096];
    if (!os::first_touched_page(page, page + sizeof page)) {
        GTEST_SKIP() << "the system does not tell";
    }
    {
        const runtime running(measuring());
        for (int i = 0; i != 3; ++i) {
            run_prepared(prepare(touches_with_zero, 20 * kib));
        }
    }
    const auto use = use_of(touches_with_zero, 64 * kib);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->units, 3U);
    EXPECT_GE(use->median, 20 * kib);
    EXPECT_LT(use->deepest, 20 * kib + os::page_size() + frames);
}

TEST(stack_use, counts_each_life_and_none_that_never_began) {
    {
        const runtime running(measuring());
        work_unit* const u = prepare(goes<4>, 5 * kib);
        core::launch(core::this_worker(), u);
        EXPECT_EQ(core::join(u), status::ok);
        for (int life = 1; life != 4; ++life) {
            EXPECT_EQ(core::revive(u, default_pool(), goes<4>, reinterpret_cast<void*>(5 * kib)),
                      status::ok);
            EXPECT_EQ(core::join(u), status::ok);
        }
        core::dispose(core::this_worker_or_null(), u);
        for (const technique how : {technique::full, technique::adaptive}) {
            work_unit* const cancelled = prepare(goes<5>, kib, core::unit_attributes(how));
            EXPECT_EQ(core::cancel(*cancelled), status::ok);
            run_prepared(cancelled);
        }
    }
    const auto use = use_of(goes<4>, 64 * kib);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->units, 4U);
    EXPECT_GE(use->median, 5 * kib);
    EXPECT_FALSE(use_of(goes<5>, 64 * kib));
}

TEST(stack_use, of_a_users_stack_is_measured_by_what_it_holds) {
    std::vector<std::byte> memory(128 * kib, std::byte{0x55});
    std::size_t size = 0;
    {
        const runtime running(measuring());
        for (const std::size_t bytes : {50 * kib, std::size_t{0}, std::size_t{0}}) {
            core::stack* const s = core::adopt_user_stack(memory.data(), memory.size());
            ASSERT_NE(s, nullptr);
            size = s->usable();
            work_unit* const u = prepare(goes<6>, bytes, core::unit_attributes().user_stack(s));
            core::launch(core::this_worker(), u);
            EXPECT_EQ(core::join(u), status::ok);
            core::dispose(core::this_worker_or_null(), u);
            core::disown_user_stack(s);
        }
    }
    const auto use = use_of(goes<6>, size);
    ASSERT_TRUE(use);
    EXPECT_EQ(use->units, 3U);
    EXPECT_GE(use->deepest, 50 * kib);
    EXPECT_LT(use->deepest, 50 * kib + frames);
    EXPECT_LT(use->median, nothing);
}

TEST(stack_use, is_not_measured_unless_it_is_asked_for) {
    {
        const runtime running(1U);
        run_prepared(prepare(goes<7>, 10 * kib));
    }
    EXPECT_FALSE(use_of(goes<7>, 64 * kib));
}

}  // namespace
