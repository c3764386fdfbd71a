// SPDX-License-Identifier: BSD-3-Clause
// For address_sanitizer.py and valgrind.py: threads of one technique that use memory as they
// should, or make one mistake, on a stack of Lazult's and after a suspension.
// usage: memory_errors TECHNIQUE|all MISTAKE
#include <lazult/lazult.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using lazult::technique;

// Hides where a value comes from.
template <class T>
[[gnu::noinline]] T opaque(T value) {
    asm volatile("" : "+r"(value)::"memory");
    return value;
}

void suspend_if_allowed() {
    if (lazult::this_thread::can_suspend()) {
        lazult::this_thread::yield();
    }
}

// --- as it should be: frames, heap, exceptions and children, before and after suspensions

[[gnu::noinline]] long sum_of_frames(int depth) {
    long numbers[64];
    for (int i = 0; i < 64; ++i) {
        numbers[i] = i + depth;
    }
    if (depth % 3 == 0) {
        suspend_if_allowed();
    }
    const long below = depth == 0 ? 0 : sum_of_frames(depth - 1);
    long sum = below;
    for (const long number : numbers) {
        sum += number;
    }
    return sum;
}

[[gnu::noinline]] bool catches() {
    try {
        suspend_if_allowed();
        throw std::runtime_error("thrown");
    } catch (const std::runtime_error& error) {
        suspend_if_allowed();
        return std::string_view(error.what()) == "thrown";
    }
}

void use_memory(technique how, int generations) {
    const auto text = std::make_unique<std::string>(100, 'x');
    const bool right = sum_of_frames(9) == 10 * (63 * 64 / 2) + 64 * 45 && catches();
    if (generations != 0) {
        std::vector<lazult::thread> children;
        for (int i = 0; i < 3; ++i) {
            children.emplace_back(lazult::thread_attributes{.how = how, .child_first = i == 2},
                                  [=] { use_memory(how, generations - 1); });
        }
        for (lazult::thread& child : children) {
            if (lazult::this_thread::can_suspend()) {
                child.join();
            } else {
                child.detach();
            }
        }
    }
    if (!right || text->size() != 100) {
        std::abort();
    }
}

// --- mistakes

[[gnu::noinline]] void heap_overrun(technique) {
    const std::unique_ptr<char[]> block(new char[40]);
    opaque(block.get())[opaque(40)] = 1;
}

[[gnu::noinline]] void uninitialised(technique) {
    const std::unique_ptr<int> number(new int);
    if (*opaque(number.get()) == 4711) {
        std::puts("by chance");
    }
}

[[gnu::noinline]] void stack_overrun(technique) {
    char block[40] = {};
    opaque(&block[0])[opaque(40)] = 1;
}

[[gnu::noinline]] char* address_of_local() {
    char local[40] = {};
    return opaque(&local[0]);
}
[[gnu::noinline]] void use_after_return(technique) {
    char* gone = address_of_local();
    std::printf("%d\n", opaque(gone)[opaque(1)]);
}

[[gnu::noinline]] int overflow_from(int depth) {
    char block[512];
    opaque(&block[0])[0] = static_cast<char>(depth);
    if (opaque(depth) < 0) {  // never
        return 0;
    }
    return overflow_from(opaque(depth) + 1) + block[opaque(0)];
}
[[gnu::noinline]] void overflow(technique) { std::printf("%d\n", overflow_from(0)); }

[[gnu::noinline]] void leak(technique) { opaque(new std::string(1000, 'x')); }

// What only the stack of a suspended thread knows is no leak, however the program ends.
[[gnu::noinline]] void hold_for_ever() {
    auto* const held = new char[4000];
    lazult::eventual<int> never;
    opaque(held)[0] = 1;
    never.wait();
    delete[] held;
}
void suspend_for_ever(technique how, void (*each)()) {
    for (int i = 0; i < 5; ++i) {
        lazult::thread(lazult::thread_attributes{.how = how}, each).detach();
    }
    for (int i = 0; i < 5; ++i) {
        lazult::this_thread::yield();
    }
}
void held(technique how) { suspend_for_ever(how, hold_for_ever); }

// What is left of calls below where a thread is suspended holds nothing.
[[gnu::noinline]] int leak_deep(int depth) {
    volatile char frame[256] = {};
    if (depth == 0) {
        leak(technique::full);
        return frame[0];
    }
    return leak_deep(depth - 1) + frame[0];
}
void leak_and_hold(technique how) {
    suspend_for_ever(how, [] {
        leak_deep(20);
        hold_for_ever();
    });
}

void clean(technique how) { use_memory(how, 3); }

struct mistake {
    const char* name;
    void (*make)(technique);
};
constexpr mistake mistakes[] = {
    {"clean", clean},
    {"heap_overrun", heap_overrun},
    {"uninitialised", uninitialised},
    {"stack_overrun", stack_overrun},
    {"use_after_return", use_after_return},
    {"overflow", overflow},
    {"leak", leak},
    {"held", held},
    {"leak_and_hold", leak_and_hold},
};

const mistake* mistake_called(std::string_view name) {
    for (const mistake& m : mistakes) {
        if (name == m.name) {
            return &m;
        }
    }
    return nullptr;
}

}  // namespace

int main(int count, char** arguments) {
    const mistake* what = count == 3 ? mistake_called(arguments[2]) : nullptr;
    int runs = 0;
    for (int i = 0; what != nullptr && i < 7; ++i) {
        const auto how = static_cast<technique>(i);
        if (lazult::name(how) == arguments[1] || std::string_view(arguments[1]) == "all") {
            lazult::thread first(lazult::thread_attributes{.how = how}, [=] {
                suspend_if_allowed();
                what->make(how);
            });
            first.join();
            ++runs;
        }
    }
    if (runs == 0) {
        std::fprintf(stderr, "usage: memory_errors TECHNIQUE|all MISTAKE\n");
        return 2;
    }
    return 0;
}
