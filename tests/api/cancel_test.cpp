// SPDX-License-Identifier: BSD-3-Clause
// lazult::cancel() ends waits: each kind, by unwinding, and nothing that was given is lost.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "lazult/core/core.hpp"
#include "tests/api/techniques.hpp"

namespace {

using namespace std::chrono_literals;
namespace this_thread = lazult::this_thread;
using lazult::thread;
using lazult::thread_attributes;
using lazult::api_test::suspending_techniques;

constexpr auto long_time = 60s;
constexpr auto patience = 5s;

// Waits until a condition holds; false when that takes too long.
bool soon(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        this_thread::yield();
    }
    return true;
}

struct witness {
    std::atomic<int>* destroyed;
    ~witness() { ++*destroyed; }
};

// What a thread does to wait for something that does not come, and what must hold after the wait
// was ended.
struct waiting_case {
    const char* name;
    std::function<void()> wait;
    std::function<void()> look_after = [] {};
};

void expect_ended_by_cancel(const waiting_case& each, lazult::technique how,
                            std::chrono::milliseconds delay) {
    SCOPED_TRACE(each.name);
    std::atomic<int> destroyed{0};
    std::atomic<bool> began{false};
    std::atomic<bool> went_on{false};
    thread t(thread_attributes{.how = how}, [&] {
        const witness here{&destroyed};
        began = true;
        each.wait();
        went_on = true;
    });
    ASSERT_TRUE(soon([&] { return began.load(); }));
    this_thread::sleep_for(delay);
    cancel(t);
    const bool has_ended = t.wait_for(patience);
    EXPECT_TRUE(has_ended) << "the wait goes on";
    if (!has_ended) {
        t.detach();
        return;
    }
    EXPECT_TRUE(t.canceled());
    EXPECT_FALSE(went_on);
    t.join();
    EXPECT_EQ(destroyed, 1);
    each.look_after();
}

struct objects {
    lazult::counting_semaphore<> none{0};
    lazult::latch closed{1};
    lazult::barrier two{2};
    lazult::channel<int> empty{1};
    lazult::channel<int> filled{1};
    lazult::eventual<int> later;
    lazult::promise<int> promised;
    lazult::future<int> future = promised.get_future();
    lazult::compartments<int> parts{1};
    lazult::mutex m;
    std::mutex plain;
    lazult::condition_variable changed;

    objects() { filled.try_send(7); }

