// SPDX-License-Identifier: BSD-3-Clause
// Threads of the C++ door use OpenMP: each is an initial thread of its own, its teams run on the
// streams, and no OS thread is made for them.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <lazult/lazult.hpp>
#include <vector>

#include "check.h"
#include "tests/support/os_threads.h"

namespace {

using namespace std::chrono_literals;

template <class F>
void run_many(int count, F body) {
    std::vector<lazult::thread> all;
    for (int i = 0; i < count; ++i) {
        all.emplace_back([=] {
            omp_set_max_active_levels(4);
            body(i);
        });
    }
}

// Barriers, critical, single and loops, with suspensions in between.
void visit(int size) {
    int together = 0;
    long sum = 0;
    int singles = 0;
#pragma omp parallel num_threads(size)
    {
        CHECK(omp_get_num_threads() == size && omp_get_level() == 1);
        const int mine = omp_get_thread_num();
        for (int round = 1; round <= 3; ++round) {
#pragma omp atomic
            ++together;
            lazult::this_thread::yield();
#pragma omp barrier
            CHECK(together == round * size);
#pragma omp single
            ++singles;
            CHECK(omp_get_thread_num() == mine);
        }
#pragma omp for schedule(dynamic)
        for (int i = 1; i <= 20; ++i) {
#pragma omp critical
            {
                const long seen = sum;
                if (i % 5 == 0) {
                    lazult::this_thread::yield();
                }
                sum = seen + i;
            }
        }
    }
    CHECK(together == 3 * size && sum == 210 && singles == 3);
    CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1);
}

void regions_at_once() {
    run_many(24, [](int i) {
        for (int round = 0; round < 10; ++round) {
            visit(1 + (i + round) % 5);
        }
    });
}

void variables_are_each_ones_own() {
    run_many(16, [](int i) {
        omp_set_num_threads(1 + i);
        for (int round = 0; round < 5; ++round) {
            lazult::this_thread::yield();
            CHECK(omp_get_max_threads() == 1 + i);
            std::atomic<int> size{0};
#pragma omp parallel
            ++size;
            CHECK(size == 1 + i);
        }
    });
}

long fib(int n) {
    if (n < 2) {
        return n;
    }
    long a = 0;
    long b = 0;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

void trees_of_tasks() {
    run_many(6, [](int i) {
        long found = 0;
#pragma omp parallel num_threads(1 + i % 4)
#pragma omp single
        found = fib(15);
        CHECK(found == 610);
    });
}

// The last task lets all others go on, and there are more of them than threads.
void block_all(int threads, int tasks) {
    lazult::eventual<int> gate;
    std::atomic<int> passed{0};
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(gate, passed)
        {
            if (i == tasks / 2) {
                gate.set(1);
            }
            gate.wait();
            if (i % 8 == 0) {
                lazult::this_thread::sleep_for(1ms);
            }
            ++passed;
        }
    }
    CHECK(passed == tasks);
}

void tasks_that_all_block() {
    for (int threads = 1; threads <= 4; ++threads) {
        block_all(threads, 100);
    }
}

void nested_tasks_that_all_block() {
#pragma omp parallel num_threads(3)
    for (int threads = 1; threads <= 3; ++threads) {
        block_all(threads, 60);
    }
}

// No thread is at a scheduling point: the creator of the tasks waits for them by other means.
void creator_blocks() {
    std::atomic<int> passed{0};
#pragma omp parallel num_threads(1)
    {
        lazult::eventual<int> all_passed;
        for (int i = 0; i < 50; ++i) {
#pragma omp task shared(passed, all_passed)
            if (++passed == 50) {
                all_passed.set(1);
            }
        }
        all_passed.wait();
    }
    CHECK(passed == 50);
}

void library(int* calls) {
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        ++*calls;
#pragma omp barrier
    }
}

void library_at_two_levels() {
    int calls = 0;
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
    library(&calls);
    CHECK(calls == 18);
}

void moves_between_streams() {
    std::atomic<bool> inside{false};
    std::atomic<bool> asked{false};
    int sum = 0;
    lazult::thread moved([&] {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            inside = true;
            while (!asked) {
                lazult::this_thread::yield();
            }
            sum += 1;
#pragma omp barrier
        }
        lazult::this_thread::yield();
    });
    while (!inside) {
        lazult::this_thread::yield();
    }
    lazult::pool other = lazult::this_stream::default_pool();
    lazult::migrate(moved, other);
    asked = true;
    moved.join();
    CHECK(sum == 3);
}

