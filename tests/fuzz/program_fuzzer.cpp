// SPDX-License-Identifier: BSD-3-Clause
// Programs of units, made from bytes. Each runs over the core, and what it did is compared with the
// same program without any threads. Every unit runs once, or at most once if it or its creator may
// be cancelled. Its joiner sees that it has ended. The sums are those of the reference. Nothing is
// left at the end: no unit, no stack, no stream, no local value.
//
// Two threads that join one unit are left out: docs/techniques.md, "A known fault".
#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "lazult/sync/sync.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/program.hpp"
#include "tests/support/unit_program.hpp"

namespace lazult::fuzz {
namespace {

using namespace lazult::support;

// An error in the run itself, to see that it is found: LAZULT_FUZZ_PLANT.
enum class mistake : std::uint8_t { none, runs_twice, forgets_a_sum, forgets_a_child };

mistake planted() {
    const char* text = std::getenv("LAZULT_FUZZ_PLANT");
    if (text == nullptr) {
        return mistake::none;
    }
    return std::strcmp(text, "runs_twice") == 0      ? mistake::runs_twice
           : std::strcmp(text, "forgets_a_sum") == 0 ? mistake::forgets_a_sum
                                                     : mistake::forgets_a_child;
}

// Written by the unit and read by its joiner, without atomics: the join orders them.
struct history {
    int begun = 0;
    bool ended = false;
};

std::atomic<int> live_locals{0};

// In a destructor, which nothing may leave by an exception: a request to be cancelled is kept for
// later.
void join_uncanceled(unit& u) {
    bool is_cancelled = false;
    for (;;) {
        try {
            EXPECT_EQ(u.join(), status::ok);
            break;
        } catch (const core::exit_unwind&) {
            is_cancelled = true;
        }
    }
    if (is_cancelled) {
        core::cancel(*core::current_unit());
    }
}

class real_run {
public:
    explicit real_run(const program& p)
        : program_(p), histories_(p.units.size()), ground_(settings_of(p)), planted_(planted()) {}

    void execute() {
        const auto here = [this] {
            plant_by(planted_by::primary);
            plant_by(planted_by::primary_here);
        };
        const visits others{program_.visits, std::chrono::microseconds(50)};
        ground_.execute(here, [this] { plant_by(planted_by::outside); }, others);
    }

    // After stop(): nothing runs any more.
    void compare() {
        ground_.stop();
        const expectation expected = reference(program_);
        for (std::size_t i = 0; i < tallies; ++i) {
            EXPECT_EQ(sums_[i].load(), expected.sums[i]) << "sum " << i;
        }
        for (std::size_t i = 0; i < histories_.size(); ++i) {
            const unit_plan& each = program_.units[i];
            EXPECT_LE(histories_[i].begun, 1) << "unit " << i;
            EXPECT_EQ(histories_[i].begun == 1, histories_[i].ended) << "unit " << i;
            EXPECT_TRUE(!each.is_certain || histories_[i].begun == 1) << "unit " << i;
        }
        EXPECT_EQ(live_locals.load(), 0);
    }

private:
    // The children of one unit, by their numbers. A unit that leaves by an exception cancels or
    // unparks those that would not end otherwise, and joins them all.
    class family {
    public:
        explicit family(real_run& run) : run_(run) {}
        family(const family&) = delete;
        ~family() {
            for (auto& [number, each] : all_) {
                if (run_.plan(number).kind == body_kind::endless) {
                    core::cancel(*each.get());
                }
                if (run_.plan(number).kind == body_kind::parks_first) {
                    core::unpark(each.get());
                }
            }
            for (auto& [number, each] : all_) {
                join_uncanceled(each);
            }
        }
        void add(int number, unit u) { all_.emplace(number, std::move(u)); }
        unit& at(int number) { return all_.at(number); }
        void join(int number) {
            EXPECT_EQ(at(number).join(), status::ok);
            run_.has_ended(number);
        }
        void drop(int number) { all_.erase(number); }
        void join_all() {
            std::vector<work_unit*> handles;
            for (auto& [number, each] : all_) {
                handles.push_back(each.get());
            }
            EXPECT_EQ(core::join_many(handles.data(), handles.size()), status::ok);
            for (auto& [number, each] : all_) {
                each.set_joined();
                run_.has_ended(number);
            }
            all_.clear();
        }
        unit take(int number) {
            unit taken = std::move(at(number));
            all_.erase(number);
            return taken;
        }