    std::vector<waiting_case> cases() {
        std::vector<waiting_case> all = sleeps_and_counters();
        const std::vector<waiting_case> others = values_and_conditions();
        all.insert(all.end(), others.begin(), others.end());
        return all;
    }

private:
    std::vector<waiting_case> sleeps_and_counters() {
        return {
            {"sleep_for", [] { this_thread::sleep_for(long_time); }},
            {"sleep_until",
             [] { this_thread::sleep_until(std::chrono::system_clock::now() + long_time); }},
            {"suspend", [] { this_thread::suspend(); }},
            {"a stop token", [this] { none.acquire(std::stop_source().get_token()); }},
            {"a stop token, asleep",
             [] { this_thread::sleep_for(std::stop_source().get_token(), long_time); }},
            {"a stop token, suspended",
             [] { this_thread::suspend(std::stop_source().get_token()); }},
            {"semaphore", [this] { none.acquire(); },
             [this] {
                 none.release();
                 EXPECT_TRUE(none.try_acquire()) << "the record is still listed";
             }},
            {"semaphore with a deadline", [this] { none.try_acquire_for(long_time); },
             [this] {
                 none.release();
                 EXPECT_TRUE(none.try_acquire());
             }},
            {"latch", [this] { closed.wait(); }},
            {"latch with a deadline", [this] { closed.wait_for(long_time); }},
            {"barrier", [this] { two.arrive_and_wait(); },
             [this] {
                 std::atomic<bool> passed{false};
                 thread alone([&] {
                     two.arrive_and_wait();
                     passed = true;
                 });
                 this_thread::sleep_for(5ms);
                 EXPECT_FALSE(passed) << "who was cancelled has not arrived";
                 two.arrive_and_wait();
                 alone.join();
             }},
        };
    }
    std::vector<waiting_case> values_and_conditions() {
        return {
            {"receive", [this] { empty.receive(); },
             [this] {
                 EXPECT_TRUE(empty.try_send(1));
                 EXPECT_EQ(empty.try_receive(), 1);
             }},
            {"send", [this] { filled.send(8); },
             [this] {
                 EXPECT_EQ(filled.try_receive(), 7);
                 EXPECT_EQ(filled.try_receive(), std::nullopt)
                     << "what was not sent does not arrive";
                 filled.try_send(7);
             }},
            {"eventual", [this] { later.wait(); }},
            {"eventual with a deadline", [this] { later.wait_for(long_time); }},
            {"future", [this] { future.wait(); }},
            {"compartments", [this] { parts.wait(); }},
            {"wait_any", [this] { lazult::wait_any(later, none, receive_from(empty, received)); },
             [this] {
                 none.release();
                 EXPECT_TRUE(none.try_acquire());
             }},
            {"condition variable",
             [this] {
                 std::unique_lock hold(m);
                 changed.wait(hold);
             },
             [this] {
                 EXPECT_TRUE(m.try_lock()) << "the unwinding unlocks it";
                 m.unlock();
             }},
            {"condition variable with a deadline",
             [this] {
                 std::unique_lock hold(m);
                 changed.wait_for(hold, long_time);
             },
             [this] {
                 EXPECT_TRUE(m.try_lock());
                 m.unlock();
             }},
            {"condition variable with another lock",
             [this] {
                 std::unique_lock hold(plain);
                 changed.wait(hold);
             },
             [this] {
                 EXPECT_TRUE(plain.try_lock());
                 plain.unlock();
             }},
        };
    }
    std::optional<int> received;
};

TEST(cancel, ends_each_wait) {
    objects all;
    for (const waiting_case& each : all.cases()) {
        expect_ended_by_cancel(each, lazult::technique::adaptive, 2ms);
    }
}

TEST(cancel, ends_waits_of_each_technique) {
    objects all;
    for (const lazult::technique how : suspending_techniques) {
        for (const waiting_case& each : all.cases()) {
            expect_ended_by_cancel(each, how, 0ms);
        }
    }
}

// What a canceller does last, when the thread has honoured its request already, and waits for
// something else by now.
void interrupt_late(lazult::core::work_unit& u) {
    if (u.wait.interrupt()) {
        lazult::core::make_ready(lazult::core::this_worker_or_null(), &u);
    }
}

void expect_not_ended_without_a_request(const waiting_case& each) {
    SCOPED_TRACE(each.name);
    std::atomic<lazult::core::work_unit*> unit{nullptr};
    std::atomic<bool> was_refused{false};
    std::atomic<bool> went_on{false};
    thread t([&] {
        unit = lazult::core::current_unit();
        try {
            each.wait();
            went_on = true;
        } catch (const lazult::error&) {
            was_refused = true;
        }
    });
    ASSERT_TRUE(soon([&] { return unit.load() != nullptr; }));
    for (int i = 0; i < 3; ++i) {
        this_thread::sleep_for(2ms);
        interrupt_late(*unit);
    }
    this_thread::sleep_for(2ms);
    EXPECT_FALSE(was_refused);
    const bool may_wake_spuriously = std::string_view(each.name).starts_with("condition variable");
    EXPECT_TRUE(!went_on || may_wake_spuriously) << "the wait was ended";
    cancel(t);
    t.join();
    each.look_after();
}

TEST(cancel, ends_no_wait_when_the_request_was_honoured_before) {
    objects all;
    for (const waiting_case& each : all.cases()) {
        expect_not_ended_without_a_request(each);
    }
    thread awaited([] { this_thread::suspend(); });
    this_thread::sleep_for(2ms);
    expect_not_ended_without_a_request({"wait() of a thread", [&] { awaited.wait(); }});
    resume(awaited);
    awaited.join();
}

