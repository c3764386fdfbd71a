// SPDX-License-Identifier: BSD-3-Clause
// Pools that are destroyed as early as their documentation allows.
#include <lazult/eventual.hpp>
#include <lazult/pool.hpp>
#include <lazult/runtime.hpp>
#include <lazult/scheduler.hpp>
#include <lazult/semaphore.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <thread>

namespace {

using namespace std::chrono_literals;
namespace lz = lazult;

void nap(std::chrono::milliseconds t) { std::this_thread::sleep_for(t); }

// What an outside thread waits for.
template <class F>
bool within(std::chrono::milliseconds t, F&& f) {
    const auto end = std::chrono::steady_clock::now() + t;
    while (std::chrono::steady_clock::now() < end) {
        if (f()) {
            return true;
        }
        nap(1ms);
    }
    return f();
}

// a push inside a push hides the outer one from await_pushers

class hooked_pool : public lz::custom_pool {
public:
    void push(lz::thread_id unit) noexcept override {
        {
            const std::lock_guard hold(lock_);
            units_.push_back(unit);
        }
        if (after_push) {
            after_push();
        }
    }
    lz::thread_id pop() noexcept override {
        const std::lock_guard hold(lock_);
        if (units_.empty()) {
            return {};
        }
        const lz::thread_id u = units_.front();
        units_.pop_front();
        return u;
    }
    std::size_t count() const noexcept override {
        const std::lock_guard hold(lock_);
        return units_.size();
    }
    std::function<void()> after_push;

private:
    mutable std::mutex lock_;
    std::deque<lz::thread_id> units_;
};

TEST(pool_lifetime, a_push_inside_a_push_keeps_the_outer_pool_alive) {
    lz::runtime running({.streams = 1});
    auto p = std::make_unique<hooked_pool>();
    hooked_pool q;
    std::atomic<bool> armed{false};
    std::atomic<bool> armed_inner{false};
    std::atomic<bool> inner{false};
    std::atomic<bool> destroyed{false};
    lz::counting_semaphore<> token(0);
    p->after_push = [&] {
        if (armed.exchange(false)) {
            token.release();  // does not suspend: allowed
        }
    };
    q.after_push = [&] {
        if (armed_inner.exchange(false)) {
            inner = true;
            for (int i = 0; i < 100 && !destroyed.load(); ++i) {
                nap(10ms);
            }
        }
    };
    auto sp = std::make_unique<lz::execution_stream>(lz::scheduler_kind::basic,
                                                     std::initializer_list<lz::pool*>{p.get()});
    lz::execution_stream sq(lz::scheduler_kind::basic, {&q});
    lz::counting_semaphore<> go(0);
    lz::thread w({.where = &q}, [&] { token.acquire(); });
    lz::thread u({.where = p.get()}, [&] { go.acquire(); });
    // Keeps p's stream awake: it finds u before the pusher has announced it.
    std::atomic<bool> stop{false};
    lz::thread hog({.where = p.get()}, [&] {
        while (!stop.load()) {
            lz::this_thread::yield();
        }
    });
    nap(100ms);
    armed_inner = true;
    armed = true;
    std::thread pusher([&] { go.release(); });
    u.join();
    stop = true;
    hog.join();
    sp.reset();
    while (!inner.load()) {
        nap(1ms);
    }
    // pusher is inside p->push() now, and inside q.push() there
    p.reset();
    destroyed = true;
    pusher.join();  // AddressSanitizer knows whether its announce() came in time
    w.join();
}

// joining a thread that has ended reads its home, which may be gone

TEST(pool_lifetime, joining_an_ended_thread_does_not_touch_its_pool) {
    lz::runtime running({.streams = 1});
    lz::thread t;
    {
        lz::pool p(lz::pool_kind::shared_fifo);
        lz::execution_stream s(lz::scheduler_kind::basic, {&p});
        t = lz::thread({.where = &p}, [] {});
        s.join();  // its pools are empty
    }
    t.join();
}

// a user's work-stealing stream moves the runtime's units into the user's pool

TEST(pool_lifetime, a_users_thief_leaves_the_runtimes_units_at_home) {
    lz::runtime running({.streams = 1});
    lz::eventual<int> go;
    std::atomic<bool> started{false};
    lz::thread x;
    {
        lz::pool p(lz::pool_kind::work_stealing);
        lz::execution_stream s(lz::scheduler_kind::work_stealing, {&p});
        x = lz::thread([&] {
            started = true;
            go.wait();
        });
        ASSERT_TRUE(within(2000ms, [&] { return started.load(); })) << "not stolen";
        nap(50ms);
        s.join();
    }
    go.set(1);  // into the pool that is gone
    x.join();
}

TEST(pool_lifetime, one_that_is_destroyed_with_units_in_it_says_so) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const char* kind : {"shared_fifo", "private_fifo", "priority", "work_stealing"}) {
        EXPECT_EXIT(
            {
                for (int i = 0; i < 4; ++i) {
                    const auto which = static_cast<lazult::pool_kind>(i);
                    lazult::pool p(which);
                    if (p.kind() == kind) {
                        lazult::thread(lazult::thread_attributes{.where = &p}, [] {}).detach();
                        lazult::thread(lazult::thread_attributes{.where = &p}, [] {}).detach();
                    }
                }
                std::_Exit(0);
            },
            testing::ExitedWithCode(0),
            "^lazult: pool: it \\(a " + std::string(kind) +
                "\\) is destroyed with 2 units in it, which nobody can run any more; ");
    }
}

}  // namespace
