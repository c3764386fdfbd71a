// SPDX-License-Identifier: BSD-3-Clause
// If memory is refused, the caller gets an error, and what there was before goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/support/runtime.hpp"
#include "tests/support/scarcity.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;

// --- what a unit has besides its descriptor

TEST(out_of_memory, a_key_is_refused) {
    core::local_key key = 0;
    const auto make = [&] {
        key = core::create_local_key(nullptr);
        return key != core::invalid_local_key;
    };
    EXPECT_GE(refusals_until(make), 1);
    core::destroy_local_key(key);
}

TEST(out_of_memory, a_value_is_refused_and_the_others_stay) {
    const runtime running;
    static std::atomic<int> destroyed;
    destroyed = 0;
    const core::local_key first = core::create_local_key([](void*) { destroyed.fetch_add(1); });
    const core::local_key second = core::create_local_key([](void*) { destroyed.fetch_add(1); });
    int value = 0;
    unit u(pinned(), core::unit_attributes(technique::lazy_stack), [] {});
    EXPECT_GE(refusals_until([&] { return core::set_local(*u.get(), first, &value); }), 2);
    EXPECT_GE(refusals_until([&] { return core::set_local(*u.get(), second, &value); }), 1);
    EXPECT_EQ(core::get_local(*u.get(), first), &value);
    EXPECT_EQ(core::get_local(*u.get(), second), &value);
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_EQ(destroyed.load(), 2);
    core::destroy_local_key(first);
    core::destroy_local_key(second);
}

TEST(out_of_memory, a_unit_with_a_refused_migration_stays) {
    const runtime running(2);
    bool moved = false;
    unit u(pinned(), core::unit_attributes(technique::lazy_stack), [] { core::yield(); });
    core::pool& elsewhere = *sched::stream_at(1)->pinned();
    {
        const scarcity none;
        EXPECT_EQ(core::migrate(*u.get(), elsewhere), status::out_of_memory);
        EXPECT_EQ(core::on_migration(
                      *u.get(), [](work_unit*, void* m) { *static_cast<bool*>(m) = true; }, &moved),
                  status::out_of_memory);
    }
    u.launch();
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_FALSE(moved);
    EXPECT_EQ(u.get()->home, &pinned());
}

// That it was cancelled is the only thing that is not known later.
TEST(out_of_memory, a_unit_is_cancelled_all_the_same) {
    const runtime running;
    let_the_scheduler_have_its_stack();
    bool ran = false;
    unit u(pinned(), core::unit_attributes(technique::lazy_stack), [&] { ran = true; });
    EXPECT_EQ(core::cancel(*u.get()), status::ok);
    u.launch();
    {
        const scarcity none;
        EXPECT_EQ(u.join(), status::ok);
    }
    EXPECT_FALSE(ran);
    EXPECT_FALSE(core::was_canceled(*u.get()));
}

// --- what an OS thread has

// OS threads that have all workers there are, so that one more needs memory for its own.
class crowd {
public:
    crowd() {
        std::size_t workers = 0;
        core::for_each_worker([](worker&, void* n) { ++*static_cast<std::size_t*>(n); }, &workers);
        for (std::size_t i = 0; i != workers; ++i) {
            threads_.emplace_back([this] {
                core::this_worker();
                attached_.fetch_add(1);
                std::unique_lock hold(lock_);
                over_.wait(hold, [this] { return is_over_; });
            });
        }
        while (attached_.load() != workers) {
            std::this_thread::yield();
        }
    }
    ~crowd() {
        {
            const std::lock_guard hold(lock_);
            is_over_ = true;
        }
        over_.notify_all();
        for (std::thread& t : threads_) {
            t.join();
        }
    }

    // On a thread that has no worker, and is not to get one.
    template <class Body>
    static void beside(Body body) {
        std::thread([&body] {
            const scarcity none;
            body();
        }).join();
    }

private:
    std::mutex lock_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::atomic<std::size_t> attached_{0};
    std::vector<std::thread> threads_;
};

TEST(out_of_memory, a_thread_goes_without_a_worker) {
    const crowd all;
    worker* mine = nullptr;
    crowd::beside([&] { mine = core::try_attach_worker(); });
    EXPECT_EQ(mine, nullptr);
    std::thread([&] { mine = core::try_attach_worker(); }).join();
    EXPECT_NE(mine, nullptr);
}

TEST(out_of_memory_death, a_thread_that_needs_a_worker_says_so) {
    const auto needs_one = [] {
        const crowd all;
        crowd::beside([] { core::this_worker(); });
    };
    EXPECT_DEATH(needs_one(),
                 "lazult: thread: no memory for what the runtime keeps for each OS thread");
}

