// SPDX-License-Identifier: BSD-3-Clause
// A program for tests/tools/gdb_test.py to stop in: threads of every technique, each suspended
// three calls deep, one that has not started, one that yields, one that joins; and threads with
// names that wait for different things.
#include <lazult/io.hpp>
#include <lazult/lazult.hpp>

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

// A function that no caller looks into; clang knows the weaker word.
#if defined(__clang__)
#define LAZULT_TEST_APART [[gnu::noinline]]
#else
#define LAZULT_TEST_APART [[gnu::noipa]]
#endif

namespace {

lazult::eventual<int> never_before_the_stop;
lazult::eventual<int> main_goes_on;
int waiting = 0;

template <lazult::technique how>
LAZULT_TEST_APART int wait_deep(int depth) {
    waiting += depth == 0;
    int result = depth == 0 ? never_before_the_stop.wait() : wait_deep<how>(depth - 1);
    asm volatile("" : "+r"(result));  // so that these stay calls
    return result;
}

template <lazult::technique how>
lazult::thread start() {
    return lazult::thread(lazult::thread_attributes{.how = how}, [] { wait_deep<how>(2); });
}

[[gnu::noinline]] void yield_for_long() {
    while (!never_before_the_stop.is_set()) {
        lazult::this_thread::yield();
    }
    ++waiting;
}

[[gnu::noinline]] void join_child() {
    lazult::thread child(lazult::thread_attributes{.how = lazult::technique::full},
                         [] { wait_deep<lazult::technique::full>(2); });
    lazult::this_thread::yield();  // it starts, so that it is not called in place
    child.join();
    ++waiting;
}

// Its child is the only unit that is ready then, and its stack has room: so join() calls it there.
[[gnu::noinline]] void call_child() {
    lazult::thread child(lazult::thread_attributes{.how = lazult::technique::scheduler_creation},
                         [] {
                             main_goes_on.set(1);
                             wait_deep<lazult::technique::scheduler_creation>(2);
                         });
    child.join();
    ++waiting;
}

[[gnu::noinline]] void never_started() { ++waiting; }

// Each waits in a way of its own.
lazult::mutex held;
lazult::channel<int> quiet(1);
int placed = 0;

[[gnu::noinline]] void hold_it() {
    const std::scoped_lock hold(held);
    ++placed;
    never_before_the_stop.wait();
}

[[gnu::noinline]] void lock_it() {
    ++placed;
    held.lock();
    held.unlock();
}

[[gnu::noinline]] void sleep_long() {
    ++placed;
    lazult::this_thread::sleep_for(std::chrono::seconds(2));
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void receive_late() {
    ++placed;
    quiet.try_receive_for(std::chrono::seconds(2));
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void lie_down() {
    ++placed;
    lazult::this_thread::suspend();
    asm volatile("" ::: "memory");
}

int empty[2];
int full[2];
constexpr std::size_t more_than_fits = std::size_t{1} << 20;

[[gnu::noinline]] void read_late() {
    char c = 0;
    ++placed;
    lazult::io::read(empty[0], &c, 1);
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void write_late() {
    const std::vector<char> bytes(more_than_fits);
    ++placed;
    lazult::io::write(full[1], bytes.data(), bytes.size());
    asm volatile("" ::: "memory");
}

std::array<lazult::eventual<int>, 8> never_yet;

[[gnu::noinline]] void pick_late() {
    ++placed;
    lazult::wait_any(std::span<lazult::eventual<int>>(never_yet));
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void poll_late() {
    std::array<pollfd, 9> all;
    all.fill({empty[0], POLLIN, 0});
    ++placed;
    lazult::io::poll(all);
    asm volatile("" ::: "memory");
}

void let_both_go_on() {
    never_yet.back().set(1);
    lazult::io::write(empty[1], "x", 1);
    std::vector<char> bytes(more_than_fits);
    for (std::size_t got = 0; got < bytes.size();) {
        got +=
            static_cast<std::size_t>(lazult::io::read(full[0], bytes.data(), bytes.size()).value());
    }
}

[[gnu::noinline]] void join_it(lazult::thread& other) {
    ++placed;
    other.join();
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void choose(lazult::thread& other) {
    ++placed;
    std::optional<int> got;
    lazult::wait_any(other, lazult::receive_from(quiet, got));
    asm volatile("" ::: "memory");
}

// Each is placed before the next one starts: the holder has the mutex when the locker asks for it.
template <class F>
lazult::thread place(const char* name, F function) {
    const int before = placed;
    lazult::thread one(lazult::thread_attributes{.how = lazult::technique::full, .name = name},
                       function);
    while (placed == before) {
        lazult::this_thread::yield();
    }
    lazult::this_thread::yield();
    return one;
}

}  // namespace

extern "C" [[gnu::noinline]] void stop_here() { asm volatile("" ::: "memory"); }

int main() {
    using lazult::technique;
    const lazult::runtime one(lazult::options{.streams = 1});
    std::vector<lazult::thread> threads;
    threads.emplace_back(lazult::thread_attributes{.how = technique::full, .stack_size = 1U << 20},
                         call_child);
    main_goes_on.wait();
    threads.push_back(start<technique::full>());
    threads.push_back(start<technique::lazy_stack>());
    threads.push_back(start<technique::return_on_completion>());
    threads.push_back(start<technique::stack_separation>());
    threads.push_back(start<technique::scheduler_creation>());
    threads.push_back(start<technique::adaptive>());
    threads.emplace_back(join_child);
    threads.emplace_back(yield_for_long);
    while (waiting < 8) {
        lazult::this_thread::yield();
    }
    lazult::thread for_joiner([] { wait_deep<technique::full>(2); });
    lazult::thread for_chooser([] { wait_deep<technique::full>(2); });
    std::vector<lazult::thread> named;
    named.push_back(place("holder", hold_it));
    named.push_back(place("locker", lock_it));
    named.push_back(place("sleeper", sleep_long));
    named.push_back(place("receiver", receive_late));
    named.push_back(place("joiner", [&] { join_it(for_joiner); }));
    named.push_back(place("chooser", [&] { choose(for_chooser); }));
    lazult::io::pipe(empty);
    lazult::io::pipe(full);
    named.push_back(place("picker", pick_late));
    named.push_back(place("poller", poll_late));
    named.push_back(place("reader", read_late));
    named.push_back(place("writer", write_late));
    lazult::thread dormant = place("dormant", lie_down);
    threads.emplace_back(never_started);
    stop_here();
    never_before_the_stop.set(1);
    let_both_go_on();
    lazult::resume(dormant.get_id());
    dormant.join();
    for (lazult::thread& t : named) {
        t.join();
    }
    for_chooser.join();
    for (lazult::thread& t : threads) {
        t.join();
    }
    return waiting == 14 && placed == 11 ? 0 : 1;
}
