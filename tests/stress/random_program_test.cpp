// SPDX-License-Identifier: BSD-3-Clause
// Programs that a seed writes: trees of units that create, join, yield, suspend, migrate, cancel,
// exit, throw and revive, with techniques, pools and streams as the seed will. What they add up to
// is compared with the same program run one unit after another. LAZULT_STRESS_SECONDS lengthens,
// LAZULT_STRESS_SEED repeats one program.
#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/unit_program.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using base::xorshift64;

// --- what a program does, on whichever threads

enum step : unsigned {
    step_add,
    step_yield,
    step_suspend,
    step_create,
    step_create_child_first,
    step_create_at_once,
    step_create_detached,
    step_join_oldest,
    step_join_newest,
    step_join_all,
    step_park,
    step_throw,
    step_migrate,
    step_cancel_one,
    step_revive,
    step_check_errno,
    step_check_rounding,
    step_locals,
    step_exit,
    step_count,
};

constexpr std::size_t tallies = 8;
using tally = std::array<std::atomic<std::uint64_t>, tallies>;

struct program {
    std::uint64_t seed;
    unsigned streams;
    int depth;
    base::scheduler_kind scheduler;
};

program make_program(std::uint64_t seed) {
    xorshift64 random(seed);
    constexpr base::scheduler_kind kinds[] = {
        base::scheduler_kind::work_stealing, base::scheduler_kind::work_stealing,
        base::scheduler_kind::basic, base::scheduler_kind::waiting};
    return {seed, 1 + random.below(4), 3, kinds[random.below(4)]};
}

std::uint64_t child_seed(xorshift64& random) {
    return (std::uint64_t{random.below(1U << 30)} << 30) + random.below(1U << 30) + 1;
}

unsigned steps_of(xorshift64& random, int depth) {
    return depth == 0 ? random.below(4) : 2 + random.below(7);
}
step step_at(xorshift64& random, int depth) {
    const auto s = static_cast<step>(random.below(step_count));
    const bool creates = s == step_create || s == step_create_child_first ||
                         s == step_create_at_once || s == step_create_detached || s == step_revive;
    return creates && depth == 0 ? step_add : s;
}

// One unit after another, in the order of creation. Draws from the generator exactly what the real
// run draws.
void run_reference(std::uint64_t seed, int depth, tally& sum) {
    xorshift64 random(seed);
    const unsigned steps = steps_of(random, depth);
    for (unsigned i = 0; i < steps; ++i) {
        const step s = step_at(random, depth);
        const unsigned detail = random.below(1U << 16);
        switch (s) {
            case step_add:
            case step_throw: sum[detail % tallies] += detail; break;
            case step_create:
            case step_create_child_first:
            case step_create_at_once:
            case step_create_detached:
            case step_revive: run_reference(child_seed(random), depth - 1, sum); break;
            case step_exit:
                if (detail % 4 == 0) {
                    return;
                }
                break;
            default: break;
        }
    }
    sum[0] += 1;
}

// --- the same, for real

class real_run {
public:
    real_run(const program& p, tally& sum) : program_(p), sum_(sum), ground_(settings_of(p)) {}

    void execute() {
        const visits others{3, std::chrono::microseconds(300)};
        ground_.execute([this] { plant_here(); }, [this] { plant_from_outside(); }, others);
    }

    static constexpr int roots = 6;
    static std::uint64_t root_seed(std::uint64_t seed, int i) {
        return seed * 1000 + static_cast<std::uint64_t>(i) + 1;
    }

private:
    static base::settings settings_of(const program& p) {
        xorshift64 random(p.seed ^ 0x5e77);
        base::settings s = settings_for(p.streams);
        s.scheduler = p.scheduler;
        s.idle_spin = random.below(2) == 0 ? 0 : 5'000;
        s.event_period = 1 + random.below(64);
        return s;
    }

    // As the seed says, but never the reference's: which technique and which pool do not change
    // what is computed.
    technique some_technique(xorshift64& random) { return suspending_techniques[random.below(6)]; }
    core::pool& some_pool(xorshift64& random) {
        const unsigned kind = random.below(4);
        return ground_.pool_at(kind, random.below(1U << 16));
    }

    unit plant(int i, core::pool& home) {
        const std::uint64_t seed = root_seed(program_.seed, i);
        xorshift64 random(seed ^ 0xabc);
        return spawn(home, some_technique(random), [this, seed] { run(seed, program_.depth); });
    }

    void plant_here() {
        for (int i = 0; i < roots; ++i) {
            std::vector<unit> trees;
            trees.push_back(plant(i, default_pool()));
            trees.push_back(plant(i + roots, pinned()));
        }
    }
    void plant_from_outside() {
        for (int i = 2 * roots; i < 3 * roots; ++i) {
            unit tree = plant(i, ground_.pool_at(i % 2 == 0 ? 1 : 3, 0));
        }
    }

    void cancel_one(technique how, core::pool& home) {
        std::atomic<bool> began{false};
        unit loops = spawn(home, how, [&] {
            began = true;
            for (;;) {
                suspend_for_a_moment();
            }
        });
        core::yield();
        EXPECT_EQ(core::cancel(*loops.get()), status::ok);
        EXPECT_EQ(loops.join(), status::ok);
        EXPECT_TRUE(core::was_canceled(*loops.get()));
    }

    void throw_across(unsigned detail) {
        try {
            if (detail % 2 == 0) {
                suspend_for_a_moment();
            }
            throw std::runtime_error("step");
        } catch (const std::runtime_error&) {
            suspend_for_a_moment();
            sum_[detail % tallies] += detail;
        }
    }

    void park_and_be_unparked(core::pool& home) {
        work_unit* self = core::current_unit();
        unit waker = spawn(home, technique::run_to_completion, [self] { core::unpark(self); });
        core::park();
    }

