// SPDX-License-Identifier: BSD-3-Clause
// A program for tests/tools/trace_test.py: creates threads in the manner that its argument names,
// and prints how many.
#include <sys/wait.h>
#include <unistd.h>
#include <lazult/lazult.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using lazult::technique;
using lazult::thread_attributes;

int created = 0;

template <class Body>
lazult::thread start(const thread_attributes& how, Body&& body) {
    ++created;
    return lazult::thread(how, std::forward<Body>(body));
}

void yield_twice() {
    lazult::this_thread::yield();
    lazult::this_thread::yield();
}

// Some end at once, some yield, some wait for each other.
void run_all(technique how) {
    lazult::eventual<int> goes_on;
    std::atomic<int> waiting{0};
    std::vector<lazult::thread> threads;
    for (int i = 0; i < 30; ++i) {
        switch (how == technique::run_to_completion ? 0 : i % 3) {
            case 0: threads.push_back(start({.how = how}, [] {})); break;
            case 1: threads.push_back(start({.how = how}, yield_twice)); break;
            default:
                threads.push_back(start({.how = how}, [&] {
                    ++waiting;
                    goes_on.wait();
                }));
                break;
        }
    }
    while (how != technique::run_to_completion && waiting < 10) {
        lazult::this_thread::yield();
    }
    goes_on.set(1);
    for (lazult::thread& t : threads) {
        t.join();
    }
}

// Each is called in place by its joiner, to three levels; half of the innermost suspend there.
void nest(technique how, int depth, bool suspends) {
    auto child = start({.how = how, .stack_size = std::size_t{4096} << depth}, [=] {
        if (depth > 0) {
            nest(how, depth - 1, suspends);
        } else if (suspends) {
            yield_twice();
        }
    });
    child.join();
}

void nest_all(technique how) {
    lazult::eventual<int> goes_on;
    auto other = start({.how = technique::lazy_stack}, [&] { goes_on.wait(); });
    for (int i = 0; i < 10; ++i) {
        nest(how, 3, i % 2 != 0);
    }
    goes_on.set(1);
    other.join();
}

void child_first(technique how) {
    std::vector<lazult::thread> threads;
    for (int i = 0; i < 10; ++i) {
        threads.push_back(start({.how = how, .child_first = true}, [i] {
            if (i % 2 != 0) {
                yield_twice();
            }
        }));
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
}

void for_all_techniques(void (*what)(technique), technique last) {
    for (auto how = technique::full; how <= last;
         how = static_cast<technique>(static_cast<int>(how) + 1)) {
        what(how);
    }
    what(technique::adaptive);
}

void work() {
    for (int i = 0; i < 20'000; ++i) {
        asm volatile("" ::"r"(i));
    }
}

void steal() {
    ::usleep(20'000);  // the other stream has nothing to do until then
    std::vector<lazult::thread> threads;
    for (int i = 0; i < 500; ++i) {
        threads.push_back(
            start({.how = i % 2 == 0 ? technique::lazy_stack : technique::scheduler_creation}, [i] {
                work();
                if (i % 5 == 0) {
                    lazult::this_thread::yield();
                }
            }));
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
}

void create_many() {
    for (int i = 0; i < 200; ++i) {
        std::vector<lazult::thread> threads;
        for (int j = 0; j < 100; ++j) {
            threads.push_back(start({}, [] {}));
        }
        lazult::join_many(threads);
    }
}

void revive() {
    auto t = start({}, [] {});
    for (int i = 0; i < 9; ++i) {
        t.wait();
        ++created;
        t.revive(yield_twice);
    }
    t.join();
}

void cancel() {
    auto t = start({}, [] {});
    lazult::cancel(t);
    t.join();
}

// The child of the process ends as programs do, and reports nothing.
void fork_child() {
    start({}, [] {}).join();
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        std::exit(0);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    created += status == 0 ? 0 : 1'000'000;
}

void do_as_told(const char* what) {
    if (std::strcmp(what, "all") == 0) {
        for_all_techniques(run_all, technique::run_to_completion);
    } else if (std::strcmp(what, "nest") == 0) {
        for_all_techniques(nest_all, technique::scheduler_creation);
    } else if (std::strcmp(what, "child-first") == 0) {
        for_all_techniques(child_first, technique::scheduler_creation);
    } else if (std::strcmp(what, "steal") == 0) {
        steal();
    } else if (std::strcmp(what, "many") == 0) {
        create_many();
    } else if (std::strcmp(what, "revive") == 0) {
        revive();
    } else if (std::strcmp(what, "cancel") == 0) {
        cancel();
    } else if (std::strcmp(what, "fork") == 0) {
        fork_child();
    } else {
        std::exit(2);
    }
}

}  // namespace

int main(int count, char** arguments) {
    {
        const lazult::runtime here;
        do_as_told(count == 2 ? arguments[1] : "");
    }
    std::printf("%d\n", created);
    return 0;
}
