// SPDX-License-Identifier: BSD-3-Clause
// A program for tests/tools/stacks_test.py: creates threads that go to known depths, in the manner
// that its argument names. ENABLE_EXPORTS: so that the table knows its functions by name.
#include <alloca.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <lazult/lazult.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace target {

[[gnu::noinline]] void use(std::size_t bytes, int value) {
    auto* const memory = static_cast<char*>(alloca(bytes));
    std::memset(memory, value, bytes);
    asm volatile("" : : "r"(memory) : "memory");
}

// Functors, because each type is an entry function of its own.
struct shallow {
    void operator()() const {}
};
struct ten_kib {
    void operator()() const { use(10 << 10, 7); }
};
struct hundred_kib {
    void operator()() const { use(100 << 10, 7); }
};
struct ten_kib_of_zeros {
    void operator()() const { use(10 << 10, 0); }
};
struct ten_kib_and_yields {
    void operator()() const {
        lazult::this_thread::yield();
        use(10 << 10, 7);
        lazult::this_thread::yield();
    }
};
struct endless {
    static int below(int depth) {
        volatile char frame[256] = {};
        frame[0] = static_cast<char>(depth);
        return depth < 0 ? 0 : below(depth + 1) + frame[0];
    }
    void operator()() const { std::printf("%d\n", below(0)); }
};
// Nine of ten use 2 KiB, the last one 20.
struct mostly_two_kib {
    int number;
    void operator()() const { use(number % 10 == 9 ? 20 << 10 : 2 << 10, 7); }
};

constexpr std::size_t large = std::size_t{256} << 10;

template <class Body>
void run(int count, Body body, std::size_t stack_size = 0,
         lazult::technique how = lazult::technique::configured) {
    std::vector<lazult::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back(lazult::thread_attributes{.how = how, .stack_size = stack_size}, body);
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
}

void known_depths() {
    run(3, ten_kib{});
    run(5, ten_kib_of_zeros{});
    run(2, hundred_kib{}, large);
    run(7, shallow{});
}

// Stacks go from deep threads to shallow ones and back.
void recycled() {
    for (int round = 0; round < 20; ++round) {
        run(4, hundred_kib{}, large);
        run(4, shallow{}, large);
        run(4, ten_kib_of_zeros{}, large);
    }
}

// The system cannot tell which pages were touched, because it gives no file to read.
void without_descriptors() {
    const rlimit none{3, 3};
    if (::setrlimit(RLIMIT_NOFILE, &none) == 0) {
        recycled();
    }
}

// Pages that are locked in memory cannot be given back.
void locked() {
    const rlimit enough{64U << 20, RLIM_INFINITY};
    ::setrlimit(RLIMIT_MEMLOCK, &enough);
    const lazult::runtime started({.streams = 1});
    run(1, shallow{});
    std::puts(::mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? "locked" : "refused");
    recycled();
}

void every_technique() {
    using enum lazult::technique;
    for (const lazult::technique how :
         {full, lazy_stack, return_on_completion, stack_separation, scheduler_creation, adaptive}) {
        run(10, ten_kib{}, 0, how);
        run(10, ten_kib_and_yields{}, 0, how);
    }
    run(10, shallow{}, 0, run_to_completion);  // has no stack of its own
}

void many_streams() {
    run(4, [] {
        for (int i = 0; i < 250; ++i) {
            run(2, ten_kib_and_yields{});
            run(2, shallow{});
        }
    });
}

void tasks() {
    lazult::task_group group;
    for (int i = 0; i < 1000; ++i) {
        group.run(ten_kib{});
    }
    group.wait();
}

void median() {
    for (int i = 0; i < 50; ++i) {
        lazult::thread(mostly_two_kib{i}).join();
    }
}

// Prints what the library says in the middle of the run.
void api() {
    run(3, ten_kib{});
    for (const lazult::stack_use& use : lazult::stack_use_by_function()) {
        std::printf("%ju %zu %zu %zu %zu %s\n", static_cast<std::uintmax_t>(use.threads),
                    use.deepest, use.median, use.stack_size, use.enough_stack,
                    use.function.c_str());
    }
}

}  // namespace target

int main(int argc, char** argv) {
    using namespace target;
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    if (wanted == "known_depths") {
        known_depths();
    } else if (wanted == "recycled") {
        recycled();
    } else if (wanted == "without_descriptors") {
        without_descriptors();
    } else if (wanted == "locked") {
        locked();
    } else if (wanted == "every_technique") {
        every_technique();
    } else if (wanted == "many_streams") {
        many_streams();
    } else if (wanted == "tasks") {
        tasks();
    } else if (wanted == "median") {
        median();
    } else if (wanted == "api") {
        api();
    } else if (wanted == "overflow") {
        run(1, endless{});
    } else if (wanted == "nothing") {
        const lazult::runtime started;
    } else {
        std::fprintf(stderr, "stacks_target: there is no case \"%s\"\n", argc > 1 ? argv[1] : "");
        return 2;
    }
    return 0;
}