    static void check_locals(unsigned detail) {
        static const core::local_key key = core::create_local_key([](void*) {});
        static int values[16];
        core::set_local(*core::current_unit(), key, &values[detail % 16]);
        suspend_for_a_moment();
        EXPECT_EQ(core::get_local(*core::current_unit(), key), &values[detail % 16]);
    }
    static void join_all(std::vector<unit>& children) {
        std::vector<work_unit*> handles;
        for (unit& u : children) {
            handles.push_back(u.get());
        }
        EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
        for (unit& u : children) {
            u.set_joined();
        }
        children.clear();
    }

    void migrate(xorshift64& choices) {
        EXPECT_EQ(core::migrate(*core::current_unit(), some_pool(choices)), status::ok);
        core::yield();
    }

    void run(std::uint64_t seed, int depth) {
        xorshift64 random(seed);
        xorshift64 choices(seed ^ 0xfeed);
        std::vector<unit> children;
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        const unsigned steps = steps_of(random, depth);
        for (unsigned i = 0; i < steps; ++i) {
            const step s = step_at(random, depth);
            const unsigned detail = random.below(1U << 16);
            if (s == step_exit && detail % 4 == 0) {
                core::exit_running();  // joins the children while it unwinds
            }
            take_step(s, detail, random, choices, depth, children);
        }
        sum_[0] += 1;
    }

    void create(step s, unsigned detail, xorshift64& choices, const auto& body,
                std::vector<unit>& children) {
        core::pool& home = some_pool(choices);
        const technique how = some_technique(choices);
        if (s == step_create_detached) {
            ground_.launch_detached(home, core::unit_attributes(how), body);
            return;
        }
        if (s == step_revive) {
            children.push_back(spawn(home, how, [] {}));
            EXPECT_EQ(children.back().join(), status::ok);
            EXPECT_EQ(children.back().revive(some_pool(choices), body), status::ok);
            return;
        }
        unit u(home, core::unit_attributes(how), body);
        switch (s) {
            case step_create: u.launch(); break;
            case step_create_child_first: u.launch_child_first(); break;
            default: u.launch_at_once(detail % 4 != 0); break;
        }
        if (s != step_create_at_once || u.get() != nullptr) {
            children.push_back(std::move(u));
        }
    }

    void take_step(step s, unsigned detail, xorshift64& random, xorshift64& choices, int depth,
                   std::vector<unit>& children) {
        switch (s) {
            case step_add: sum_[detail % tallies] += detail; break;
            case step_yield: core::yield(); break;
            case step_suspend: suspend_for_a_moment(); break;
            case step_create:
            case step_create_child_first:
            case step_create_at_once:
            case step_create_detached:
            case step_revive: {
                const std::uint64_t child = child_seed(random);
                create(
                    s, detail, choices, [this, child, depth] { run(child, depth - 1); }, children);
                break;
            }
            case step_join_oldest:
                if (!children.empty()) {
                    EXPECT_EQ(children.front().join(), status::ok);
                    children.erase(children.begin());
                }
                break;
            case step_join_newest:
                if (!children.empty()) {
                    EXPECT_EQ(children.back().join(), status::ok);
                    children.pop_back();
                }
                break;
            case step_join_all: join_all(children); break;
            case step_park: park_and_be_unparked(some_pool(choices)); break;
            case step_throw: throw_across(detail); break;
            case step_migrate: migrate(choices); break;
            case step_cancel_one: cancel_one(some_technique(choices), some_pool(choices)); break;
            case step_check_errno: expect_errno_is_kept(static_cast<int>(detail % 100 + 1)); break;
            case step_check_rounding: expect_rounding_is_kept(detail); break;
            case step_locals: check_locals(detail); break;
            default: break;
        }
    }

    program program_;
    tally& sum_;
    unit_program_ground ground_;
};

// --- the driver

// Ends the process with the seed when a program does not end.
class watchdog {
public:
    explicit watchdog(std::uint64_t seed) : thread_([this, seed] { watch(seed); }) {}
    watchdog(const watchdog&) = delete;
    ~watchdog() {
        {
            const std::lock_guard hold(lock_);
            done_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

private:
    void watch(std::uint64_t seed) {
        std::unique_lock hold(lock_);
        if (!changed_.wait_for(hold, std::chrono::seconds(120), [this] { return done_; })) {
            std::fprintf(stderr, "random program hangs: LAZULT_STRESS_SEED=%llu\n",
                         static_cast<unsigned long long>(seed));
            std::abort();
        }
    }

    std::mutex lock_;
    std::condition_variable changed_;
    bool done_ = false;
    std::thread thread_;
};

void check(std::uint64_t seed) {
    SCOPED_TRACE("LAZULT_STRESS_SEED=" + std::to_string(seed));
    const watchdog dog(seed);
    const program p = make_program(seed);
    tally expected{};
    for (int i = 0; i < 3 * real_run::roots; ++i) {
        run_reference(real_run::root_seed(seed, i), p.depth, expected);
    }
    tally real{};
    {
        real_run run(p, real);
        run.execute();
    }
    for (std::size_t i = 0; i < tallies; ++i) {
        EXPECT_EQ(real[i].load(), expected[i].load()) << "tally " << i;
    }
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(random_program, adds_up_to_what_one_unit_after_another_would) {
    if (const std::uint64_t one = number_from("LAZULT_STRESS_SEED", 0); one != 0) {
        check(one);
        return;
    }
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(number_from("LAZULT_STRESS_SECONDS", 5));
    std::uint64_t seed = 1;
    do {
        check(seed++);
    } while (!HasFailure() && std::chrono::steady_clock::now() < end);
    RecordProperty("programs", std::to_string(seed - 1));
}

}  // namespace
