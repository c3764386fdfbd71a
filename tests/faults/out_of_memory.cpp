// SPDX-License-Identifier: BSD-3-Clause
// Memory, address space or OS threads fail, at every point: calls throw what they promise, or the
// library ends the process with a line that says why. Nothing crashes or hangs. Each case runs in a
// child of its own for each n: its n-th request fails, of whichever thread; or that one and those
// that follow it.
// usage: out_of_memory [CASE [memory|threads N once|long]]      the latter in this very process,
//                                   |              | for a debugger
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "child.hpp"
#include "tests/support/os_threads.h"
#include "work.hpp"

namespace {

// --- what fails

enum class failing : int { nothing, memory, threads };
std::atomic<failing> armed{failing::nothing};
std::atomic<long> left{0};
bool fails_long = false;

bool must_fail(failing what) {
    if (armed.load(std::memory_order_relaxed) != what) {
        return false;
    }
    const long before = left.fetch_sub(1, std::memory_order_relaxed);
    // Not for ever: a stream that needs a stack waits for one some ten seconds.
    constexpr long many = 30;
    return before == 0 || (before < 0 && before > -many && fails_long);
}

void* refused() {
    errno = ENOMEM;
    return nullptr;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
    return must_fail(failing::memory) ? refused() : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return must_fail(failing::memory) ? refused() : __libc_calloc(count, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return must_fail(failing::memory) ? refused() : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    void* const made = aligned_alloc(alignment, size);
    if (made == nullptr) {
        return ENOMEM;
    }
    *block = made;
    return 0;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
    using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "pthread_create"));
    return must_fail(failing::threads) ? EAGAIN : real(thread, attributes, run, argument);
}
}

namespace {

using namespace lazult::faults;
using lazult::technique;

// --- cases: what may throw, and after it, or instead, everything works

template <technique how>
void create_and_join() {
    lazult::thread first(lazult::thread_attributes{.how = how}, [] {});
    lazult::thread second(lazult::thread_attributes{.how = how, .stack_size = 1 << 18}, [] {
        if (how != technique::run_to_completion) {
            lazult::this_thread::yield();
        }
    });
    second.join();
    first.join();
}
void create_named_with_large_closure() {
    const std::string text(200, 'x');
    lazult::thread named(lazult::thread_attributes{.name = "a name"},
                         [text] { return text.size(); });
    named.join();
}
void create_child_first() {
    for (const technique how : techniques) {
        lazult::thread(lazult::thread_attributes{.how = how, .child_first = true}, [] {}).join();
    }
}
// The state behind a stop source is made on first use. Where that fails, a user gets the error that
// the header promises. Only where memory goes on failing may there be none for the error's words.
void ask_for_stop_source() {
    lazult::thread asked([] { lazult::this_thread::yield(); });
    try {
        asked.get_stop_source().request_stop();
    } catch (const lazult::error&) {
        asked.join();
        throw;
    } catch (const std::bad_alloc&) {
        if (!fails_long) {
            std::abort();
        }
        asked.join();
        throw;
    }
    asked.join();
}
void throw_through_join() {
    lazult::thread thrower([] { throw std::bad_alloc(); });
    try {
        thrower.join();
    } catch (const std::bad_alloc&) {
    }
}
template <lazult::pool_kind kind>
void make_pool() {
    lazult::pool mine(kind);
}
void run_tasks() {
    lazult::task_group group;
    for (int i = 0; i < 50; ++i) {
        group.run([] { lazult::this_thread::yield(); });
    }
    group.wait();
}
void sleep_a_moment() { lazult::this_thread::sleep_for(std::chrono::microseconds(10)); }
void use_locals() {
    lazult::local<int> local;
    lazult::thread([&] { *local = 1; }).join();
}
void send_through_channel() {
    lazult::channel<int> channel(4);
    lazult::thread sender([&] {
        for (int i = 0; i < 10; ++i) {
            channel.send(i);
        }
    });
    for (int i = 0; i < 10; ++i) {
        channel.receive();
    }
    sender.join();
}
// A thread that gives way on a stream that was started for it, in one of that stream's pools.
void run_on(const lazult::execution_stream& stream, lazult::pool& where) {
    lazult::thread there(lazult::thread_attributes{.how = technique::lazy_stack, .where = &where},
                         [&] {
                             lazult::this_thread::yield();
                             if (lazult::this_thread::stream_rank() != stream.rank()) {
                                 std::abort();
                             }
                         });
    there.join();
}
template <lazult::pool_kind kind>
void start_stream() {
    lazult::pool own(kind);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&own});
    run_on(stream, own);
}
void start_default_stream() {
    const lazult::execution_stream stream;
    lazult::thread(lazult::thread_attributes{.where = nullptr}, [] {
        lazult::this_thread::yield();
    }).join();
}
void start_runtime() {
    const lazult::runtime three(lazult::options{.streams = 3});
    if (lazult::runtime::streams() != 3) {
        std::abort();
    }
    lazult::thread([] { lazult::this_thread::yield(); }).join();
}

