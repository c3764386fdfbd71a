// SPDX-License-Identifier: BSD-3-Clause
// For thread_sanitizer.py: two threads of one stream, and the thread that creates them, share a
// number: without a lock, with one, or by what creation and join order. And one on another stream
// looks at what belongs to that stream's OS thread.
// usage: races TECHNIQUE none|before|between HOW      where the threads suspend, and how they share
#include <lazult/lazult.hpp>

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int shared = 0;
lazult::mutex lock;

[[gnu::noinline]] void touch() { shared = shared + 1; }

void touch_locked() {
    const std::lock_guard hold(lock);
    touch();
}

struct test {
    lazult::technique how;
    bool before, between;

    void share(void (*access)()) const {
        if (before) {
            lazult::this_thread::yield();
        }
        access();
        if (between) {
            lazult::this_thread::yield();
            access();
        }
    }
    lazult::thread start(void (*access)()) const {
        return lazult::thread(lazult::thread_attributes{.how = how},
                              [this, access] { share(access); });
    }

    // The two threads race.
    void siblings(void (*access)()) const {
        lazult::thread first = start(access), second = start(access);
        first.join();
        second.join();
    }
    void siblings_unlocked() const { siblings(touch); }
    void siblings_locked() const { siblings(touch_locked); }
    // The creator races with its child, before and after the child has run.
    void creator_too_early() const {
        lazult::thread child = start(touch);
        touch();
        child.join();
    }
    void creator_too_early_again() const {
        lazult::thread child = start(touch);
        lazult::this_thread::yield();
        lazult::this_thread::yield();
        lazult::this_thread::yield();
        touch();
        child.join();
    }
    // Creation and join order everything.
    void one_after_another() const {
        for (int i = 0; i < 100; ++i) {
            touch();
            start(touch).join();
            touch();
        }
    }
    void pass_on() const {
        lazult::eventual<int> done;
        lazult::thread first(lazult::thread_attributes{.how = how}, [&] {
            share(touch);
            done.set(1);
        });
        lazult::thread second(lazult::thread_attributes{.how = lazult::technique::full}, [&] {
            done.wait();
            touch();
        });
        second.join();
        first.join();
    }
    // Enough of them that stacks, and what the tool keeps for them, are used again.
    void many_locked() const {
        std::vector<lazult::thread> all;
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 300; ++i) {
                all.push_back(start(touch_locked));
            }
            all.clear();
        }
    }
    // So many children that the queue of what is ready grows, under threads of one stream between
    // which nothing is ordered.
    void many_children() const { siblings(create_many); }
    // The creator does not give way, so that the other stream takes the thread.
    void errno_elsewhere() const {
        std::atomic<bool> done{false};
        lazult::thread child = start([] { fail_and_look(); }, done);
        while (!done.load()) {
            std::this_thread::yield();
        }
        child.join();
    }

private:
    static void create_many() {
        for (int i = 0; i < 2000; ++i) {
            lazult::thread([] {}).detach();
        }
        touch_locked();
    }
    static void fail_and_look() {
        if (::close(-1) != 0 && errno == EBADF) {
            touch();
        }
    }
    lazult::thread start(void (*access)(), std::atomic<bool>& done) const {
        return lazult::thread(lazult::thread_attributes{.how = how}, [this, access, &done] {
            share(access);
            done = true;
        });
    }
};

struct way {
    const char* name;
    void (test::*run)() const;
    int streams = 1;
};
constexpr way ways[] = {
    {"siblings_unlocked", &test::siblings_unlocked},
    {"siblings_locked", &test::siblings_locked},
    {"creator_too_early", &test::creator_too_early},
    {"creator_too_early_again", &test::creator_too_early_again},
    {"one_after_another", &test::one_after_another},
    {"pass_on", &test::pass_on},
    {"many_locked", &test::many_locked},
    {"many_children", &test::many_children, 2},
    {"errno_elsewhere", &test::errno_elsewhere, 2},
};

lazult::technique technique_called(std::string_view name) {
    for (int i = 0; i < 7; ++i) {
        if (lazult::name(static_cast<lazult::technique>(i)) == name) {
            return static_cast<lazult::technique>(i);
        }
    }
    std::fprintf(stderr, "races: no technique %s\n", name.data());
    std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        return 2;
    }
    const std::string_view where = arguments[2];
    const test t{technique_called(arguments[1]), where == "before", where == "between"};
    for (const way& w : ways) {
        if (std::strcmp(w.name, arguments[3]) == 0) {
            const lazult::runtime running(lazult::options{.streams = w.streams});
            (t.*w.run)();
            std::printf("%d\n", shared);
            return 0;
        }
    }
    return 2;
}
