// SPDX-License-Identifier: BSD-3-Clause
// The C++ door: in each round several cases run beside each other, drawn by the seed, and each of
// them knows what must come out.
#include <lazult/lazult.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tools/soak/io_cases.hpp"

namespace {

using namespace std::chrono_literals;
using lazult::soak::generator;
using lazult::soak::load;

constexpr std::array techniques{
    lazult::technique::full,
    lazult::technique::lazy_stack,
    lazult::technique::return_on_completion,
    lazult::technique::stack_separation,
    lazult::technique::scheduler_creation,
    lazult::technique::run_to_completion,
    lazult::technique::adaptive,
};

// Of those that may suspend.
lazult::technique any_ult(generator& random) {
    constexpr unsigned run_to_completion = 5;
    const unsigned drawn = random.below(techniques.size() - 1);
    return techniques[drawn < run_to_completion ? drawn : drawn + 1];
}
lazult::technique any(generator& random) { return techniques[random.below(techniques.size())]; }

void maybe_yield(generator& random) {
    if (random.below(4) == 0) {
        lazult::this_thread::yield();
    }
}

// --- cases. Each is given its own generator.

std::uint64_t tree(std::uint64_t seed, unsigned depth) {
    generator random(seed);
    if (depth == 0) {
        maybe_yield(random);
        return 1;
    }
    std::uint64_t left = 0;
    lazult::thread child({.how = any_ult(random)}, [&] { left = tree(seed * 2, depth - 1); });
    maybe_yield(random);
    const std::uint64_t right = tree(seed * 2 + 1, depth - 1);
    child.join();
    return left + right;
}
void fork_join(load& all, generator& random) {
    const unsigned depth = 4 + random.below(5);
    all.expect(tree(random.next(), depth), std::uint64_t{1} << depth,
               "leaves of a tree of threads");
    all.count(std::uint64_t{1} << depth);
}

// All six techniques and what suspends none of them.
void batches(load& all, generator& random) {
    const unsigned count = 50 + random.below(400);
    std::atomic<std::uint64_t> sum{0};
    std::vector<lazult::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        threads.emplace_back(lazult::thread_attributes{.how = any(random)},
                             [&sum, i] { sum.fetch_add(i, std::memory_order_relaxed); });
    }
    if (random.below(2) == 0) {
        lazult::join_many(threads);
    } else {
        for (unsigned i = 0; i < count; ++i) {
            threads[random.below(2) == 0 ? i : count - 1 - i].wait();
        }
    }
    threads.clear();
    all.expect(sum.load(), std::uint64_t{count} * (count - 1) / 2, "sum of a batch");
    all.count(count);
}

void channels(load& all, generator& random) {
    const unsigned senders = 1 + random.below(4);
    const unsigned each = 100 + random.below(400);
    lazult::channel<std::uint64_t> pipe(1 + random.below(16));
    std::atomic<std::uint64_t> sum{0};
    std::atomic<std::uint64_t> received{0};
    std::vector<lazult::thread> receivers;
    for (unsigned i = 0; i <= random.below(3); ++i) {
        receivers.emplace_back(lazult::thread_attributes{.how = any_ult(random)}, [&] {
            while (const auto value = pipe.receive()) {
                sum.fetch_add(*value, std::memory_order_relaxed);
                received.fetch_add(1, std::memory_order_relaxed);
            }
        });
    }
    lazult::task_group sending;
    for (unsigned s = 0; s < senders; ++s) {
        sending.run([&, s, seed = random.next()] {
            generator mine(seed);
            for (unsigned i = 0; i < each; ++i) {
                pipe.send(std::uint64_t{s} * each + i);
                maybe_yield(mine);
            }
        });
    }
    sending.wait();
    pipe.close();
    lazult::join_many(receivers);
    const std::uint64_t count = std::uint64_t{senders} * each;
    all.expect(received.load(), count, "elements received from a channel");
    all.expect(sum.load(), count * (count - 1) / 2, "sum of a channel's elements");
    all.count(count);
}

// A mutex, a condition and a shared mutex.
void locks(load& all, generator& random) {
    const unsigned members = 2 + random.below(8);
    const unsigned rounds = 20 + random.below(100);
    lazult::mutex m;
    lazult::condition_variable turn;
    lazult::shared_mutex table;
    std::uint64_t counter = 0;
    std::uint64_t written = 0;
    unsigned waiting_for = 0;
    lazult::task_group group;
    for (unsigned f = 0; f < members; ++f) {
        group.run([&, f, seed = random.next()] {
            generator mine(seed);
            for (unsigned i = 0; i < rounds; ++i) {
                {
                    const std::lock_guard hold(m);
                    ++counter;
                    maybe_yield(mine);
                }
                if (mine.below(4) == 0) {
                    const std::lock_guard hold(table);
                    ++written;
                } else {
                    const std::shared_lock hold(table);
                    maybe_yield(mine);
                }
            }
            std::unique_lock hold(m);
            turn.wait(hold, [&] { return waiting_for == f; });
            ++waiting_for;
            turn.notify_all();
        });
    }
    group.wait();
    all.expect(counter, std::uint64_t{members} * rounds, "turns under a mutex");
    all.expect(waiting_for, members, "threads that came in turn");
    all.count(2 * counter);
}