// The request comes before the wait, and it ends at once.
TEST(cancel, ends_the_next_wait) {
    objects all;
    for (const waiting_case& each : all.cases()) {
        SCOPED_TRACE(each.name);
        std::atomic<bool> began{false};
        std::atomic<bool> go{false};
        std::atomic<bool> went_on{false};
        thread t([&] {
            began = true;
            while (!go) {
                std::this_thread::yield();
            }
            each.wait();
            went_on = true;
        });
        std::thread outside([&] {
            while (!began) {
                std::this_thread::yield();
            }
            cancel(t);
            go = true;
        });
        ASSERT_TRUE(t.wait_for(patience));
        outside.join();
        t.join();
        EXPECT_FALSE(went_on);
    }
}

TEST(cancel, ends_a_join_and_the_joined_thread_goes_on) {
    for (const lazult::technique how : suspending_techniques) {
        lazult::counting_semaphore<> never(0);
        std::atomic<bool> began{false};
        thread awaited([&] {
            began = true;
            never.acquire();
        });
        ASSERT_TRUE(soon([&] { return began.load(); }));
        for (int round = 0; round < 3; ++round) {
            expect_ended_by_cancel({"join", [&] { awaited.join(); }}, how, 1ms);
            expect_ended_by_cancel({"wait_for", [&] { awaited.wait_for(long_time); }}, how, 1ms);
            expect_ended_by_cancel({"wait_any", [&] { lazult::wait_any(awaited); }}, how, 1ms);
        }
        EXPECT_TRUE(awaited.joinable());
        EXPECT_FALSE(awaited.finished());
        never.release();
        awaited.join();
    }
}

TEST(cancel, ends_a_join_of_many) {
    lazult::counting_semaphore<> never(0);
    std::atomic<int> began{0};
    std::vector<thread> all;
    for (int i = 0; i < 5; ++i) {
        all.emplace_back([&, i] {
            ++began;
            if (i != 2) {
                never.acquire();
            }
        });
    }
    ASSERT_TRUE(soon([&] { return began == 5; }));
    expect_ended_by_cancel({"join_many", [&] { lazult::join_many(all); }},
                           lazult::technique::adaptive, 2ms);
    never.release(4);
    lazult::join_many(all);
}

// The child belongs to the frame that is unwound: it is cancelled with it, whether it runs in the
// joiner's place or not.
TEST(cancel, ends_a_join_of_the_threads_own_child) {
    for (const lazult::technique how : suspending_techniques) {
        for (const lazult::technique childs : suspending_techniques) {
            std::atomic<int> destroyed{0};
            expect_ended_by_cancel({"join of a child",
                                    [&] {
                                        thread child(thread_attributes{.how = childs}, [&] {
                                            const witness here{&destroyed};
                                            this_thread::sleep_for(long_time);
                                        });
                                        child.join();
                                    }},
                                   how, 2ms);
            EXPECT_EQ(destroyed, 1);
        }
    }
}

TEST(cancel, reaches_a_child_that_runs_in_place_and_waits_later) {
    std::atomic<bool> began{false};
    std::atomic<bool> go{false};
    thread t([&] {
        thread child([&] {
            thread grandchild([&] {
                began = true;
                while (!go) {
                    std::this_thread::yield();
                }
                this_thread::sleep_for(long_time);
            });
            grandchild.join();
        });
        child.join();
    });
    std::thread outside([&] {
        while (!began) {
            std::this_thread::yield();
        }
        cancel(t);
        go = true;
    });
    EXPECT_TRUE(t.wait_for(patience));
    outside.join();
    t.join();
}

