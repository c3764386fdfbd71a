// SPDX-License-Identifier: BSD-3-Clause
// A pool's destructor waits for the threads that still push to it. For tests/sched/.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using namespace std::chrono_literals;

// Its push ends when it may, long after its unit was out. What a push uses then outlives the pool's
// own part.
struct late {
    std::atomic<work_unit*> out{nullptr};
    std::atomic<bool> may_end{false};
    std::atomic<bool> is_taken_from{false};
    core::pool* inner = nullptr;
    work_unit* inner_unit = nullptr;
};

class late_pool final : public sched::ready_pool {
public:
    explicit late_pool(late& l) : late_(&l) {}
    base::status attach(worker&) noexcept override { return status::ok; }
    void detach(worker&) noexcept override {}
    bool maybe_has_work(const worker&) const noexcept override {
        return late_->out.load() != nullptr;
    }
    bool remove(work_unit*) noexcept override { return false; }
    std::size_t size() const noexcept override { return late_->out.load() != nullptr ? 1 : 0; }
    bool serves(const worker&) const noexcept override { return false; }
    const char* kind() const noexcept override { return "late"; }

protected:
    void push_other(worker* w, work_unit* u) noexcept override {
        late& l = *late_;
        l.out.store(u);
        if (l.inner != nullptr) {
            l.inner->push(w, l.inner_unit);
        }
        while (!l.may_end.load()) {
            std::this_thread::yield();
        }
        announce();
    }
    work_unit* pop_other(worker&) noexcept override { return late_->out.exchange(nullptr); }
    bool take_other(worker&, work_unit*) noexcept override {
        late& l = *late_;
        l.is_taken_from = true;
        while (!l.may_end.load()) {
            std::this_thread::yield();
        }
        return false;
    }

private:
    late* late_;
};

class push_guard_test : public testing::Test {
protected:
    static work_unit* make(core::pool& home) {
        return core::prepare(
            core::this_worker(), home, [](void*) {}, nullptr,
            core::unit_attributes(technique::lazy_stack));
    }
    // Its unit is out; its end is not yet.
    void push_from_elsewhere(late_pool& p, late& l, work_unit* u) {
        pusher = std::thread([&p, u] { p.push(core::this_worker_or_null(), u); });
        while (l.out.load() == nullptr) {
            std::this_thread::yield();
        }
    }
    void destroy_elsewhere(std::unique_ptr<late_pool>& p) {
        destroyer = std::thread([&] {
            p.reset();
            gone = true;
        });
        std::this_thread::sleep_for(30ms);
    }
    void end() {
        pusher.join();
        destroyer.join();
        EXPECT_TRUE(gone.load());
    }

    std::thread pusher;
    std::thread destroyer;
    std::atomic<bool> gone{false};
};

TEST_F(push_guard_test, the_destructor_waits_for_a_push_that_has_not_ended) {
    late l;
    auto p = std::make_unique<late_pool>(l);
    work_unit* u = make(*p);
    push_from_elsewhere(*p, l, u);
    EXPECT_EQ(p->pop(core::this_worker()), u);
    core::dispose(core::this_worker(), u);
    destroy_elsewhere(p);
    EXPECT_FALSE(gone.load());
    l.may_end = true;
    end();
}

TEST_F(push_guard_test, also_while_that_push_is_in_another_one) {
    late l;
    late inside;
    auto p = std::make_unique<late_pool>(l);
    late_pool inner(inside);
    work_unit* u = make(*p);
    l.inner = &inner;
    l.inner_unit = make(inner);
    push_from_elsewhere(*p, l, u);
    while (inside.out.load() == nullptr) {
        std::this_thread::yield();
    }
    EXPECT_EQ(p->pop(core::this_worker()), u);
    EXPECT_EQ(inner.pop(core::this_worker()), l.inner_unit);
    core::dispose(core::this_worker(), u);
    core::dispose(core::this_worker(), l.inner_unit);
    destroy_elsewhere(p);
    EXPECT_FALSE(gone.load()) << "the inner push hides the outer one";
    l.may_end = true;
    inside.may_end = true;
    end();
}

// The child ends elsewhere while its joiner asks the pool for it. Then another thread, which knows
// of the end, destroys the pool.
TEST_F(push_guard_test, the_destructor_waits_for_a_joiner_that_looks_for_its_child) {
    const runtime running(1);
    late l;
    auto p = std::make_unique<late_pool>(l);
    work_unit* u = make(*p);
    std::thread elsewhere([&] {
        while (!l.is_taken_from.load()) {
            std::this_thread::yield();
        }
        u->set_state(core::life_state::finished);
        u->join.finish();
        destroy_elsewhere(p);
        EXPECT_FALSE(gone.load()) << "the joiner is in it still";
        l.may_end = true;
    });
    EXPECT_EQ(core::join(u), status::ok);
    elsewhere.join();
    destroyer.join();
    EXPECT_TRUE(gone.load());
    core::dispose(core::this_worker(), u);
}

// More threads than workers were left behind, so that one of them makes a worker of its own.
TEST_F(push_guard_test, threads_come_and_go_while_a_destructor_waits) {
    late l;
    auto p = std::make_unique<late_pool>(l);
    work_unit* u = make(*p);
    push_from_elsewhere(*p, l, u);
    EXPECT_EQ(p->pop(core::this_worker()), u);
    core::dispose(core::this_worker(), u);
    destroy_elsewhere(p);
    std::atomic<bool> attached{false};
    std::thread newcomer([&] {
        core::this_worker();
        attached = true;
    });
    for (int i = 0; i < 200 && !attached.load(); ++i) {
        std::this_thread::sleep_for(5ms);
    }
    EXPECT_TRUE(attached.load())
        << "a thread must not wait for a lock that a destructor holds while it waits";
    l.may_end = true;
    newcomer.join();
    end();
}

}  // namespace
