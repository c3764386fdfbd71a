// SPDX-License-Identifier: BSD-3-Clause
// Every technique with everything that a ULT may do, alone and mixed in one pool.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

// Counts live objects: what unwinds must destroy.
struct tracked {
    static inline std::atomic<int> alive{0};
    tracked() { alive.fetch_add(1); }
    tracked(const tracked&) = delete;
    ~tracked() { alive.fetch_sub(1); }
};

// --- behaviours: each returns whether all was as it should be

bool ends_at_once() { return true; }

bool suspends_once() {
    const int local = 4711;
    suspend_for_a_moment();
    return local == 4711;
}

bool suspends_often() {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 20; ++i) {
        suspend_for_a_moment();
        sum += i;
    }
    return sum == 190;
}

[[gnu::noinline]] std::uint64_t nested(std::uint64_t depth) {
    volatile std::uint64_t here = depth * 3;
    if (depth % 2 == 0) {
        suspend_for_a_moment();
    }
    const std::uint64_t below = depth == 0 ? 0 : nested(depth - 1);
    if (depth % 3 == 0) {
        suspend_for_a_moment();
    }
    return below + here;
}
bool suspends_in_nested_calls() { return nested(10) == 165; }

bool yields() {
    for (int i = 0; i < 5; ++i) {
        core::yield();
    }
    return true;
}

bool parks_and_is_unparked() {
    work_unit* self = core::current_unit();
    for (int i = 0; i < 3; ++i) {
        unit waker =
            spawn(*self->home, technique::run_to_completion, [self] { core::unpark(self); });
        core::park();
        waker.join();
    }
    return true;
}

bool throws_across_suspension() {
    const tracked object;
    try {
        const tracked inner;
        suspend_for_a_moment();
        throw std::runtime_error("across");
    } catch (const std::runtime_error& e) {
        return std::string(e.what()) == "across" && std::uncaught_exceptions() == 0;
    }
    return false;
}

bool suspends_in_catch() {
    try {
        try {
            throw std::runtime_error("outer");
        } catch (const std::runtime_error&) {
            suspend_for_a_moment();
            try {
                throw std::logic_error("inner");
            } catch (const std::logic_error& inner) {
                suspend_for_a_moment();
                if (std::string(inner.what()) != "inner") {
                    return false;
                }
            }
            suspend_for_a_moment();
            throw;
        }
    } catch (const std::runtime_error& outer) {
        return std::string(outer.what()) == "outer" && std::current_exception() != nullptr;
    }
    return false;
}

struct suspends_while_unwinding {
    ~suspends_while_unwinding() { suspend_for_a_moment(); }
};
bool suspends_in_a_destructor_during_unwinding() {
    try {
        const suspends_while_unwinding object;
        throw std::runtime_error("unwound");
    } catch (const std::runtime_error& e) {
        return std::string(e.what()) == "unwound";
    }
    return false;
}

// Functions that use errno and do not suspend: what is promised for ULTs that move
// (docs/thread-locals.md). ThreadSanitizer takes the errno of an OS thread, which its ULTs share in
// turns, for their common variable.
__attribute__((noinline, no_sanitize("thread"))) int get_errno() {
    asm volatile("" ::: "memory");
    return errno;
}
__attribute__((noinline, no_sanitize("thread"))) void set_errno(int value) {
    errno = value;
    asm volatile("" ::: "memory");
}

bool keeps_errno() {
    static std::atomic<int> next{1};
    const int mine = next.fetch_add(1);
    set_errno(mine);
    for (int i = 0; i < 3; ++i) {
        suspend_for_a_moment();
        if (get_errno() != mine) {
            return false;
        }
    }
    return true;
}

bool keeps_rounding() {
    static std::atomic<unsigned> next{0};
    if (std::fegetround() != FE_TONEAREST) {
        return false;
    }
    constexpr int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    const int mine = modes[next.fetch_add(1) % 4];
    std::fesetround(mine);
    for (int i = 0; i < 3; ++i) {
        suspend_for_a_moment();
        if (std::fegetround() != mine) {
            return false;
        }
    }
    return true;  // and leaves it changed: the next unit must not see it
}

bool creates_and_joins() {
    std::atomic<int> sum{0};
    core::pool& home = *core::current_unit()->home;
    std::vector<unit> children;
    for (const technique how : all_techniques) {
        children.push_back(spawn(home, how, [&sum, how] {
            if (how != technique::run_to_completion) {
                suspend_for_a_moment();
            }
            sum.fetch_add(1);
        }));
    }
    bool ok = true;
    for (unit& u : children) {
        ok &= u.join() == status::ok;
    }
    return ok && sum.load() == 7;
}

