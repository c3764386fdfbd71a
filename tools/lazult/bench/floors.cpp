// SPDX-License-Identifier: BSD-3-Clause
// What nothing can beat: an indirect call through a ring of 128 (push, pop, call), and a bare
// switch of contexts.
#include <array>
#include <cstddef>

#include "lazult/sched/sched.hpp"
#include "tools/lazult/bench/catalogue.hpp"
#include "tools/lazult/bench/stopwatch.hpp"

namespace lazult::tool {
namespace {

constexpr std::size_t ring_size = 128;

struct ring {
    struct item {
        core::entry_function entry;
        void* argument;
    };
    std::array<item, ring_size> items;
    std::size_t head = 0;
    std::size_t tail = 0;

    void push(item i) noexcept { items[tail++ % ring_size] = i; }
    item pop() noexcept { return items[head++ % ring_size]; }
};

long calls = 0;
long suspensions = 0;

// As the units of fork-join, which look at a flag, too.
void body(void* flag) {
    ++calls;
    if (*static_cast<const unsigned char*>(flag) != 0) {
        ++suspensions;
    }
}

sample run_ring(std::uint64_t iterations) {
    static ring r;
    static std::array<unsigned char, ring_size> flags{};
    core::entry_function entry = body;
    asm volatile("" : "+r"(entry));  // the compiler must not know what is called
    const long before = calls;
    const instant begin = instant::now();
    for (std::uint64_t k = 0; k < iterations; ++k) {
        for (std::size_t i = 0; i < ring_size; ++i) {
            r.push({entry, &flags[i]});
        }
        for (std::size_t i = 0; i < ring_size; ++i) {
            const ring::item next = r.pop();
            next.entry(next.argument);
        }
    }
    const sample taken = per_operation(begin, static_cast<double>(iterations * ring_size));
    require(calls - before == static_cast<long>(iterations * ring_size), "calls got lost");
    return taken;
}

// Two stacks hand control to each other from one and the same loop, as ULTs do from within yield,
// so the return predictor is right. The code reports every change of stacks to the sanitizers,
// which costs nothing in a build without them.
class ping_pong {
public:
    ping_pong() : memory_(static_cast<std::byte*>(os::reserve(stack_bytes, os::page_size()))) {
        require_memory(memory_);
        const core::stack& mine = *core::current_unit()->stk;
        here_ = {nullptr, &there_, mine.low, static_cast<std::size_t>(mine.usable())};
        there_ = {nullptr, &here_, memory_, stack_bytes};
        static constexpr arch::entry_record other_side{main, nullptr};
        void* fake = nullptr;
        probe::asan_start_switch(&fake, there_.low, there_.bytes);
        arch::lazult_start(&here_.saved, memory_ + stack_bytes, &other_side, &there_, nullptr,
                           nullptr);
        probe::asan_finish_switch(fake, nullptr, nullptr);
    }
    ping_pong(const ping_pong&) = delete;
    ping_pong& operator=(const ping_pong&) = delete;
    // The other flow is abandoned in the middle of its loop.
    ~ping_pong() { os::release(memory_, stack_bytes); }

    void play(std::uint64_t times) noexcept { hand_over(here_, times); }

private:
    static constexpr std::size_t stack_bytes = std::size_t{64} << 10;

    struct side {
        arch::context saved = nullptr;
        side* other = nullptr;
        const std::byte* low = nullptr;
        std::size_t bytes = 0;
    };

    LAZULT_NOINLINE static void hand_over(side& mine, std::uint64_t times) noexcept {
        for (; times > 0; --times) {
            void* fake = nullptr;
            probe::asan_start_switch(&fake, mine.other->low, mine.other->bytes);
            arch::lazult_switch(&mine.saved, mine.other->saved, nullptr, nullptr);
            probe::asan_finish_switch(fake, nullptr, nullptr);
        }
    }

    // Never returns.
    static arch::departure main(void* self) {
        probe::asan_finish_switch(nullptr, nullptr, nullptr);
        hand_over(*static_cast<side*>(self), ~std::uint64_t{0});
        return {};
    }

    std::byte* memory_;
    side here_;
    side there_;
};

sample run_switch(std::uint64_t iterations) {
    ping_pong game;
    const instant begin = instant::now();
    game.play(iterations);
    return per_operation(begin, static_cast<double>(2 * iterations));
}

configuration row(const char* name, sample (*run)(std::uint64_t)) {
    configuration c;
    c.benchmark = name;
    c.settings = settings_with(1);
    c.run = run;
    return c;
}

}  // namespace

rows floor_rows() { return {row("floor-ring-call", run_ring), row("floor-switch", run_switch)}; }

}  // namespace lazult::tool