// What ends by a plain store of its owner's has to be asked by a message, which nobody can send.
TEST(out_of_memory, a_thread_cannot_wait_for_a_unit_that_is_confined) {
    const runtime running;
    bool ran = false;
    unit u = spawn(pinned(), technique::lazy_stack, [&] { ran = true; });
    ASSERT_TRUE(u.get()->join.is_local());
    const crowd all;
    status joined = status::ok;
    status detached = status::ok;
    work_unit* opener = u.get();
    crowd::beside([&] {
        joined = core::join(u.get());
        detached = core::detach(u.get());
        opener = core::send_opener(*u.get());
    });
    EXPECT_EQ(joined, status::out_of_memory);
    EXPECT_EQ(detached, status::out_of_memory);
    EXPECT_EQ(opener, nullptr);
    EXPECT_EQ(u.join(), status::ok);
    EXPECT_TRUE(ran);
}

// --- descriptors and stacks

void none(void*) {}

// As many as there are; the caller gives them back.
std::vector<work_unit*> take_all_descriptors(worker& w, std::vector<work_unit*> into) {
    while (into.size() < into.capacity()) {
        work_unit* u = w.descriptors.allocate();
        if (u == nullptr) {
            break;
        }
        u->set_state(core::life_state::ready);
        into.push_back(u);
    }
    return into;
}

// With so many bytes of addresses left. Where something stands behind the range, chunks lie by
// themselves.
void use_up_descriptors(std::size_t addresses, bool may_range_grow) {
    if (core::descriptors_in_order.bytes.load(std::memory_order_relaxed) != 0) {
        GTEST_SKIP() << "descriptors have a range already";
    }
    in_child([=] {
        std::vector<work_unit*> all;
        all.reserve(1'000'000);
        worker& w = core::this_worker();
        sched::shared_fifo pool;
        all.push_back(w.descriptors.allocate());
        all.back()->set_state(core::life_state::ready);
        const std::uintptr_t begin =
            core::descriptors_in_order.begin.load(std::memory_order_relaxed);
        const std::uintptr_t end =
            begin + core::descriptors_in_order.bytes.load(std::memory_order_relaxed);
        EXPECT_EQ(end - begin, core::descriptor_chunk_bytes)
            << "there is what is needed, and no more";
        if (!may_range_grow) {
            EXPECT_NE(os::reserve_at(end, os::page_size()), nullptr);
        }
        if (!limit_addresses(addresses)) {
            return false;
        }
        all = take_all_descriptors(w, std::move(all));
        EXPECT_LT(all.size(), all.capacity());
        EXPECT_GE(all.size() * sizeof(work_unit), addresses / 4 * 3);
        EXPECT_TRUE(std::all_of(all.begin(), all.end(),
                                [](work_unit* u) { return core::is_descriptor(u); }));
        alignas(work_unit) std::byte other[sizeof(work_unit)];
        EXPECT_FALSE(core::is_descriptor(other));
        // Those that lie elsewhere are known by their addresses.
        const auto address = reinterpret_cast<std::uintptr_t>(all.back());
        EXPECT_EQ(core::number_of(*all.back()) == address, !may_range_grow);
        EXPECT_LT(core::number_of(*all.front()), all.size());
        std::size_t seen = 0;
        core::for_each_unit([](work_unit&, void* n) { ++*static_cast<std::size_t*>(n); }, &seen);
        EXPECT_EQ(seen, all.size());
        EXPECT_EQ(
            core::prepare(w, pool, none, nullptr, core::unit_attributes(technique::lazy_stack)),
            nullptr);
        for (work_unit* u : all) {
            core::descriptor_cache::release(u, &w.descriptors);
        }
        EXPECT_EQ(w.descriptors.live(), 0U);
        work_unit* const again =
            core::prepare(w, pool, none, nullptr, core::unit_attributes(technique::lazy_stack));
        EXPECT_NE(again, nullptr);
        return true;
    });
}

TEST(out_of_memory, descriptors_lie_in_a_range_that_grows) {
    use_up_descriptors(std::size_t{60} << 20, true);
}
TEST(out_of_memory, descriptors_lie_where_they_can) {
    use_up_descriptors(std::size_t{60} << 20, false);
}

// Of 64 KiB: about 250 of them.
constexpr std::size_t addresses_for_some_stacks = std::size_t{20} << 20;

