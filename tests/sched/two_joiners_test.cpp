// SPDX-License-Identifier: BSD-3-Clause
// A unit in the lane of a work-stealing pool: its stream takes it out and calls it in place,
// without a locked instruction, while an outside thread begins to wait for it, or detaches it.
// Neither may be forgotten: see core/unit/join_word.hpp.
#include "tests/support/runtime.hpp"

#include <thread>

namespace lazult {
namespace {

using core::work_unit;
using support::runtime;
using support::status;
using support::technique;

base::settings one_stream_that_steals() {
    base::settings s = support::settings_for(1);
    s.scheduler = base::scheduler_kind::work_stealing;
    return s;
}

template <class Condition>
void spin_until(Condition condition) {
    for (int i = 1; !condition(); ++i) {
        if (i % 1024 == 0) {
            std::this_thread::yield();
        } else {
            arch::pause();
        }
    }
}

// One after the other, each a little later than the one before it.
void wait_a_little(int i) {
    for (int left = i % 61; left != 0; --left) {
        arch::pause();
    }
}

void join_at_once(technique how) {
    constexpr int rounds = 5'000;
    const runtime running(one_stream_that_steals());
    ASSERT_NE(core::this_worker().lane, nullptr);
    std::atomic<work_unit*> shown{nullptr};
    status others = status::busy;
    std::thread other([&] {
        for (int i = 0; i < rounds; ++i) {
            spin_until([&] { return shown.load() != nullptr; });
            wait_a_little(i / 61);
            others = core::join(shown.load());
            shown = nullptr;
        }
    });
    int refused = 0;
    for (int i = 0; i < rounds; ++i) {
        support::unit u = support::spawn(support::default_pool(), how, [] {});
        shown = u.get();
        wait_a_little(i);
        const status mine = core::join(u.get());
        while (!u.get()->join.is_finished()) {
            core::yield();
        }
        spin_until([&] { return shown.load() == nullptr; });
        EXPECT_TRUE(mine == status::ok || others == status::ok);
        refused += mine != status::ok || others != status::ok ? 1 : 0;
        u.set_joined();
    }
    other.join();
    std::cout << refused << " of " << rounds << " rounds met" << std::endl;
}

TEST(two_joiners, of_a_unit_that_is_called_in_place) {
    join_at_once(technique::scheduler_creation);
}
TEST(two_joiners, of_a_unit_that_is_called_on_its_own_stack) {
    join_at_once(technique::stack_separation);
}
TEST(two_joiners, of_a_unit_that_is_switched_to) { join_at_once(technique::lazy_stack); }

}  // namespace
}  // namespace lazult