bool has_locals() {
    static const core::local_key key =
        core::create_local_key([](void* p) { static_cast<std::atomic<int>*>(p)->fetch_add(1); });
    static std::atomic<int> destroyed{0};
    work_unit& self = *core::current_unit();
    if (core::get_local(self, key) != nullptr) {
        return false;
    }
    core::set_local(self, key, &destroyed);
    suspend_for_a_moment();
    return core::get_local(*core::current_unit(), key) == &destroyed;
}

struct behaviour {
    const char* name;
    bool (*body)();
    bool suspends;
};
constexpr behaviour behaviours[] = {
    {"ends_at_once", ends_at_once, false},
    {"suspends_once", suspends_once, true},
    {"suspends_often", suspends_often, true},
    {"suspends_in_nested_calls", suspends_in_nested_calls, true},
    {"yields", yields, false},
    {"parks", parks_and_is_unparked, true},
    {"throws_across_suspension", throws_across_suspension, true},
    {"suspends_in_catch", suspends_in_catch, true},
    {"suspends_while_unwinding", suspends_in_a_destructor_during_unwinding, true},
    {"keeps_errno", keeps_errno, true},
    {"keeps_rounding", keeps_rounding, true},
    {"creates_and_joins", creates_and_joins, true},
    {"has_locals", has_locals, true},
};

// --- where: which pool, how many streams

enum class place { pinned, stealing, shared };
const char* place_name(place p) {
    return p == place::pinned ? "pinned" : p == place::stealing ? "stealing" : "shared";
}

struct served_shared_pool {
    sched::shared_fifo pool;
    served_shared_pool() {
        struct add {
            static void to(sched::stream& s, void* p) {
                // By a unit that runs under that scheduler.
                auto* mine = static_cast<sched::shared_fifo*>(p);
                unit u = spawn(*s.pinned(), technique::full, [&s, mine] {
                    EXPECT_EQ(s.main_scheduler().add_pool(*mine), status::ok);
                });
                u.join();
            }
        };
        sched::for_each_stream(add::to, &pool);
    }
};

class technique_test : public testing::TestWithParam<std::tuple<technique, place, unsigned>> {
protected:
    technique how() const { return std::get<0>(GetParam()); }
    unsigned streams() const { return std::get<2>(GetParam()); }

    void SetUp() override {
        running_ = std::make_unique<runtime>(streams());
        if (std::get<1>(GetParam()) == place::shared) {
            shared_ = std::make_unique<served_shared_pool>();
        }
    }
    void TearDown() override {
        running_.reset();
        shared_.reset();
        EXPECT_EQ(tracked::alive.load(), 0);
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    }
    core::pool& home() {
        switch (std::get<1>(GetParam())) {
            case place::pinned: return pinned();
            case place::stealing: return default_pool();
            default: return shared_->pool;
        }
    }

private:
    std::unique_ptr<served_shared_pool> shared_;
    std::unique_ptr<runtime> running_;
};

TEST_P(technique_test, does_everything_alone_joined_at_once) {
    for (int round = 0; round < 3; ++round) {
        for (const behaviour& b : behaviours) {
            std::atomic<int> good{0};
            unit u = spawn(home(), how(), [&] { good += b.body() ? 1 : 0; });
            EXPECT_EQ(u.join(), status::ok) << b.name;
            EXPECT_EQ(good.load(), 1) << b.name;
        }
    }
}

TEST_P(technique_test, does_everything_many_at_a_time) {
    for (const behaviour& b : behaviours) {
        constexpr int count = 50;
        std::atomic<int> good{0};
        std::vector<unit> units;
        for (int i = 0; i < count; ++i) {
            units.push_back(spawn(home(), how(), [&] { good += b.body() ? 1 : 0; }));
        }
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok) << b.name;
        }
        EXPECT_EQ(good.load(), count) << b.name;
    }
}

TEST_P(technique_test, does_everything_joined_in_reverse_after_a_yield) {
    for (const behaviour& b : behaviours) {
        std::atomic<int> good{0};
        std::vector<unit> units;
        for (int i = 0; i < 20; ++i) {
            units.push_back(spawn(home(), how(), [&] { good += b.body() ? 1 : 0; }));
        }
        core::yield();
        for (auto u = units.rbegin(); u != units.rend(); ++u) {
            EXPECT_EQ(u->join(), status::ok) << b.name;
        }
        EXPECT_EQ(good.load(), 20) << b.name;
    }
}