TEST(cancel, ends_a_task_groups_wait) {
    std::atomic<int> destroyed{0};
    expect_ended_by_cancel({"task group",
                            [&] {
                                lazult::task_group group;
                                for (int i = 0; i < 4; ++i) {
                                    group.run([&] {
                                        const witness here{&destroyed};
                                        this_thread::sleep_for(this_thread::get_stop_token(),
                                                               long_time);
                                    });
                                }
                                group.wait();
                            }},
                           lazult::technique::adaptive, 2ms);
}

TEST(cancel, does_not_end_the_locking_of_a_mutex) {
    lazult::mutex m;
    lazult::shared_mutex shared;
    m.lock();
    shared.lock();
    std::atomic<int> locked{0};
    std::atomic<bool> went_on{false};
    thread t([&] {
        m.lock();
        m.unlock();
        ++locked;
        shared.lock_shared();
        shared.unlock_shared();
        ++locked;
        this_thread::sleep_for(long_time);
        went_on = true;
    });
    this_thread::sleep_for(2ms);
    cancel(t);
    EXPECT_FALSE(t.wait_for(20ms));
    m.unlock();
    EXPECT_TRUE(soon([&] { return locked == 1; }));
    EXPECT_FALSE(t.wait_for(20ms));
    shared.unlock();
    EXPECT_TRUE(t.wait_for(patience));
    EXPECT_EQ(locked, 2);
    EXPECT_FALSE(went_on);
    t.join();
}

// --- where it must not throw

struct waits_in_its_destructor {
    lazult::counting_semaphore<>& s;
    std::atomic<bool>& waited;
    ~waits_in_its_destructor() {
        s.acquire();
        this_thread::yield();
        waited = true;
    }
};

TEST(cancel, lets_waits_go_on_while_the_stack_is_unwound) {
    lazult::counting_semaphore<> s(0);
    std::atomic<bool> waited{false};
    thread t([&] {
        const waits_in_its_destructor here{s, waited};
        this_thread::sleep_for(long_time);
    });
    this_thread::sleep_for(2ms);
    cancel(t);
    this_thread::sleep_for(5ms);
    cancel(t);
    EXPECT_FALSE(t.wait_for(20ms));
    s.release();
    EXPECT_TRUE(t.wait_for(patience));
    EXPECT_TRUE(waited);
    t.join();
}

// The joined thread is no part of what is unwound.
TEST(cancel, spares_a_thread_that_a_destructor_joins_while_an_exception_passes) {
    lazult::counting_semaphore<> s(0);
    std::atomic<bool> waits{false};
    std::atomic<bool> ended{false};
    struct joiner {
        std::function<void()> run;
        ~joiner() { thread(run).join(); }
    };
    thread t([&] {
        try {
            const joiner here{[&] {
                waits = true;
                s.acquire();
                ended = true;
            }};
            throw 1;
        } catch (int) {
        }
    });
    ASSERT_TRUE(soon([&] { return waits.load(); }));
    this_thread::sleep_for(10ms);
    cancel(t);
    this_thread::sleep_for(10ms);
    s.release();
    t.join();
    EXPECT_TRUE(ended) << "the child was cancelled in its joiner's place";
}

TEST(cancel, lets_waits_go_on_where_it_is_disabled) {
    lazult::counting_semaphore<> s(0);
    std::atomic<int> steps{0};
    thread t([&] {
        {
            const this_thread::cancellation_disabled outer;
            {
                const this_thread::cancellation_disabled inner;
                s.acquire();
                ++steps;
            }
            this_thread::yield();
            s.acquire();
            ++steps;
        }
        this_thread::sleep_for(long_time);
        ++steps;
    });
    this_thread::sleep_for(2ms);
    cancel(t);
    EXPECT_FALSE(t.wait_for(20ms));
    s.release(2);
    EXPECT_TRUE(t.wait_for(patience));
    EXPECT_EQ(steps, 2);
    t.join();
}

