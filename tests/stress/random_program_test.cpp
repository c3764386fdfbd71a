// SPDX-License-Identifier: BSD-3-Clause
// Programs that a seed writes: trees of units that create, join, yield, suspend, migrate, cancel, exit, throw and
// revive, with techniques, pools and streams as the seed will. What they add up to is compared with the same program
// run one unit after another. LAZULT_STRESS_SECONDS lengthens, LAZULT_STRESS_SEED repeats one program.
#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using base::xorshift64;

// --- what a program does, whoever runs it

enum step : unsigned {
    step_add,
    step_yield,
    step_suspend,
    step_create,
    step_create_child_first,
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
    constexpr base::scheduler_kind kinds[] = {base::scheduler_kind::work_stealing,
                                              base::scheduler_kind::work_stealing,
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
    const bool creates =
        s == step_create || s == step_create_child_first || s == step_create_detached || s == step_revive;
    return creates && depth == 0 ? step_add : s;
}

// One unit after another, in the order of creation. Draws from the generator exactly what the real run draws.
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
    real_run(const program& p, tally& sum)
        : program_(p), sum_(sum), settings_(settings_of(p)), running_(settings_) {
        sched::for_each_stream(
            [](sched::stream& s, void* run) {
                auto& self = *static_cast<real_run*>(run);
                self.streams_.push_back(&s);
                unit adder = spawn(*s.pinned(), technique::full, [&] {
                    EXPECT_EQ(s.main_scheduler().add_pool(self.shared_.pool), status::ok);
                });
                adder.join();
            },
            this);
    }

    void execute() {
        std::thread outside([this] { from_outside(); });
        std::thread churn([this] { come_and_go(); });
        for (int i = 0; i < roots; ++i) {
            std::vector<unit> trees;
            trees.push_back(plant(i, default_pool()));
            trees.push_back(plant(i + roots, pinned()));
        }
        // The primary stream must go on while the threads end.
        while (threads_done_.load() != 2) {
            core::yield();
            std::this_thread::yield();
        }
        outside.join();
        churn.join();
        while (detached_.load() != 0) {
            core::yield();
            std::this_thread::yield();
        }
    }

    static constexpr int roots = 6;
    static std::uint64_t root_seed(std::uint64_t seed, int i) {
        return seed * 1000 + static_cast<std::uint64_t>(i) + 1;
    }

private:
    struct shared_first {
        sched::biased_fifo pool;
    };

    static base::settings settings_of(const program& p) {
        xorshift64 random(p.seed ^ 0x5e77);
        base::settings s = settings_for(p.streams);
        s.scheduler = p.scheduler;
        s.idle_spin = random.below(2) == 0 ? 0 : 5'000;
        s.event_period = 1 + random.below(64);
        return s;
    }

    // As the seed says, but never the reference's: which technique and which pool do not change what is computed.
    technique some_technique(xorshift64& random) { return suspending_techniques[random.below(6)]; }
    core::pool& some_pool(xorshift64& random) {
        switch (random.below(4)) {
            case 0: return *streams_[random.below(static_cast<std::uint32_t>(streams_.size()))]->pinned();
            case 1: return shared_.pool;
            case 2: return *core::current_unit()->home;
            default: return default_pool();
        }
    }

    unit plant(int i, core::pool& home) {
        const std::uint64_t seed = root_seed(program_.seed, i);
        xorshift64 random(seed ^ 0xabc);
        return spawn(home, some_technique(random), [this, seed] { run(seed, program_.depth); });
    }

    void from_outside() {
        for (int i = 2 * roots; i < 3 * roots; ++i) {
            unit tree = plant(i, i % 2 == 0 ? static_cast<core::pool&>(shared_.pool) : default_pool());
        }
        threads_done_.fetch_add(1);
    }

    // Other streams, which only thieves' units visit. Without thieves nobody would go on with what they leave.
    void come_and_go() {
        for (int i = 0; i < 3 && program_.scheduler == base::scheduler_kind::work_stealing; ++i) {
            sched::stream* s = nullptr;
            EXPECT_EQ(sched::stream::start_default(&s), status::ok);
            std::this_thread::sleep_for(std::chrono::microseconds(300));
            EXPECT_EQ(sched::stream::join(s), status::ok);
        }
        threads_done_.fetch_add(1);
    }