TEST_P(technique_test, does_everything_created_child_first) {
    for (const behaviour& b : behaviours) {
        std::atomic<int> good{0};
        std::vector<unit> units;
        for (int i = 0; i < 20; ++i) {
            unit u(home(), core::unit_attributes(how()), [&] { good += b.body() ? 1 : 0; });
            u.launch_child_first();
            units.push_back(std::move(u));
        }
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok) << b.name;
        }
        EXPECT_EQ(good.load(), 20) << b.name;
    }
}

TEST_P(technique_test, exits_in_the_middle_and_destroys_what_it_holds) {
    for (const int suspensions : {0, 1, 3}) {
        std::atomic<int> after{0};
        unit u = spawn(home(), how(), [&] {
            const tracked object;
            for (int i = 0; i < suspensions; ++i) {
                suspend_for_a_moment();
            }
            core::exit_running();
            after = 1;
        });
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_EQ(after.load(), 0);
        EXPECT_EQ(tracked::alive.load(), 0);
        EXPECT_FALSE(core::was_canceled(*u.get()));
    }
}

TEST_P(technique_test, cancelled_before_its_start_it_never_runs) {
    std::vector<unit> units;
    std::atomic<int> ran{0};
    for (int i = 0; i < 10; ++i) {
        unit u(home(), core::unit_attributes(how()), [&] { ran.fetch_add(1); });
        if (i % 2 == 0) {
            EXPECT_EQ(core::cancel(*u.get()), status::ok);
        }
        u.launch();
        units.push_back(std::move(u));
    }
    for (std::size_t i = 0; i < units.size(); ++i) {
        EXPECT_EQ(units[i].join(), status::ok);
        EXPECT_EQ(core::was_canceled(*units[i].get()), i % 2 == 0);
    }
    EXPECT_EQ(ran.load(), 5);
}

TEST_P(technique_test, cancelled_at_a_yield_it_unwinds) {
    std::atomic<int> started{0};
    std::vector<unit> units;
    for (int i = 0; i < 10; ++i) {
        units.push_back(spawn(home(), how(), [&] {
            const tracked object;
            started.fetch_add(1);
            for (;;) {
                core::yield();
            }
        }));
    }
    while (started.load() != 10) {
        core::yield();
    }
    for (unit& u : units) {
        EXPECT_EQ(core::cancel(*u.get()), status::ok);
    }
    for (unit& u : units) {
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_TRUE(core::was_canceled(*u.get()));
    }
    EXPECT_EQ(tracked::alive.load(), 0);
}

// The request is found at the head of yield(), before the unit ever gave control up.
TEST_P(technique_test, cancelled_by_itself_it_unwinds_without_suspending) {
    for (int i = 0; i < 20; ++i) {
        unit u = spawn(home(), how(), [] {
            const tracked object;
            core::cancel(*core::current_unit());
            core::yield();
            ADD_FAILURE() << "it ran on";
        });
        EXPECT_EQ(u.join(), status::ok);
        EXPECT_TRUE(core::was_canceled(*u.get()));
    }
}

TEST_P(technique_test, is_revived_with_another_function) {
    std::atomic<int> sum{0};
    std::vector<unit> units;
    for (int i = 0; i < 20; ++i) {
        units.push_back(spawn(home(), how(), [&, i] {
            if (i % 2 == 0) {
                suspend_for_a_moment();
            }
            sum.fetch_add(1);
        }));
    }
    for (unit& u : units) {
        EXPECT_EQ(u.join(), status::ok);
    }
    for (int round = 0; round < 4; ++round) {
        sum = 0;
        for (std::size_t i = 0; i < units.size(); ++i) {
            EXPECT_EQ(units[i].revive(home(),
                                      [&, i, round] {
                                          if ((i + static_cast<std::size_t>(round)) % 2 == 0) {
                                              suspend_for_a_moment();
                                          }
                                          sum.fetch_add(1);
                                      }),
                      status::ok);
        }
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_EQ(sum.load(), 20);
    }
}

TEST_P(technique_test, a_cancelled_one_is_revived_clean) {
    unit u(home(), core::unit_attributes(how()), [] {});
    core::cancel(*u.get());
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_TRUE(core::was_canceled(*u.get()));
    std::atomic<int> ran{0};
    EXPECT_EQ(u.revive(home(), [&] { ran = 1; }), status::ok);
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(ran.load(), 1);
    EXPECT_FALSE(core::was_canceled(*u.get()));
}

