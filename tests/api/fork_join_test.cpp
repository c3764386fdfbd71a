// SPDX-License-Identifier: BSD-3-Clause
// Forks. The second part stays with its caller until a stream needs it.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/techniques.hpp"
#include "tests/support/code_of.hpp"

namespace {

using lazult::fork_join;
using lazult::forker;
using namespace std::chrono_literals;

using lazult::support::code_of;

template <int streams>
class forks : public testing::Test {
protected:
    static std::uint64_t units() { return lazult::statistics().created; }

private:
    const lazult::runtime running_{lazult::options{.streams = streams}};
};
using forks_on_one_stream = forks<1>;
using forks_on_two_streams = forks<2>;

long fib(forker fork, int n) {
    if (n < 2) {
        return n;
    }
    const auto [a, b] =
        fork.both([n](forker f) { return fib(f, n - 1); }, [n](forker f) { return fib(f, n - 2); });
    return a + b;
}

TEST_F(forks_on_one_stream, make_no_units_where_nobody_needs_them) {
    const std::uint64_t before = units();
    EXPECT_EQ(fork_join([](forker f) { return fib(f, 20); }), 6765);
    EXPECT_EQ(units(), before);
}

TEST_F(forks_on_one_stream, go_in_order_where_nobody_needs_them) {
    std::vector<int> order;
    fork_join([&](forker fork) {
        fork.both(
            [&](forker f) {
                f.both([&](forker) { order.push_back(1); }, [&](forker) { order.push_back(2); });
            },
            [&](forker) { order.push_back(3); });
    });
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST_F(forks_on_one_stream, return_the_values_that_there_are) {
    fork_join([](forker fork) {
        const auto nothing = [](forker) {};
        const auto seven = [](forker) { return 7; };
        const auto text = [](forker) { return std::string(100, 'x'); };
        static_assert(std::is_void_v<decltype(fork.both(nothing, nothing))>);
        fork.both(nothing, nothing);
        EXPECT_EQ(fork.both(seven, nothing), 7);
        EXPECT_EQ(fork.both(nothing, seven), 7);
        EXPECT_EQ(fork.both(text, nothing), std::string(100, 'x'));
        const auto [a, b] = fork.both(seven, text);
        EXPECT_EQ(a, 7);
        EXPECT_EQ(b, std::string(100, 'x'));
    });
    EXPECT_EQ(fork_join([](forker) { return std::make_unique<int>(5); }).operator*(), 5);
}

TEST_F(forks_on_one_stream, call_large_closures_themselves) {
    std::array<long, 20> numbers{};
    fork_join([&](forker fork) {
        auto large = [numbers, calls = 0](forker) mutable { return ++calls + numbers[3]; };
        fork.both([](forker) { lazult::this_thread::yield(); }, large);
        EXPECT_EQ(fork.both([](forker) {}, large), 2);
    });
}

TEST_F(forks_on_one_stream, hold_values_that_cannot_be_copied) {
    const auto one = [](forker) { return std::make_unique<int>(1); };
    const auto two = [](forker) {
        lazult::this_thread::yield();
        return std::make_unique<int>(2);
    };
    fork_join([&](forker fork) {
        const auto [a, b] = fork.both(two, one);
        const auto [c, d] = fork.both(one, two);
        EXPECT_EQ(*a + *b + *c + *d, 6);
    });
}

int one(forker) { return 1; }

struct only_moved {
    explicit only_moved(int n) : number(n) {}
    only_moved(only_moved&&) = default;
    only_moved& operator=(only_moved&&) = default;
    int number;
};

TEST_F(forks_on_one_stream, take_functions_and_values_that_are_only_moved) {
    fork_join([](forker fork) {
        const auto [a, b] = fork.both(one, one);
        const auto [c, d] =
            fork.both([](forker) { return only_moved(3); }, [](forker) { return only_moved(4); });
        const auto [e, f] = fork.both(one, [](forker) { return 5; });
        EXPECT_EQ(a + b + c.number + d.number + e + f, 15);
    });
}

// --- the first part waits for the second

TEST_F(forks_on_one_stream, may_wait_for_the_second_by_an_eventual) {
    lazult::eventual<int> sent;
    fork_join([&](forker fork) {
        EXPECT_EQ(fork.both([&](forker) { return sent.wait(); }, [&](forker) { sent.set(4); }), 4);
    });
}

TEST_F(forks_on_one_stream, may_wait_for_the_second_by_yields) {
    std::atomic<bool> come{false};
    fork_join([&](forker fork) {
        fork.both(
            [&](forker) {
                while (!come) {
                    lazult::this_thread::yield();
                }
            },
            [&](forker) { come = true; });
    });
    EXPECT_TRUE(come);
}

TEST_F(forks_on_one_stream, may_wait_in_a_thread_that_the_first_joins) {
    lazult::eventual<int> sent;
    fork_join([&](forker fork) {
        fork.both([&](forker) { lazult::thread([&] { EXPECT_EQ(sent.wait(), 4); }).join(); },
                  [&](forker) { sent.set(4); });
    });
}

// Each waits for all that was put off before it, and puts more off behind it.
int wait_at_each_level(forker fork, int depth, std::vector<lazult::eventual<int>>& sent) {
    if (depth == 0) {
        return 0;
    }
    const auto index = static_cast<std::size_t>(depth - 1);
    const auto [below, here] = fork.both(
        [&sent, depth](forker f) {
            const int value = sent[static_cast<std::size_t>(depth - 1)].wait();
            return value + wait_at_each_level(f, depth - 1, sent);
        },
        [&sent, index](forker) {
            sent[index].set(1);
            return 1;
        });
    return below + here;
}

TEST_F(forks_on_one_stream, may_suspend_and_fork_again) {
    std::vector<lazult::eventual<int>> sent(40);
    EXPECT_EQ(fork_join([&](forker f) { return wait_at_each_level(f, 40, sent); }), 80);
}

// A first part that comes back from a suspension keeps calls again, and gives them away at the next
// one.
TEST_F(forks_on_one_stream, are_kept_again_after_a_suspension) {
    lazult::eventual<int> first;
    lazult::eventual<int> second;
    std::uint64_t before = 0;
    std::uint64_t between = 0;
    fork_join([&](forker fork) {
        fork.both(
            [&](forker outer) {
                first.wait();
                before = units();
                fib(outer, 10);
                between = units();
                outer.both([&](forker) { second.wait(); }, [&](forker) { second.set(1); });
            },
            [&](forker) { first.set(1); });
    });
    EXPECT_EQ(between, before);
    EXPECT_EQ(units(), between + 1);
}

TEST_F(forks_on_one_stream, share_a_mutex_that_is_held_over_a_yield) {
    lazult::mutex m;
    int sum = 0;
    const auto add = [&](forker) {
        m.lock();
        const int seen = sum;
        lazult::this_thread::yield();
        sum = seen + 1;
        m.unlock();
    };
    fork_join([&](forker fork) {
        fork.both([&](forker f) { f.both(add, add); }, [&](forker f) { f.both(add, add); });
    });
    EXPECT_EQ(sum, 4);
}

long fib_with_a_wait(forker fork, int n, lazult::mutex& m, std::atomic<int>& calls) {
    if (n < 2) {
        if (++calls % 100 == 0) {
            m.lock();
            lazult::this_thread::yield();
            m.unlock();
        }
        return n;
    }
    const auto [a, b] = fork.both([&, n](forker f) { return fib_with_a_wait(f, n - 1, m, calls); },
                                  [&, n](forker f) { return fib_with_a_wait(f, n - 2, m, calls); });
    return a + b;
}

TEST_F(forks_on_one_stream, may_block_now_and_then) {
    lazult::mutex m;
    std::atomic<int> calls{0};
    EXPECT_EQ(fork_join([&](forker f) { return fib_with_a_wait(f, 18, m, calls); }), 2584);
}
TEST_F(forks_on_two_streams, may_block_now_and_then) {
    for (int round = 0; round < 10; ++round) {
        lazult::mutex m;
        std::atomic<int> calls{0};
        EXPECT_EQ(fork_join([&](forker f) { return fib_with_a_wait(f, 18, m, calls); }), 2584);
    }
}

// The outer second part waits for what its caller does after an inner fork. Where nothing is given
// away, that has come before.
TEST_F(forks_on_one_stream, do_not_wait_for_one_another_because_they_were_given_together) {
    lazult::eventual<int> sent;
    fork_join([&](forker fork) {
        fork.both(
            [&](forker f) {
                f.both([](forker) { lazult::this_thread::yield(); }, [](forker) {});
                sent.set(1);
            },
            [&](forker) { sent.wait(); });
    });
}

TEST_F(forks_on_one_stream, may_lock_what_the_caller_holds_over_an_inner_fork) {
    lazult::mutex m;
    int sum = 0;
    fork_join([&](forker fork) {
        fork.both(
            [&](forker f) {
                const std::lock_guard hold(m);
                f.both([&](forker) { lazult::this_thread::yield(); }, [&](forker) { ++sum; });
            },
            [&](forker) {
                const std::lock_guard hold(m);
                ++sum;
            });
    });
    EXPECT_EQ(sum, 2);
}

long fib_of_yields(forker fork, int n) {
    if (n < 2) {
        lazult::this_thread::yield();
        return n;
    }
    const auto [a, b] = fork.both([n](forker f) { return fib_of_yields(f, n - 1); },
                                  [n](forker f) { return fib_of_yields(f, n - 2); });
    return a + b;
}

// However often its parts suspend, a tree is as deep as it is.
TEST_F(forks_on_one_stream, may_all_suspend) {
    EXPECT_EQ(fork_join([](forker f) { return fib_of_yields(f, 18); }), 2584);
}

// --- depth

int count_down(forker fork, int n, bool first) {
    if (n == 0) {
        return 0;
    }
    const auto one = [](forker) { return 1; };
    const auto rest = [n, first](forker f) { return count_down(f, n - 1, first); };
    const auto [a, b] = first ? fork.both(rest, one) : fork.both(one, rest);
    return a + b;
}

TEST_F(forks_on_one_stream, may_be_deeper_than_there_are_slots) {
    const auto count = [](bool first) {
        lazult::thread_attributes roomy;
        roomy.stack_size = 4 << 20;
        int sum = 0;
        lazult::thread(roomy, [&] {
            sum = fork_join([first](forker f) { return count_down(f, 2000, first); });
        }).join();
        return sum;
    };
    EXPECT_EQ(count(true), 2000);
    EXPECT_EQ(count(false), 2000);
}

int use_stack(forker fork, int n) {
    volatile char frame[4096];
    frame[0] = 1;
    if (n == 0) {
        return frame[0];
    }
    const auto [a, b] =
        fork.both([n](forker f) { return use_stack(f, n - 1); }, [](forker) { return 1; });
    return a + b + frame[0] - 1;
}

// A part has as much stack as its caller, whichever thread runs it. Here it uses one megabyte of
// two.
TEST_F(forks_on_two_streams, have_the_stack_of_their_caller) {
    lazult::thread_attributes roomy;
    roomy.stack_size = 2 << 20;
    int sum = 0;
    lazult::thread(roomy, [&] {
        sum = fork_join([](forker fork) {
            const auto [a, b] = fork.both(
                [](forker) {
                    lazult::this_thread::yield();
                    return 0;
                },
                [](forker f) { return use_stack(f, 250); });
            return a + b;
        });
    }).join();
    EXPECT_EQ(sum, 251);
}

// --- exceptions

struct marked {
    int number;
};

template <class F>
int thrown_by(F&& body) {
    try {
        fork_join(body);
    } catch (const marked& m) {
        return m.number;
    }
    return 0;
}

TEST_F(forks_on_one_stream, rethrow) {
    const auto passes = [](forker) {};
    const auto one = [](forker) { throw marked{1}; };
    const auto two = [](forker) {
        lazult::this_thread::yield();
        throw marked{2};
    };
    EXPECT_EQ(thrown_by(one), 1);
    EXPECT_EQ(thrown_by([&](forker f) { f.both(one, passes); }), 1);
    EXPECT_EQ(thrown_by([&](forker f) { f.both(passes, one); }), 1);
    EXPECT_EQ(thrown_by([&](forker f) { f.both(one, two); }), 1);
    EXPECT_EQ(thrown_by([&](forker f) { f.both(two, one); }), 2);
}

TEST_F(forks_on_one_stream, wait_for_a_second_part_that_runs_when_the_first_throws) {
    bool ended = false;
    EXPECT_EQ(thrown_by([&](forker f) {
                  f.both(
                      [](forker) {
                          lazult::this_thread::yield();
                          throw marked{1};
                      },
                      [&](forker) {
                          for (int i = 0; i < 5; ++i) {
                              lazult::this_thread::yield();
                          }
                          ended = true;
                      });
              }),
              1);
    EXPECT_TRUE(ended);
    EXPECT_EQ(fork_join([](forker f) { return fib(f, 10); }), 55);
}

TEST_F(forks_on_one_stream, say_so_where_a_call_returns_no_value) {
    EXPECT_EQ(code_of([] {
                  fork_join([](forker f) {
                      f.both([](forker) { lazult::this_thread::yield(); },
                             [](forker) -> std::string { lazult::this_thread::exit(); });
                  });
              }),
              lazult::errc::canceled);
}

TEST_F(forks_on_one_stream, may_each_end_their_threads) {
    const auto end = [](forker) -> int {
        lazult::this_thread::yield();
        lazult::this_thread::exit();
    };
    const auto give_way = [](forker) { lazult::this_thread::yield(); };
    EXPECT_EQ(code_of([&] {
                  fork_join([&](forker f) {
                      f.both([&](forker g) { g.both(give_way, [&](forker) { return end(g); }); },
                             end);
                  });
              }),
              lazult::errc::canceled);
}

// --- where they may be used

TEST_F(forks_on_two_streams, are_refused_in_a_tasklet) {
    lazult::errc code{};
    lazult::tasklet([&] {
        code = code_of([] { fork_join([](forker f) { return fib(f, 5); }); });
    }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
}

TEST_F(forks_on_two_streams, may_be_made_by_an_outside_thread) {
    long sum = 0;
    int thrown = 0;
    std::thread([&] {
        sum = fork_join([](forker f) { return fib(f, 15); });
        thrown = thrown_by([](forker) { throw marked{3}; });
    }).join();
    EXPECT_EQ(sum, 610);
    EXPECT_EQ(thrown, 3);
}

TEST_F(forks_on_two_streams, say_so_where_an_outside_threads_call_ends_its_thread) {
    lazult::errc code{};
    std::thread([&] {
        code =
            code_of([] { fork_join([](forker) -> std::string { lazult::this_thread::exit(); }); });
    }).join();
    EXPECT_EQ(code, lazult::errc::canceled);
}

TEST_F(forks_on_two_streams, nest) {
    EXPECT_EQ(fork_join([](forker f) {
                  const auto [a, b] =
                      f.both([](forker) { return fork_join([](forker g) { return fib(g, 15); }); },
                             [](forker g) { return fib(g, 15); });
                  return a + b;
              }),
              1220);
}

TEST(forks, work_with_each_technique) {
    for (const lazult::technique how : lazult::api_test::suspending_techniques) {
        const lazult::runtime running{lazult::options{.streams = 2, .how = how}};
        lazult::mutex m;
        std::atomic<int> calls{0};
        long sum = 0;
        lazult::thread([&] {
            sum = fork_join([&](forker f) { return fib_with_a_wait(f, 15, m, calls); });
        }).join();
        EXPECT_EQ(sum, 610) << static_cast<int>(how);
    }
}

// --- others ask for work

// Forks until somebody else has made one of the calls.
bool spreads(forker fork, std::thread::id mine, std::chrono::steady_clock::time_point end) {
    const auto is_elsewhere = [mine](forker) { return std::this_thread::get_id() != mine; };
    while (std::chrono::steady_clock::now() < end) {
        const auto [a, b] = fork.both(
            [is_elsewhere](forker f) {
                const auto [c, d] = f.both(is_elsewhere, is_elsewhere);
                return c || d;
            },
            is_elsewhere);
        if (a || b) {
            return true;
        }
    }
    return false;
}

TEST_F(forks_on_two_streams, give_work_to_a_stream_that_has_none) {
    for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(fork_join([](forker f) {
            return spreads(f, std::this_thread::get_id(), std::chrono::steady_clock::now() + 20s);
        }));
        lazult::this_thread::sleep_for(50ms);  // the watch has ended: the next one begins it anew
    }
}

// Parts that block their OS threads: so as many streams as there are can take part.
TEST(forks, wake_one_stream_after_another) {
    const lazult::runtime running{lazult::options{.streams = 4}};
    std::mutex lock;
    std::set<std::thread::id> seen;
    const auto block = [&](forker) {
        std::this_thread::sleep_for(2ms);
        const std::lock_guard hold(lock);
        seen.insert(std::this_thread::get_id());
    };
    const auto many_blocks = [&](auto& self, forker fork, int n) -> void {
        if (n == 0) {
            return block(fork);
        }
        fork.both([&](forker f) { self(self, f, n - 1); }, [&](forker f) { self(self, f, n - 1); });
    };
    std::this_thread::sleep_for(50ms);  // until all sleep
    fork_join([&](forker f) { many_blocks(many_blocks, f, 8); });
    EXPECT_EQ(seen.size(), 4U);
}

// A tree with leaves that block their OS threads, which so leave their processors to others.
// Returns whether another OS thread than `mine` has run a leaf.
bool blocks_elsewhere(forker fork, std::thread::id mine, int n) {
    if (n == 0) {
        std::this_thread::sleep_for(500us);
        return std::this_thread::get_id() != mine;
    }
    const auto [a, b] = fork.both([=](forker f) { return blocks_elsewhere(f, mine, n - 1); },
                                  [=](forker f) { return blocks_elsewhere(f, mine, n - 1); });
    return a || b;
}

// The stream of the first thread has a pool of its own, at which none of the others sleeps.
TEST_F(forks_on_two_streams, give_work_to_a_stream_that_slept_when_another_one_forked) {
    lazult::pool own(lazult::pool_kind::private_fifo);
    const lazult::execution_stream serves(lazult::scheduler_kind::basic, {&own});
    std::this_thread::sleep_for(50ms);  // until all sleep
    lazult::thread t(lazult::thread_attributes{.where = &own},
                     [] { fork_join([](forker f) { f.both([](forker) {}, [](forker) {}); }); });
    t.join();
    std::this_thread::sleep_for(5ms);  // the watch goes on
    const auto end = std::chrono::steady_clock::now() + 20s;
    bool has_help = false;
    while (!has_help && std::chrono::steady_clock::now() < end) {
        has_help = fork_join(
            [mine = std::this_thread::get_id()](forker f) { return blocks_elsewhere(f, mine, 4); });
    }
    EXPECT_TRUE(has_help);
}

long page_faults() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
}

TEST_F(forks_on_one_stream, cost_no_memory_anew_after_many_were_open_at_once) {
    constexpr int many = 1500;
    lazult::latch all(many);
    std::vector<lazult::thread> threads;
    for (int i = 0; i < many; ++i) {
        threads.emplace_back([&] {
            fork_join(
                [&](forker f) { f.both([&](forker) { all.arrive_and_wait(); }, [](forker) {}); });
        });
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
    const long before = page_faults();
    for (int i = 0; i < many; ++i) {
        fork_join([](forker f) { f.both([](forker) {}, [](forker) {}); });
    }
    EXPECT_LT(page_faults() - before, many / 2);
}

// Few ever have so many at once.
TEST_F(forks_on_two_streams, may_be_many) {
    std::atomic<long> sum{0};
    lazult::latch all(200);
    std::vector<lazult::thread> threads;
    for (int i = 0; i < 200; ++i) {
        threads.emplace_back([&] {
            fork_join([&](forker f) {
                f.both([&](forker) { all.arrive_and_wait(); },
                       [&](forker g) { sum += fib(g, 10); });
            });
        });
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(sum, 200 * 55);
}

TEST_F(forks_on_two_streams, let_a_cancelled_thread_unwind) {
    std::atomic<bool> began{false};
    std::atomic<bool> second_ended{false};
    lazult::thread t([&] {
        fork_join([&](forker f) {
            f.both([](forker) { lazult::this_thread::sleep_for(60s); },
                   [&](forker) {
                       began = true;  // so the first part has suspended
                       lazult::this_thread::sleep_for(1ms);
                       second_ended = true;
                   });
        });
    });
    while (!began) {
        lazult::this_thread::yield();
    }
    lazult::cancel(t);
    t.join();
    EXPECT_TRUE(second_ended);
}

}  // namespace