void barriers(load& all, generator& random) {
    const unsigned members = 2 + random.below(6);
    const unsigned rounds = 5 + random.below(40);
    lazult::barrier phase(members);
    lazult::latch done(members);
    std::atomic<std::uint64_t> last{0};
    std::atomic<std::uint64_t> arrived{0};
    std::vector<lazult::thread> threads;
    for (unsigned f = 0; f < members; ++f) {
        threads.emplace_back(lazult::thread_attributes{.how = any_ult(random)}, [&] {
            for (unsigned i = 0; i < rounds; ++i) {
                arrived.fetch_add(1, std::memory_order_relaxed);
                last.fetch_add(phase.arrive_and_wait() ? 1 : 0, std::memory_order_relaxed);
                all.expect(arrived.load() >= std::uint64_t{members} * (i + 1), true,
                           "arrivals before a barrier opens");
            }
            done.count_down();
        });
    }
    done.wait();
    lazult::join_many(threads);
    all.expect(last.load(), rounds, "threads that were the last at a barrier");
    all.count(std::uint64_t{members} * rounds);
}

void futures(load& all, generator& random) {
    const unsigned count = 10 + random.below(60);
    std::vector<lazult::future<unsigned>> results;
    for (unsigned i = 0; i < count; ++i) {
        results.push_back(lazult::async([i, seed = random.next()] {
            generator mine(seed);
            maybe_yield(mine);
            if (i % 7 == 3) {
                throw std::runtime_error("planned");
            }
            return i;
        }));
    }
    std::uint64_t sum = 0;
    std::uint64_t thrown = 0;
    for (auto& each : results) {
        try {
            sum += each.get();
        } catch (const std::runtime_error&) {
            lazult::this_thread::yield();
            ++thrown;
        }
    }
    std::uint64_t wanted = 0;
    std::uint64_t wanted_thrown = 0;
    for (unsigned i = 0; i < count; ++i) {
        (i % 7 == 3 ? wanted_thrown : wanted) += i % 7 == 3 ? 1 : i;
    }
    all.expect(sum, wanted, "sum of futures");
    all.expect(thrown, wanted_thrown, "exceptions that futures carry");
    all.count(count);
}

// Sleeps, waits that time out, and waits that are served in time.
void timers(load& all, generator& random) {
    const unsigned members = 2 + random.below(10);
    lazult::counting_semaphore<> tokens(0);
    std::atomic<std::uint64_t> got{0};
    lazult::task_group group;
    for (unsigned f = 0; f < members; ++f) {
        group.run([&, seed = random.next()] {
            generator mine(seed);
            lazult::this_thread::sleep_for(std::chrono::microseconds(mine.below(2000)));
            while (!tokens.try_acquire_for(std::chrono::microseconds(1 + mine.below(500)))) {
            }
            got.fetch_add(1, std::memory_order_relaxed);
        });
    }
    for (unsigned f = 0; f < members; ++f) {
        lazult::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
        tokens.release();
    }
    group.wait();
    all.expect(got.load(), members, "tokens taken with a deadline");
    all.expect(tokens.try_acquire(), false, "tokens left");
    all.count(members);
}

// Threads that are cancelled wherever they are: their destructors run, once each.
void cancellations(load& all, generator& random) {
    struct guard {
        std::atomic<std::uint64_t>& gone;
        ~guard() { gone.fetch_add(1, std::memory_order_relaxed); }
    };
    const unsigned count = 2 + random.below(20);
    std::atomic<std::uint64_t> begun{0};
    std::atomic<std::uint64_t> gone{0};
    std::vector<lazult::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        threads.emplace_back(lazult::thread_attributes{.how = any_ult(random)}, [&] {
            const guard mine{gone};
            begun.fetch_add(1, std::memory_order_relaxed);
            for (;;) {
                lazult::this_thread::yield();
            }
        });
        maybe_yield(random);
    }
    for (const lazult::thread& each : threads) {
        lazult::cancel(each);
    }
    lazult::join_many(threads);
    all.expect(gone.load(), begun.load(), "destructors of threads that were cancelled");
    all.count(count);
}