TEST(cancel, does_not_end_the_join_in_a_threads_destructor) {
    lazult::counting_semaphore<> s(0);
    std::atomic<bool> ended{false};
    std::atomic<bool> began{false};
    thread t([&] {
        {
            thread child([&] {
                began = true;
                s.acquire();
                ended = true;
            });
            while (!began) {
                this_thread::yield();
            }
        }
        EXPECT_TRUE(ended);
        this_thread::sleep_for(long_time);
    });
    EXPECT_TRUE(soon([&] { return began.load(); }));
    this_thread::sleep_for(2ms);
    cancel(t);
    EXPECT_FALSE(t.wait_for(20ms));
    s.release();
    EXPECT_TRUE(t.wait_for(patience));
    t.join();
}

TEST(cancel, is_used_up_by_a_handler_that_does_not_throw_on) {
    lazult::counting_semaphore<> s(0);
    std::atomic<int> caught{0};
    thread t([&] {
        try {
            s.acquire();
        } catch (...) {
            ++caught;
        }
        s.acquire();
    });
    this_thread::sleep_for(2ms);
    cancel(t);
    EXPECT_TRUE(soon([&] { return caught == 1; }));
    EXPECT_FALSE(t.wait_for(10ms));
    s.release();
    t.join();
}

// Counts the objects that there are: each copy is one.
struct counted {
    std::atomic<int>* alive;

    explicit counted(std::atomic<int>& count) : alive(&count) { ++*alive; }
    counted(const counted& other) : alive(other.alive) { ++*alive; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive; }
};

TEST(cancel, destroys_the_callable_of_a_thread_that_went_on_to_its_end_once) {
    std::atomic<int> alive{0};
    std::atomic<int> began{0};
    lazult::mutex m;
    {
        const counted mine(alive);
        std::unique_lock hold(m);
        thread locks([mine, &m, &began] {
            ++began;
            const std::lock_guard wait(m);
        });
        thread catches([mine, &began] {
            ++began;
            try {
                this_thread::suspend();
            } catch (...) {
            }
        });
        ASSERT_TRUE(soon([&] { return began == 2; }));
        this_thread::sleep_for(10ms);
        cancel(locks);
        cancel(catches);
        this_thread::sleep_for(10ms);
        hold.unlock();
        locks.join();
        catches.join();
    }
    EXPECT_EQ(alive, 0);
}

TEST(cancel, destroys_the_callable_of_a_thread_that_never_began) {
    std::atomic<int> alive{0};
    bool ran = false;
    {
        lazult::pool unserved(lazult::pool_kind::shared_fifo);
        thread t(thread_attributes{.where = &unserved},
                 [mine = counted(alive), &ran] { ran = true; });
        cancel(t);
        const lazult::execution_stream serves(lazult::scheduler_kind::basic, {&unserved});
        t.wait();
        EXPECT_TRUE(t.canceled());
        t.join();
    }
    EXPECT_FALSE(ran);
    EXPECT_EQ(alive, 0);
}

// --- nothing is lost

// Threads take tokens and are cancelled at any moment; what they did not take is there in the end.
TEST(cancel_stress, loses_no_token) {
    for (int round = 0; round < 60; ++round) {
        lazult::counting_semaphore<> s(0);
        std::atomic<int> taken{0};
        std::atomic<int> began{0};
        constexpr int waiters = 16;
        std::vector<thread> all;
        for (int i = 0; i < waiters; ++i) {
            all.emplace_back(thread_attributes{.how = suspending_techniques[i % 6]}, [&, i] {
                ++began;
                for (;;) {
                    if (i % 3 == 0) {
                        taken += s.try_acquire_for(long_time) ? 1 : 0;
                    } else {
                        s.acquire();
                        ++taken;
                    }
                }
            });
        }
        ASSERT_TRUE(soon([&] { return began == waiters; }));
        int released = 0;
        for (int i = 0; i < waiters; ++i) {
            s.release(1 + i % 3);
            released += 1 + i % 3;
            if (i % 2 == 0) {
                this_thread::yield();
            }
            cancel(all[static_cast<std::size_t>((i * 7) % waiters)]);
        }
        for (thread& t : all) {
            t.join();
        }
        int left = 0;
        while (s.try_acquire()) {
            ++left;
        }
        ASSERT_EQ(taken + left, released) << "round " << round;
    }
}