TEST_P(technique_test, a_unit_that_is_not_finished_is_not_revived) {
    std::atomic<bool> go{false};
    unit u = spawn(home(), how(), [&] {
        while (!go.load()) {
            core::yield();
        }
    });
    EXPECT_EQ(core::revive(u.get(), home(), [](void*) {}, nullptr), status::busy);
    go = true;
    EXPECT_EQ(u.join(), status::ok);
}

// Launched by hand: a detached unit may be gone at once.
TEST_P(technique_test, detached_units_free_themselves) {
    static std::atomic<int> ended;
    ended = 0;
    for (int i = 0; i < 60; ++i) {
        const core::entry_function suspending = [](void*) {
            suspend_for_a_moment();
            ended.fetch_add(1);
        };
        const core::entry_function plain = [](void*) { ended.fetch_add(1); };
        const core::entry_function body = i % 3 == 0 ? suspending : plain;
        work_unit* u =
            core::prepare(core::this_worker(), home(), body, nullptr, core::unit_attributes(how()));
        if (i % 2 == 0) {
            EXPECT_EQ(core::detach(u), status::ok);
            core::launch_open(core::this_worker(), u);
        } else {
            core::launch(core::this_worker(), u);
            EXPECT_EQ(core::detach(u), status::ok);
        }
    }
    while (ended.load() != 60) {
        core::yield();
    }
}

std::string test_name(const testing::TestParamInfo<technique_test::ParamType>& info) {
    return support::name_of(std::get<0>(info.param)) + "_" + place_name(std::get<1>(info.param)) +
           "_" + std::to_string(std::get<2>(info.param));
}

// All techniques and all behaviours in one pool, in an order that a seed decides.
class mixture_test : public testing::TestWithParam<unsigned> {};

TEST_P(mixture_test, of_techniques_and_behaviours_in_one_pool) {
    const runtime running(GetParam());
    std::mt19937 random(12345 + GetParam());
    for (int round = 0; round < 10; ++round) {
        std::vector<std::pair<technique, const behaviour*>> all;
        for (const technique how : all_techniques) {
            for (const behaviour& b : behaviours) {
                if (how != technique::run_to_completion || (!b.suspends && b.body != yields)) {
                    all.emplace_back(how, &b);
                }
            }
        }
        std::shuffle(all.begin(), all.end(), random);
        std::atomic<int> good{0};
        std::vector<unit> units;
        core::pool& home = round % 2 == 0 ? static_cast<core::pool&>(pinned()) : default_pool();
        for (const auto& [how, what] : all) {
            unit u(home, core::unit_attributes(how),
                   [&good, what = what] { good += what->body() ? 1 : 0; });
            random() % 4 == 0 ? u.launch_child_first() : u.launch();
            units.push_back(std::move(u));
        }
        std::shuffle(units.begin(), units.end(), random);
        for (unit& u : units) {
            EXPECT_EQ(u.join(), status::ok);
        }
        EXPECT_EQ(good.load(), static_cast<int>(all.size()));
    }
}

INSTANTIATE_TEST_SUITE_P(streams, mixture_test, testing::Values(1U, 2U, 4U));

INSTANTIATE_TEST_SUITE_P(all, technique_test,
                         testing::Combine(testing::ValuesIn(suspending_techniques),
                                          testing::Values(place::pinned, place::stealing,
                                                          place::shared),
                                          testing::Values(1U, 3U)),
                         test_name);

// What asks for more room than the scheduler's own stack has is called on one that has it.
TEST(tasklet, gets_the_room_that_it_asks_for) {
    const runtime running;
    constexpr std::size_t bytes = std::size_t{1} << 20;
    const auto fallbacks = [] {
        return count_all([](const core::counters& c) {
            return c.fallbacks[static_cast<int>(technique::run_to_completion)].get();
        });
    };
    const std::uint64_t before = fallbacks();
    bool has_headroom = false;
    unit u = spawn(pinned(), core::unit_attributes(technique::run_to_completion, bytes), [&] {
        const core::stack& mine = *core::current_unit()->stk;
        has_headroom = mine.headroom_below(arch::stack_position()) + 8192 >= bytes;
        EXPECT_FALSE(core::can_suspend());
    });
    suspend_for_a_moment();  // the scheduler starts it, and no joiner
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_TRUE(has_headroom);
    EXPECT_EQ(fallbacks(), before + 1);
}

}  // namespace