// OS threads that are no streams create, join and lock.
void outsiders(load& all, generator& random) {
    if (!load::may_make_os_threads(random)) {
        return;
    }
    const unsigned members = 1 + random.below(3);
    lazult::mutex m;
    lazult::latch ended(
        members);  // no stream of ours may sleep in the system until others have run
    std::uint64_t counter = 0;
    std::vector<std::thread> threads;
    for (unsigned f = 0; f < members; ++f) {
        threads.emplace_back([&, seed = random.next()] {
            generator mine(seed);
            for (int i = 0; i < 20; ++i) {
                lazult::thread child({.how = any_ult(mine)}, [&] {
                    const std::lock_guard hold(m);
                    ++counter;
                    lazult::this_thread::yield();
                });
                const std::lock_guard hold(m);
                ++counter;
                child.detach();
            }
            ended.count_down();
        });
    }
    ended.wait();
    for (std::thread& each : threads) {
        each.join();
    }
    const std::uint64_t wanted = std::uint64_t{40} * members;
    for (;;) {
        {
            const std::lock_guard hold(m);
            if (counter >= wanted) {
                break;
            }
        }
        lazult::this_thread::sleep_for(50us);
    }
    all.expect(counter, wanted, "turns of OS threads and of their threads");
    all.count(wanted);
}

// Streams come and go, with pools of each kind.
void streams(load& all, generator& random) {
    if (!load::may_make_os_threads(random)) {
        return;
    }
    constexpr std::array kinds{lazult::pool_kind::private_fifo, lazult::pool_kind::shared_fifo,
                               lazult::pool_kind::priority};
    lazult::pool own(kinds[random.below(kinds.size())]);
    lazult::pool shared(lazult::pool_kind::shared_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&own, &shared});
    const unsigned count = 10 + random.below(200);
    std::atomic<std::uint64_t> here{0};
    std::vector<lazult::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        threads.emplace_back(
            lazult::thread_attributes{.how = any_ult(random),
                                      .where = random.below(2) == 0 ? &own : &shared},
            [&] {
                lazult::this_thread::yield();
                here.fetch_add(lazult::this_thread::stream_rank() == stream.rank() ? 1 : 0,
                               std::memory_order_relaxed);
            });
    }
    lazult::join_many(threads);
    stream.join();
    all.expect(here.load(), count, "threads that ran on their stream");
    all.count(count);
}

void loops(load& all, generator& random) {
    const std::uint64_t count = 100 + random.below(20'000);
    const lazult::chunking how = random.below(2) == 0   ? lazult::static_chunks()
                                 : random.below(2) == 0 ? lazult::dynamic_chunks(16)
                                                        : lazult::guided_chunks(4);
    const std::uint64_t sum = lazult::parallel_reduce(
        std::uint64_t{0}, count, std::uint64_t{0}, [](std::uint64_t i) { return i; },
        [](std::uint64_t a, std::uint64_t b) { return a + b; }, how);
    all.expect(sum, count * (count - 1) / 2, "sum of a loop");
    all.count(count);
}

// Many that are suspended at once, deep in their stacks.
void crowd(load& all, generator& random, unsigned count) {
    lazult::latch arrived(count);
    lazult::latch gate(1);
    std::atomic<std::uint64_t> passed{0};
    std::vector<lazult::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        threads.emplace_back(lazult::thread_attributes{.how = any_ult(random)}, [&] {
            volatile char deep[4096];
            deep[0] = 1;
            arrived.count_down();
            gate.wait();
            passed.fetch_add(static_cast<std::uint64_t>(deep[0]), std::memory_order_relaxed);
        });
    }
    arrived.wait();
    gate.count_down();
    lazult::join_many(threads);
    all.expect(passed.load(), count - (all.loses() ? 1 : 0), "threads that passed a latch");
    all.count(count);
}

// One crowd at a time, and all alike, for what main() says.
void crowds(load& all, generator& random) {
    constexpr unsigned count = 1000;
    static lazult::mutex one_at_a_time;
    const std::lock_guard hold(one_at_a_time);
    crowd(all, random, count);
}

constexpr std::array cases{fork_join, batches,       channels,  locks,   barriers, futures,
                           timers,    cancellations, outsiders, streams, loops,    crowds};

// One case in three waits in the kernel.
void any_case(load& all, generator& random) {
    const unsigned drawn = random.below(3 * cases.size());
    if (drawn % 3 == 0) {
        lazult::soak::io_cases[random.below(lazult::soak::io_cases.size())](all, random);
    } else {
        cases[drawn / 3](all, random);
    }
}

}  // namespace

int main(int argc, char** argv) {
    load all("native", argc, argv);
    // So few helpers are all started soon, and then the number of OS threads is flat.
    const lazult::runtime running({.streams = 3, .bind = lazult::bind_kind::off, .io_helpers = 3});
    // There are as many stacks as were ever in use at once, so the most must come early for their
    // number to be flat afterwards: more than a crowd, three of the largest trees and what streams
    // keep.
    constexpr unsigned most_at_once = 3000;
    while (all.next_round()) {
        generator random(all.seed());
        if (all.is_first_round()) {
            crowd(all, random, most_at_once);
            for (const auto each : lazult::soak::io_cases) {
                each(all, random);
            }
        }
        lazult::task_group group;
        const unsigned members = 1 + random.below(4);
        for (unsigned f = 0; f < members; ++f) {
            group.run([&all, seed = random.next()] {
                generator mine(seed);
                any_case(all, mine);
            });
        }
        group.wait();
    }
}