TEST(cancel_stress, loses_no_element) {
    for (int round = 0; round < 30; ++round) {
        lazult::channel<int> c(2);
        std::atomic<int> sent{0};
        std::atomic<int> received{0};
        std::vector<thread> all;
        for (int i = 0; i < 12; ++i) {
            all.emplace_back([&, i] {
                for (;;) {
                    if (i % 2 == 0) {
                        sent += c.send(1) ? 1 : 0;
                    } else {
                        received += c.receive().value_or(0);
                    }
                }
            });
        }
        for (std::size_t i = 0; i < 12; ++i) {
            this_thread::sleep_for(50us);
            cancel(all[(i * 5) % 12]);
        }
        for (thread& t : all) {
            t.join();
        }
        int left = 0;
        while (c.try_receive()) {
            ++left;
        }
        ASSERT_EQ(sent, received + left) << "round " << round;
    }
}

// A notification that a cancelled waiter took is its own or another's: the patient ones all get
// theirs.
TEST(cancel_stress, loses_no_notification) {
    for (int round = 0; round < 60; ++round) {
        lazult::mutex m;
        lazult::condition_variable changed;
        int tokens = 0;
        std::atomic<int> patient_done{0};
        const auto take = [&] {
            std::unique_lock hold(m);
            changed.wait(hold, [&] { return tokens != 0; });
            --tokens;
        };
        std::vector<thread> hasty;
        std::vector<thread> patient;
        for (int i = 0; i < 6; ++i) {
            hasty.emplace_back([&] {
                std::unique_lock hold(m);
                changed.wait(hold, [] { return false; });
            });
            patient.emplace_back([&] {
                take();
                ++patient_done;
            });
        }
        this_thread::yield();
        std::thread notifier([&] {
            for (int i = 0; i < 6; ++i) {
                {
                    const std::unique_lock hold(m);
                    ++tokens;
                }
                changed.notify_all();
            }
        });
        for (thread& t : hasty) {
            cancel(t);
        }
        notifier.join();
        ASSERT_TRUE(soon([&] { return patient_done == 6; })) << "round " << round;
        lazult::join_many(patient);
        lazult::join_many(hasty);
    }
}

TEST(cancel_stress, meets_the_end_of_a_join) {
    for (int round = 0; round < 150; ++round) {
        std::atomic<bool> go{false};
        thread awaited([&] {
            while (!go) {
                this_thread::yield();
            }
        });
        std::atomic<bool> joins{false};
        thread joiner([&] {
            joins = true;
            awaited.wait();
        });
        ASSERT_TRUE(soon([&] { return joins.load(); }));
        std::thread ender([&] { go = true; });
        cancel(joiner);
        joiner.join();
        ender.join();
        awaited.join();
    }
}

TEST(cancel_stress, meets_a_resumption) {
    for (int round = 0; round < 200; ++round) {
        thread t([] {
            for (;;) {
                this_thread::suspend();
            }
        });
        this_thread::yield();
        const thread::id id = t.get_id();
        std::thread waker([&] {
            for (int i = 0; i < 3; ++i) {
                resume(id);
            }
        });
        cancel(t);
        t.wait();
        waker.join();
        t.join();
    }
}

TEST(cancel_stress, meets_the_end_of_a_sleep) {
    std::vector<thread> all;
    for (int i = 0; i < 300; ++i) {
        all.emplace_back([i] {
            for (;;) {
                this_thread::sleep_for(std::chrono::microseconds(50 + i % 100));
            }
        });
    }
    for (thread& t : all) {
        this_thread::sleep_for(20us);
        cancel(t);
    }
    lazult::join_many(all);
}

}  // namespace