struct test {
    const char* name;
    void (*run)();
    bool starts_runtime = false;
    bool starts_stream = false;
};
constexpr test tests[] = {
    {"stop-source", ask_for_stop_source},
    {"full", create_and_join<technique::full>},
    {"lazy stack", create_and_join<technique::lazy_stack>},
    {"return on completion", create_and_join<technique::return_on_completion>},
    {"stack separation", create_and_join<technique::stack_separation>},
    {"scheduler creation", create_and_join<technique::scheduler_creation>},
    {"run to completion", create_and_join<technique::run_to_completion>},
    {"named", create_named_with_large_closure},
    {"child first", create_child_first},
    {"exception", throw_through_join},
    {"private pool", make_pool<lazult::pool_kind::private_fifo>},
    {"shared pool", make_pool<lazult::pool_kind::shared_fifo>},
    {"priority pool", make_pool<lazult::pool_kind::priority>},
    {"stealing pool", make_pool<lazult::pool_kind::work_stealing>},
    {"tasks", run_tasks},
    {"timer", sleep_a_moment},
    {"locals", use_locals},
    {"channel", send_through_channel},
    {"stream", start_stream<lazult::pool_kind::private_fifo>, false, true},
    {"stream with a shared pool", start_stream<lazult::pool_kind::shared_fifo>, false, true},
    {"default stream", start_default_stream, false, true},
    {"runtime", start_runtime, true},
};

constexpr int succeeded = 0;
constexpr int refused_cleanly = 77;  // and worked afterwards
// behind, that serves pools which are gone: a crash, sooner or later
constexpr int left_a_stream = 3;

// One that was joined may be listed for a moment.
bool are_more_than(int threads) {
    for (int look = 0; look < 100; ++look) {
        if (os_threads() <= threads) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

// What hwloc reads is read before anything fails: it does not survive that itself.
std::optional<lazult::runtime> runtime_for(const test& t) {
    if (t.starts_runtime) {
        lazult::describe_machine();
        return std::nullopt;
    }
    return std::make_optional<lazult::runtime>(lazult::options{.streams = 2});
}

int attempt(const test& t, failing what, long n, bool is_long) {
    const std::optional<lazult::runtime> two = runtime_for(t);
    const int threads = os_threads();
    left = n;
    fails_long = is_long;
    armed = what;
    bool was_refused = false;
    try {
        t.run();
    } catch (const lazult::error& refusal) {
        was_refused = refusal.code() == lazult::errc::out_of_memory;
    } catch (const std::bad_alloc&) {
        was_refused = true;
    }
    armed = failing::nothing;
    const bool was_reached = left.load() < 0;
    if (was_refused && t.starts_stream && are_more_than(threads)) {
        return left_a_stream;
    }
    t.run();  // as if nothing had been
    const lazult::runtime again;
    if (work() != 0) {
        return 1;
    }
    return was_reached || was_refused ? refused_cleanly : succeeded;
}

// n = 0, 1, ... until the case needs no more requests than that.
void fail_everywhere(judge& all, const test& t, failing what, bool is_long) {
    constexpr long most = 400;
    for (long n = 0; n < most; ++n) {
        const outcome how = in_child([&] { return attempt(t, what, n, is_long); });
        const std::string where = std::string(t.name) +
                                  (what == failing::memory ? ", request " : ", OS thread ") +
                                  std::to_string(n) + (is_long ? " and those that follow" : "");
        all.expect(how.exited_with(succeeded) || how.exited_with(refused_cleanly) ||
                       how.ended_with_a_reason(),
                   where, how);
        if (how.exited_with(succeeded)) {
            return;
        }
    }
}

// --- address space

int fill_address_space() {
    const lazult::runtime two(lazult::options{.streams = 2});
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * 4096 + (rlim_t{64} << 20);
    const rlimit both{limit, limit};
    ::setrlimit(RLIMIT_AS, &both);
    lazult::eventual<int> go;
    std::vector<lazult::thread> all;
    all.reserve(100'000);
    bool was_refused = false;
    try {
        for (int i = 0; i < 100'000; ++i) {
            all.emplace_back(lazult::thread_attributes{.how = technique::full}, [&] { go.wait(); });
            if (i % 100 == 0) {
                lazult::this_thread::yield();
            }
        }
    } catch (const lazult::error& refusal) {
        was_refused = refusal.code() == lazult::errc::out_of_memory;
    } catch (const std::bad_alloc&) {
        was_refused = true;
    }
    go.set(1);
    all.clear();
    return was_refused && work() == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    judge all;
    const std::string only = count > 1 ? arguments[1] : "";
    if (count == 5) {
        const failing what =
            std::string(arguments[2]) == "memory" ? failing::memory : failing::threads;
        for (const test& t : tests) {
            if (only == t.name) {
                return attempt(t, what, std::atol(arguments[3]),
                               std::string(arguments[4]) == "long");
            }
        }
        return 2;
    }
    for (const test& t : tests) {
        if (only.empty() || only == t.name) {
            fail_everywhere(all, t, failing::memory, false);
            fail_everywhere(all, t, failing::memory, true);
            fail_everywhere(all, t, failing::threads, false);
            fail_everywhere(all, t, failing::threads, true);
        }
    }
    if (only.empty() || only == "address space") {
        const outcome how = in_child(fill_address_space, 60);
        all.expect(how.exited_with(0) || how.ended_with_a_reason(), "address space", how);
    }
    return all.verdict();
}
