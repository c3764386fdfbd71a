// SPDX-License-Identifier: BSD-3-Clause
// Addresses of thread_local variables that are kept over a suspension, each in a way of its own,
// and beside each the correct code, which takes the address again.
//
// usage: planted PLUGIN CASE kept|again
//        planted list kept|again: names of cases; some are always correct
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <unistd.h>
#include <lazult/io.hpp>
#include <lazult/lazult.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#define APART [[gnu::noinline]]

namespace {

namespace this_thread = lazult::this_thread;

struct options {
    int depth = 0;
    char name[40] = {};
};

class tally {
public:
    tally() : of_(new int(0)) {}
    ~tally() { delete of_; }
    tally(const tally&) = delete;
    tally& operator=(const tally&) = delete;
    void add() {
        ++*of_;
        ++count_;
    }

private:
    int* of_;
    int count_ = 0;
};

thread_local int counter = 0;
thread_local options mine;
thread_local int slots[16];
thread_local std::array<int, 8> table{};
thread_local std::vector<int> list;
thread_local std::atomic<int> hits{0};
thread_local std::atomic<short> small_hits{0};
thread_local tally constructed;

int* (*address_in_plugin)() = nullptr;
void (*use_in_plugin)() = nullptr;

// Functions that use the variables of the OS thread on which they are called, and do not suspend.
APART int& counter_now() {
    asm volatile("");
    return counter;
}
APART options& mine_now() {
    asm volatile("");
    return mine;
}
APART int& slot_now(int i) {
    asm volatile("");
    return slots[i];
}
APART std::array<int, 8>& table_now() {
    asm volatile("");
    return table;
}
APART std::vector<int>& list_now() {
    asm volatile("");
    return list;
}
APART std::atomic<int>& hits_now() {
    asm volatile("");
    return hits;
}
APART std::atomic<short>& small_hits_now() {
    asm volatile("");
    return small_hits;
}
APART tally& constructed_now() {
    asm volatile("");
    return constructed;
}
APART int& errno_now() {
    asm volatile("");
    return errno;
}
APART int read_errno() {
    asm volatile("");
    return errno;
}
APART void set_errno(int value) {
    asm volatile("");
    errno = value;
}

__attribute__((no_sanitize("thread"), noinline)) int read_unchecked(const volatile int* place) {
    return *place;
}

struct holder {
    int* place;
};

lazult::mutex lock;
int ends[2];  // of a pipe
volatile int result = 0;
char text[sizeof(options::name)] = "forty characters or less";

// Long enough for another ULT to begin to wait meanwhile.
void delay() {
    for (int i = 0; i < 1000; ++i) {
        this_thread::yield();
    }
}

// `again` is true in the correct code.
void pointer(bool again) {
    int* p = &counter_now();
    this_thread::yield();
    p = again ? &counter_now() : p;
    *p = 1;
}
void reference(bool again) {
    int& r = counter_now();
    this_thread::yield();
    result = again ? counter_now() : r;
}
void errno_reference(bool again) {
    int& e = errno_now();
    this_thread::yield();
    (again ? errno_now() : e) = 0;
}
// Compilers call the function behind errno once, if they optimise.
APART void errno_in_loop(bool again) {
    for (int i = 0; i < 20; ++i) {
        if (again) {
            set_errno(i);
        } else {
            errno = i;
        }
        this_thread::yield();
        result = again ? read_errno() : errno;
    }
}
void member(bool again) {
    int* depth = &mine_now().depth;
    this_thread::yield();
    depth = again ? &mine_now().depth : depth;
    *depth += 1;
}
void whole_struct(bool again) {
    const options* kept = &mine_now();
    this_thread::yield();
    const options copy = again ? mine_now() : *kept;
    result = copy.depth + copy.name[3];
}
void captured(bool again) {
    int& c = counter_now();
    const auto add = [&c, again] { ++(again ? counter_now() : c); };
    this_thread::yield();
    add();
}
void iterator(bool again) {
    auto at = table_now().begin() + 3;
    this_thread::yield();
    at = again ? table_now().begin() + 3 : at;
    *at = 1;
}
void container(bool again) {
    std::vector<int>& kept = list_now();
    this_thread::yield();
    (again ? list_now() : kept).push_back(1);
}
void plugin(bool again) {
    int* p = address_in_plugin();
    this_thread::yield();
    if (again) {
        use_in_plugin();
    } else {
        *p = 1;
    }
}
void with_constructor(bool again) {
    tally& kept = constructed_now();
    this_thread::yield();
    (again ? constructed_now() : kept).add();
}
void in_heap(bool again) {
    const auto h = std::make_unique<holder>(holder{&counter_now()});
    this_thread::yield();
    if (again) {
        h->place = &counter_now();
    }
    *h->place = 1;
}
void element(bool again) {
    int* p = &slot_now(5);
    this_thread::yield();
    p = again ? &slot_now(5) : p;
    *p = 1;
}
void copied_to(bool again) {
    char* to = mine_now().name;
    this_thread::yield();
    to = again ? mine_now().name : to;
    std::memcpy(to, text, sizeof text - static_cast<std::size_t>(result));
}
void filled(bool again) {
    char* to = mine_now().name;
    this_thread::yield();
    to = again ? mine_now().name : to;
    std::memset(to, 1, sizeof text - static_cast<std::size_t>(result));
}
void atomic(bool again) {
    std::atomic<int>& kept = hits_now();
    this_thread::yield();
    (again ? hits_now() : kept).fetch_add(1, std::memory_order_relaxed);
}
void atomic_exchange(bool again) {
    std::atomic<short>& kept = small_hits_now();
    this_thread::yield();
    short expected = 0;
    (again ? small_hits_now() : kept).compare_exchange_strong(expected, short{1});
}
// One suspension each, so that the ULT is not back where it was.
void over_lock(bool again) {
    std::atomic<bool> is_held{false};
    std::atomic<bool> is_wanted{false};
    lazult::thread other([&] {
        const std::lock_guard hold(lock);
        is_held = true;
        while (!is_wanted.load()) {
            this_thread::yield();
        }
        delay();
    });
    while (!is_held.load()) {
        this_thread::yield();
    }
    int* p = &counter_now();
    is_wanted = true;
    {
        const std::lock_guard hold(lock);
        p = again ? &counter_now() : p;
        *p = 1;
    }
    other.join();
}
void over_join(bool again) {
    lazult::thread other(delay);
    int* p = &counter_now();
    other.join();
    p = again ? &counter_now() : p;
    *p = 1;
}
void over_read(bool again) {
    lazult::thread writer([] {
        delay();
        lazult::io::write(ends[1], "x", 1);
    });
    int* p = &counter_now();
    char byte = 0;
    lazult::io::read(ends[0], &byte, 1);
    p = again ? &counter_now() : p;
    *p = 1;
    writer.join();
}
// The program itself moves the ULT, from a pool of one stream to another's.
void migrated(bool again) {
    lazult::pool from(lazult::pool_kind::shared_fifo);
    lazult::pool to(lazult::pool_kind::shared_fifo);
    lazult::execution_stream first(lazult::scheduler_kind::basic, {&from});
    lazult::execution_stream second(lazult::scheduler_kind::basic, {&to});
    std::atomic<bool> has_begun{false};
    lazult::thread moves({.where = &from}, [&] {
        const int began_on = this_thread::stream_rank();
        int* p = &counter_now();
        has_begun = true;
        while (this_thread::stream_rank() == began_on) {
            this_thread::yield();
        }
        p = again ? &counter_now() : p;
        *p = 1;
    });
    while (!has_begun.load()) {
        this_thread::yield();
    }
    lazult::migrate(moves, to);
    moves.join();
}

// A variable that its owner has given away on purpose: the other ULT has never run there.
void given_away(bool) {
    int& of_this_thread = counter_now();
    std::atomic<int> done{0};
    lazult::pool elsewhere(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&elsewhere});
    lazult::thread other({.where = &elsewhere}, [&] {
        of_this_thread = 1;
        done = 1;
    });
    while (done.load() == 0) {
    }
    other.join();
}