    private:
        real_run& run_;
        std::map<int, unit> all_;
    };

    // Not the strict scheduler by priority: under it the primary thread, which yields until all is
    // done, starves the units behind it.
    static base::scheduler_kind scheduler_of(const program& p) {
        constexpr base::scheduler_kind kinds[] = {
            base::scheduler_kind::work_stealing, base::scheduler_kind::basic,
            base::scheduler_kind::waiting, base::scheduler_kind::work_stealing};
        return kinds[p.scheduler];
    }
    static base::settings settings_of(const program& p) {
        base::settings s = settings_for(p.streams);
        s.scheduler = scheduler_of(p);
        s.idle_spin = p.spins ? 5'000 : 0;
        s.event_period = p.event_period;
        return s;
    }

    const unit_plan& plan(int number) const {
        return program_.units[static_cast<std::size_t>(number)];
    }
    history& history_of(int number) { return histories_[static_cast<std::size_t>(number)]; }

    core::unit_attributes attributes_of(int number) const {
        constexpr std::size_t sizes[] = {0, 0, 0, 0, 0, 48 << 10, 128 << 10, 256 << 10};
        return core::unit_attributes(all_techniques[plan(number).technique],
                                     sizes[plan(number).stack]);
    }
    core::pool& pool_at(unsigned place) { return ground_.pool_at(place, place / 4); }

    unit prepare(int number) {
        return unit(pool_at(plan(number).place), attributes_of(number),
                    [this, number] { run(number); });
    }
    unit launch(int number) {
        unit u = prepare(number);
        u.launch();
        return u;
    }
    void has_ended(int number) {
        const history& past = history_of(number);
        EXPECT_TRUE(past.ended || (past.begun == 0 && !plan(number).is_certain))
            << "unit " << number;
    }

    void plant_by(planted_by whom) {
        std::vector<std::pair<int, unit>> trees;
        for (const root& r : program_.roots) {
            if (r.by != whom) {
                continue;
            }
            core::pool& home = whom == planted_by::primary_here ? static_cast<core::pool&>(pinned())
                                                                : default_pool();
            trees.emplace_back(r.unit, spawn(home, attributes_of(r.unit),
                                             [this, number = r.unit] { run(number); }));
        }
        for (auto& [number, tree] : trees) {
            EXPECT_EQ(tree.join(), status::ok);
            has_ended(number);
        }
    }
    // --- on the units

    void run(int number) {
        history& mine = history_of(number);
        EXPECT_EQ(mine.begun, 0) << "unit " << number << " runs twice";
        ++mine.begun;
        struct at_end {
            history& mine;
            ~at_end() { mine.ended = true; }
        } const end{mine};
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        const unit_plan& what = plan(number);
        if (what.kind == body_kind::endless) {
            for (;;) {
                suspend_for_a_moment();
            }
        }
        if (what.kind == body_kind::parks_first) {
            core::park();
        }
        family children(*this);
        for (const step& each : what.steps) {
            take_step(number, each, children);
        }
    }

    void take_step(int number, const step& s, family& children) {
        switch (s.what) {
            case action::add: count(number, s.value); break;
            case action::yield: core::yield(); break;
            case action::suspend: suspend_for_a_moment(); break;
            case action::park: park_and_be_unparked(s.value); break;
            case action::lock: lock(number, s.value); break;
            case action::throw_across: throw_across(number, s.value); break;
            case action::keep_errno: expect_errno_is_kept(s.value + 1); break;
            case action::keep_rounding: expect_rounding_is_kept(s.value); break;
            case action::local: keep_local(s.value); break;
            case action::migrate_self:
                EXPECT_EQ(core::migrate(*core::current_unit(), pool_at(s.value)), status::ok);
                core::yield();
                break;
            case action::cancel_self:
                core::cancel(*core::current_unit());
                core::yield();
                ADD_FAILURE() << "a cancelled unit goes on";
                break;
            case action::exit: core::exit_running();
            default: deal_with_child(s, children); break;
        }
    }