void cancelled_in_a_region() {
    std::atomic<bool> inside{false};
    std::atomic<bool> asked{false};
    std::atomic<int> ended{0};
    std::atomic<bool> went_on{false};
    lazult::thread gone([&] {
#pragma omp parallel num_threads(3)
        {
            inside = true;
            while (!asked) {
                lazult::this_thread::yield();
            }
            ++ended;
        }
        lazult::this_thread::yield();
        lazult::this_thread::yield();
        went_on = true;
    });
    while (!inside) {
        lazult::this_thread::yield();
    }
    lazult::cancel(gone);
    asked = true;
    gone.join();
    CHECK(ended == 3 && !went_on);
}

void nested_locks_belong_to_one() {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    int inside = 0;
    run_many(12, [&lock, &inside](int) {
        for (int round = 0; round < 20; ++round) {
            omp_set_nest_lock(&lock);
            omp_set_nest_lock(&lock);
            CHECK(++inside == 1);
            lazult::this_thread::yield();
            CHECK(--inside == 0);
            omp_unset_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
        }
    });
    omp_destroy_nest_lock(&lock);
}

void tasks_outside_of_regions() {
    run_many(12, [](int) {
        int done = 0;
        for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
            {
                lazult::this_thread::yield();
                ++done;
            }
        }
#pragma omp taskwait
        CHECK(done == 20);
#pragma omp task shared(done)
        {
#pragma omp parallel num_threads(3) reduction(+ : done)
            ++done;
        }
#pragma omp taskwait
        CHECK(done == 23);
    });
}

long deep(long left) {
    long below = 0;
    if (left > 0) {
#pragma omp task shared(below)
        below = deep(left - 1);
#pragma omp taskwait
    }
    return below + 1;
}

void deep_recursion() {
    lazult::thread one([] {
        long depth = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        depth = deep(deepest);
        CHECK(depth == deepest + 1);
    });
}

// A small stack is no limit to what a region may keep on its.
void large_frames() {
    run_many(4, [](int i) {
        long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            volatile char large[300000];
            for (std::size_t at = 0; at < sizeof large; at += 1000) {
                large[at] = static_cast<char>(i);
            }
            for (std::size_t at = 0; at < sizeof large; at += 1000) {
                sum += large[at];
            }
        }
        CHECK(sum == 600 * i);
    });
}

// It may not suspend: its teams have one thread, and tasks run as they are created.
void tasklets_are_alone() {
    int sum = 0;
    lazult::tasklet([&sum] {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            CHECK(omp_get_num_threads() == 1 && omp_get_level() == 1);
#pragma omp task shared(sum)
            sum += 10;
#pragma omp taskwait
            sum += 1;
        }
    }).join();
    CHECK(sum == 11);
}

void task_with_a_region_on_main() {
    int sum = 0;
#pragma omp task shared(sum)
    {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        sum += 1;
    }
#pragma omp taskwait
    CHECK(sum == 3);
}

void once() {
    regions_at_once();
    variables_are_each_ones_own();
    trees_of_tasks();
    run_many(3, [](int) { tasks_that_all_block(); });
    run_many(2, [](int) { nested_tasks_that_all_block(); });
    run_many(3, [](int) { creator_blocks(); });
    run_many(5, [](int) { library_at_two_levels(); });
    moves_between_streams();
    cancelled_in_a_region();
    nested_locks_belong_to_one();
    tasks_outside_of_regions();
    deep_recursion();
    large_frames();
    tasklets_are_alone();
}

}  // namespace

int main() {
    omp_set_max_active_levels(4);
    // Before the C++ door has made this thread a ULT: teams of OS threads.
    task_with_a_region_on_main();
    visit(3);
    creator_blocks();
    tasks_that_all_block();
    nested_tasks_that_all_block();
    library_at_two_levels();
    const int before = os_threads();
    library_at_two_levels();
    CHECK(os_threads_are(before));

    lazult::thread([] {}).join();
    const int with_streams = os_threads();
    CHECK(omp_get_max_active_levels() == 4);
    visit(3);
    for (int i = 0; i < 3; ++i) {
        once();
    }
    task_with_a_region_on_main();
    tasks_that_all_block();
    nested_tasks_that_all_block();
    library_at_two_levels();
    CHECK(os_threads() <= with_streams);
    return 0;
}
