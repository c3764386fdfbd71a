// SPDX-License-Identifier: BSD-3-Clause
// Units and schedulers that may not suspend, but may block their thread.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "lazult/sync/sync.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::private_fifo;
using sched::ready_pool;
using sched::scheduler;
using sched::stream;

constexpr std::uint16_t blocks = core::unit_header::blocks_thread;

class prefaced_scheduler final : public scheduler {
public:
    prefaced_scheduler(ready_pool& pool, std::function<void()> prologue)
        : scheduler(loop_kind::own_stateful), prologue_(std::move(prologue)) {
        add_pool(pool);
    }
    const char* name() const noexcept override { return "prefaced"; }

protected:
    work_unit* next(worker& w) noexcept override { return pop_in_order(w); }
    void own_loop() override {
        prologue_();
        for (;;) {
            worker& w = core::this_worker();
            if (work_unit* u = next(w); u != nullptr) {
                run(u);
            } else if (!wait(w)) {
                return;
            }
        }
    }

private:
    std::function<void()> prologue_;
};

struct crossing {
    sync::mutex guard;
    sync::condition changed;
    sync::barrier both{2};
    sync::eventual told;
    sync::rwlock shared;
    bool ready = false;

    void wait_for_everything() {
        both.wait();
        guard.lock();
        while (!ready) {
            changed.wait(guard);
        }
        guard.unlock();
        shared.lock_shared();
        shared.unlock_shared();
        told.wait();
        EXPECT_EQ(sync::sleep_for(1000), status::ok);
        both.wait();
    }
    void give_everything() {
        shared.lock();
        both.wait();
        EXPECT_EQ(sync::sleep_for(100'000), status::ok);
        guard.lock();
        ready = true;
        changed.signal();
        EXPECT_EQ(sync::sleep_for(100'000), status::ok);
        guard.unlock();
        EXPECT_EQ(sync::sleep_for(100'000), status::ok);
        shared.unlock();
        EXPECT_EQ(sync::sleep_for(100'000), status::ok);
        told.set();
        both.wait();
    }
};

TEST(blocking, a_tasklet_that_may_blocks_its_thread) {
    const runtime running(2);
    for (int round = 0; round < 20; ++round) {
        crossing c;
        unit u = spawn(default_pool(),
                       core::unit_attributes(technique::run_to_completion).user_bits(blocks),
                       [&c] { c.wait_for_everything(); });
        std::thread other([&c] { c.give_everything(); });
        EXPECT_EQ(u.join(), status::ok);
        other.join();
    }
}

TEST(blocking, other_tasklets_are_refused_as_ever) {
    const runtime running;
    status seen = status::ok;
    unit u =
        spawn(pinned(), technique::run_to_completion, [&] { seen = sync::sleep_for(1'000'000); });
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(seen, status::cannot_suspend);
}

TEST(blocking, a_main_schedulers_own_code) {
    const runtime running;
    for (int round = 0; round < 20; ++round) {
        crossing c;
        private_fifo pool;
        work_unit* const identity = core::prepare(
            core::this_worker(), pool, [](void*) {}, nullptr,
            core::unit_attributes(technique::run_to_completion).user_bits(blocks));
        auto owned = std::make_unique<prefaced_scheduler>(pool, [&c] { c.wait_for_everything(); });
        owned->set_identity(*identity);
        stream* on = nullptr;
        ASSERT_EQ(stream::start(std::move(owned), &on), status::ok);
        c.give_everything();
        EXPECT_EQ(stream::join(on), status::ok);
        core::dispose(core::this_worker(), identity);
    }
}

TEST(blocking, a_stacked_schedulers_own_code_leaves_the_stream_to_the_one_below) {
    const runtime running;
    for (int round = 0; round < 20; ++round) {
        crossing c;
        private_fifo pool;
        prefaced_scheduler inner(pool, [&c] { c.wait_for_everything(); });
        sched::stacked_options options;
        options.attributes.user_bits(blocks);
        options.hears_of_release = false;
        work_unit* stacked = nullptr;
        ASSERT_EQ(sched::push_scheduler(inner, pinned(), options, &stacked), status::ok);
        c.give_everything();  // in this very stream
        EXPECT_EQ(core::join(stacked), status::ok);
        core::dispose(core::this_worker(), stacked);
    }
}

}  // namespace