    void deal_with_child(const step& s, family& children) {
        switch (s.what) {
            case action::create_child_first: {
                children.add(s.unit, prepare(s.unit));
                children.at(s.unit).launch_child_first();
                break;
            }
            case action::create_detached: create_detached(s.unit); break;
            case action::join:
                if (planted_ == mistake::forgets_a_child) {
                    has_ended(s.unit);
                    break;
                }
                children.join(s.unit);
                children.drop(s.unit);
                break;
            case action::join_all: children.join_all(); break;
            case action::unpark: core::unpark(children.at(s.unit).get()); break;
            case action::migrate_child:
                EXPECT_EQ(core::migrate(*children.at(s.unit).get(), pool_at(s.value)), status::ok);
                break;
            case action::cancel_child:
                EXPECT_EQ(core::cancel(*children.at(s.unit).get()), status::ok);
                break;
            case action::watch:
                while (!children.at(s.unit).get()->join.is_finished()) {
                    core::yield();
                }
                break;
            case action::revive: revive(s, children); break;
            default: children.add(s.unit, launch(s.unit)); break;
        }
    }

    void revive(const step& s, family& children) {
        children.join(s.former);
        unit u = children.take(s.former);
        EXPECT_EQ(u.revive(pool_at(plan(s.unit).place), [this, number = s.unit] { run(number); }),
                  status::ok);
        children.add(s.unit, std::move(u));
    }

    void count(int number, std::uint8_t value) {
        if (planted_ == mistake::forgets_a_sum && value % 8 == 5) {
            return;
        }
        if (plan(number).is_certain) {
            sums_[value % tallies].fetch_add(value);
        }
    }

    void create_detached(int number) {
        ground_.launch_detached(pool_at(plan(number).place), attributes_of(number), [this, number] {
            run(number);
            if (planted_ == mistake::runs_twice) {
                run(number);
            }
        });
    }

    void park_and_be_unparked(std::uint8_t value) {
        work_unit* self = core::current_unit();
        struct joined_at_end {
            unit waker;
            ~joined_at_end() { join_uncanceled(waker); }
        } end{spawn(pool_at(value), technique::run_to_completion, [self] { core::unpark(self); })};
        core::park();
    }

    void lock(int number, std::uint8_t value) {
        mutex_.lock();
        struct at_end {
            real_run& run;
            ~at_end() {
                run.is_inside_ = false;
                run.mutex_.unlock();
            }
        } const end{*this};
        EXPECT_FALSE(is_inside_) << "two hold the mutex";
        is_inside_ = true;
        if (value % 2 == 0) {
            suspend_for_a_moment();
        }
        count(number, value);
    }

    void throw_across(int number, std::uint8_t value) {
        try {
            if (value % 2 == 0) {
                suspend_for_a_moment();
            }
            throw std::runtime_error("step");
        } catch (const std::runtime_error&) {
            suspend_for_a_moment();
            count(number, value);
        }
    }

    static void keep_local(std::uint8_t value) {
        static const core::local_key key =
            core::create_local_key([](void*) { live_locals.fetch_sub(1); });
        static int values[16];
        if (core::get_local(*core::current_unit(), key) == nullptr) {
            live_locals.fetch_add(1);
        }
        core::set_local(*core::current_unit(), key, &values[value % 16]);
        suspend_for_a_moment();
        EXPECT_EQ(core::get_local(*core::current_unit(), key), &values[value % 16]);
    }

    const program& program_;
    std::vector<history> histories_;
    std::atomic<std::uint64_t> sums_[tallies] = {};
    unit_program_ground ground_;
    mistake planted_;
    sync::mutex mutex_;
    bool is_inside_ = false;
};

}  // namespace

// A failed expectation ends the process, as the fuzzer wants it.
void try_bytes(std::span<const std::uint8_t> bytes) {
    GTEST_FLAG_SET(break_on_failure, true);
    const program p = decode(bytes);
    if (std::getenv("LAZULT_FUZZ_DESCRIBE") != nullptr) {
        std::fputs(describe(p).c_str(), stderr);
    }
    real_run run(p);
    run.execute();
    run.compare();
}

}  // namespace lazult::fuzz