int* for_handler = nullptr;
void write_in_handler(int) { *for_handler = 1; }
void write_with_information(int, siginfo_t* information, void*) {
    *for_handler = information->si_signo;
}

bool is_set(int number, void (*function)(int)) {
    struct sigaction now{};
    ::sigaction(number, nullptr, &now);
    return now.sa_handler == function && (now.sa_flags & SA_SIGINFO) == 0;
}

// What handlers do is not looked at. The program sees the handlers that it has set.
void in_handlers(bool) {
    struct sigaction wanted{};
    struct sigaction before{};
    wanted.sa_sigaction = write_with_information;
    wanted.sa_flags = SA_SIGINFO;
    for_handler = &counter_now();
    this_thread::yield();
    const bool is_right =
        ::signal(SIGUSR1, write_in_handler) == SIG_DFL && is_set(SIGUSR1, write_in_handler) &&
        ::raise(SIGUSR1) == 0 && read_unchecked(for_handler) == 1 &&
        ::sigaction(SIGUSR1, &wanted, &before) == 0 && before.sa_handler == write_in_handler &&
        ::raise(SIGUSR1) == 0 && read_unchecked(for_handler) == SIGUSR1 &&
        ::signal(SIGUSR1, SIG_DFL) == reinterpret_cast<sighandler_t>(write_with_information) &&
        is_set(SIGUSR1, SIG_DFL);
    if (!is_right) {
        std::abort();
    }
}