    struct detached_record {
        real_run* run;
        std::uint64_t seed;
        int depth;
        static void body(void* argument) {
            const detached_record me = *static_cast<detached_record*>(argument);
            delete static_cast<detached_record*>(argument);
            // Also when it exits by unwinding.
            struct countdown {
                std::atomic<int>& left;
                ~countdown() { left.fetch_sub(1); }
            } const at_end{me.run->detached_};
            me.run->run(me.seed, me.depth);
        }
    };

    void create_detached(std::uint64_t seed, int depth, technique how, core::pool& home) {
        worker& w = core::this_worker();
        work_unit* u = core::prepare(w, home, detached_record::body, new detached_record{this, seed, depth},
                                     core::unit_attributes(how));
        detached_.fetch_add(1);
        core::detach(u);
        core::launch_open(w, u);
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

    static void check_errno(unsigned detail) {
        const int mine = static_cast<int>(detail % 100 + 1);
        set_errno(mine);
        suspend_for_a_moment();
        EXPECT_EQ(get_errno(), mine);
    }
    static void check_rounding(unsigned detail) {
        constexpr int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
        const int before = std::fegetround();
        std::fesetround(modes[detail % 4]);
        suspend_for_a_moment();
        EXPECT_EQ(std::fegetround(), modes[detail % 4]);
        std::fesetround(before);
    }
    static void check_locals(unsigned detail) {
        static const core::local_key key = core::create_local_key([](void*) {});
        static int values[16];
        core::set_local(*core::current_unit(), key, &values[detail % 16]);
        suspend_for_a_moment();
        EXPECT_EQ(core::get_local(*core::current_unit(), key), &values[detail % 16]);
    }
    // ThreadSanitizer takes the errno of an OS thread, which its ULTs share in turns, for their common variable.
    __attribute__((noinline, no_sanitize("thread"))) static int get_errno() {
        asm volatile("" ::: "memory");
        return errno;
    }
    __attribute__((noinline, no_sanitize("thread"))) static void set_errno(int value) {
        errno = value;
        asm volatile("" ::: "memory");
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

    void take_step(step s, unsigned detail, xorshift64& random, xorshift64& choices, int depth,
                   std::vector<unit>& children) {
        switch (s) {
            case step_add: sum_[detail % tallies] += detail; break;
            case step_yield: core::yield(); break;
            case step_suspend: suspend_for_a_moment(); break;
            case step_create:
            case step_create_child_first: {
                const std::uint64_t child = child_seed(random);
                unit u(some_pool(choices), core::unit_attributes(some_technique(choices)),
                       [this, child, depth] { run(child, depth - 1); });
                s == step_create ? u.launch() : u.launch_child_first();
                children.push_back(std::move(u));
                break;
            }
            case step_create_detached: {
                const std::uint64_t child = child_seed(random);
                create_detached(child, depth - 1, some_technique(choices), some_pool(choices));
                break;
            }
            case step_revive: {
                const std::uint64_t child = child_seed(random);
                unit u = spawn(some_pool(choices), some_technique(choices), [] {});
                EXPECT_EQ(u.join(), status::ok);
                EXPECT_EQ(u.revive(some_pool(choices), [this, child, depth] { run(child, depth - 1); }),
                          status::ok);
                children.push_back(std::move(u));
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
            case step_check_errno: check_errno(detail); break;
            case step_check_rounding: check_rounding(detail); break;
            case step_locals: check_locals(detail); break;
            default: break;
        }
    }

    program program_;
    tally& sum_;
    base::settings settings_;
    shared_first shared_;  // outlives the runtime
    runtime running_;
    std::vector<sched::stream*> streams_;
    std::atomic<int> detached_{0};
    std::atomic<int> threads_done_{0};
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
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(number_from("LAZULT_STRESS_SECONDS", 5));
    std::uint64_t seed = 1;
    do {
        check(seed++);
    } while (!HasFailure() && std::chrono::steady_clock::now() < end);
    RecordProperty("programs", std::to_string(seed - 1));
}

}  // namespace