TEST(out_of_memory, a_ult_that_has_its_stack_from_the_start_is_refused) {
    in_child([] {
        const runtime running;
        let_the_scheduler_have_its_stack();
        std::vector<work_unit*> all;
        all.reserve(2000);
        if (!limit_addresses(addresses_for_some_stacks)) {
            return false;
        }
        worker& w = core::this_worker();
        const core::unit_attributes attributes(technique::full);
        while (all.size() < all.capacity()) {
            work_unit* u = core::prepare(w, pinned(), none, nullptr, attributes);
            if (u == nullptr) {
                break;
            }
            all.push_back(u);
        }
        EXPECT_GT(all.size(), 100U);
        EXPECT_LT(all.size(), all.capacity());
        for (work_unit* u : all) {
            core::dispose(&w, u);
        }
        unit another = spawn(pinned(), technique::full, [] { suspend_for_a_moment(); });
        EXPECT_EQ(another.join(), status::ok);
        return true;
    });
}

// Those that find no stack wait behind the others until these end.
void start_more_than_there_are_stacks_for(technique how) {
    in_child([how] {
        const runtime running;
        constexpr std::size_t count = 400;
        std::atomic<std::size_t> started{0};
        std::atomic<bool> may_end{false};
        std::vector<unit> all;
        all.reserve(count);
        for (std::size_t i = 0; i != count; ++i) {
            // The first ones take the stacks, whatever the others' technique is.
            all.emplace_back(
                pinned(), core::unit_attributes(i < count / 2 ? technique::lazy_stack : how), [&] {
                    started.fetch_add(1);
                    while (!may_end.load()) {
                        core::yield();
                    }
                });
        }
        if (!limit_addresses(std::size_t{12} << 20)) {
            return false;
        }
        for (unit& u : all) {
            u.launch();
        }
        core::yield();
        core::yield();
        EXPECT_LT(started.load(), count);
        may_end = true;
        for (auto last = all.rbegin(); last != all.rend(); ++last) {  // those that have none, first
            EXPECT_EQ(last->join(), status::ok);
        }
        EXPECT_EQ(started.load(), count);
        return true;
    });
}

TEST(out_of_memory, lazy_stacks_wait_for_a_stack) {
    start_more_than_there_are_stacks_for(technique::lazy_stack);
}
TEST(out_of_memory, return_on_completion_waits_for_a_stack) {
    start_more_than_there_are_stacks_for(technique::return_on_completion);
}
TEST(out_of_memory, stack_separation_waits_for_a_stack) {
    start_more_than_there_are_stacks_for(technique::stack_separation);
}

// Where others have all stacks, a joiner cannot call its child, and waits for it as for any other
// unit.
TEST(out_of_memory, a_child_in_place_without_a_stack_starts_later) {
    in_child([] {
        const runtime running;
        let_the_scheduler_have_its_stack();
        std::vector<core::stack*> taken;
        taken.reserve(2000);
        if (!limit_addresses(addresses_for_some_stacks)) {
            return false;
        }
        worker& w = core::this_worker();
        const std::uint8_t size_class = core::stack_class_for(base::current_settings().stack_size);
        // Both of them wait for nothing but a stack, which the other one gives back.
        for (const technique how : {technique::return_on_completion, technique::stack_separation}) {
            int ran = 0;
            unit child(pinned(), core::unit_attributes(how), [&] { ++ran; });
            unit giver(pinned(), core::unit_attributes(technique::scheduler_creation), [&] {
                for (core::stack* s : taken) {
                    core::stack_cache::release(s, &core::this_worker().stacks);
                }
                taken.clear();
            });
            while (core::stack* s = w.stacks.allocate(size_class)) {
                taken.push_back(s);
            }
            child.launch();
            giver.launch();
            EXPECT_EQ(child.join(), status::ok);
            EXPECT_EQ(ran, 1);
            EXPECT_TRUE(taken.empty());
            EXPECT_EQ(giver.join(), status::ok);
        }
        return true;
    });
}

TEST(out_of_memory, a_call_that_wants_a_large_stack_stays_where_it_is) {
    in_child([] {
        const runtime running;
        bool was_limited = false;
        unit u = spawn(pinned(), technique::full, [&] {
            was_limited = limit_addresses(std::size_t{1} << 20);
            const core::stack& mine = *core::current_unit()->stk;
            core::on_large_stack([&] {
                const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
                EXPECT_EQ(here >= mine.low && here < mine.high, was_limited);
            });
        });
        u.join();
        return was_limited;
    });
}

}  // namespace