// What is for ThreadSanitizer alone.
void annotated(bool) {
    int data = 0;
    __tsan_acquire(&data);
    __tsan_release(&data);
    __tsan_mutex_create(&data, 0);
    __tsan_mutex_pre_lock(&data, 0);
    __tsan_mutex_post_lock(&data, 0, 0);
    __tsan_mutex_pre_unlock(&data, 0);
    __tsan_mutex_post_unlock(&data, 0);
    __tsan_mutex_destroy(&data, 0);
    void* const fiber = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(fiber, 0);
    __tsan_destroy_fiber(fiber);
}

struct use {
    const char* name;
    void (*run)(bool again);
};
#define CASE(name) {#name, name}
constexpr use planted[] = {
    CASE(pointer),         CASE(reference),    CASE(errno_reference),  CASE(errno_in_loop),
    CASE(member),          CASE(whole_struct), CASE(captured),         CASE(iterator),
    CASE(container),       CASE(plugin),       CASE(with_constructor), CASE(in_heap),
    CASE(element),         CASE(copied_to),    CASE(filled),           CASE(atomic),
    CASE(atomic_exchange), CASE(over_lock),    CASE(over_join),        CASE(over_read),
    CASE(migrated),
};
constexpr use always_correct[] = {CASE(given_away), CASE(in_handlers), CASE(annotated)};

bool load(const char* path) {
    void* const library = ::dlopen(path, RTLD_NOW);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return false;
    }
    address_in_plugin = reinterpret_cast<int* (*)()>(::dlsym(library, "address_in_plugin"));
    use_in_plugin = reinterpret_cast<void (*)()>(::dlsym(library, "use_in_plugin"));
    return true;
}

int run(const use& each, bool again) {
    const lazult::runtime runtime({.streams = 3});
    if (::pipe(ends) != 0 || !lazult::io::adopt(ends[0]) || !lazult::io::adopt(ends[1])) {
        return 2;
    }
    // More than once, because a ULT that suspends several times may be back where it was.
    for (int i = 0; i < 10; ++i) {
        lazult::thread([&each, again] { each.run(again); }).join();
    }
    return 0;
}

std::vector<use> uses(bool again) {
    std::vector<use> all(std::begin(planted), std::end(planted));
    if (again) {
        all.insert(all.end(), std::begin(always_correct), std::end(always_correct));
    }
    return all;
}

}  // namespace

int main(int count, char** words) {
    if (count < 3) {
        return 2;
    }
    const bool again = words[count - 1] == std::string("again");
    for (const use& each : uses(again)) {
        if (count == 3) {
            std::puts(each.name);
        } else if (words[2] == std::string(each.name)) {
            return load(words[1]) ? run(each, again) : 2;
        }
    }
    return count == 3 ? 0 : 2;
}
