// SPDX-License-Identifier: BSD-3-Clause
// Tasks of OpenMP that make blocking calls of the C library, for `lazult run --posix`: pipes,
// sockets, files, sleeps, and locks that are held over such calls. Most of them would hang for ever
// if the calls blocked the threads, because there are more tasks than threads.
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tools/soak/load.hpp"

namespace {

using lazult::soak::generator;
using lazult::soak::load;
using lazult::soak::pattern;

struct two_ends {
    int in;
    int out;
};
two_ends make_pipe(load& all) {
    int both[2];
    all.expect(::pipe2(both, O_CLOEXEC) == 0, true, "a pipe");
    return {both[0], both[1]};
}
two_ends make_socket_pair(load& all) {
    int both[2];
    all.expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) == 0, true,
               "a pair of sockets");
    return {both[0], both[1]};
}
void close_both(const two_ends& which) {
    ::close(which.in);
    ::close(which.out);
}

// Moves all bytes in parts of any size.
template <class Move>
void move_all(load& all, generator& random, std::size_t bytes, const char* what, Move move) {
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t some = std::min<std::size_t>(bytes - done, 1 + random.below(20'000));
        const ssize_t moved = move(done, some);
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            all.fail(std::string(what) + ": error " + std::to_string(moved < 0 ? errno : 0));
        }
        done += static_cast<std::size_t>(moved);
    }
}
void send_all(load& all, std::uint64_t seed, int fd, const std::string& sent) {
    generator random(seed);
    move_all(all, random, sent.size(), "a write", [&](std::size_t done, std::size_t some) {
        return ::write(fd, sent.data() + done, some);
    });
}
// Asks poll() first, one time in two.
std::string receive_all(load& all, std::uint64_t seed, int fd, std::size_t bytes) {
    generator random(seed);
    std::string got(bytes, '\0');
    move_all(all, random, bytes, "a read", [&](std::size_t done, std::size_t some) {
        if (random.below(2) == 0) {
            pollfd one{fd, POLLIN, 0};
            all.expect(::poll(&one, 1, -1) == 1, true, "a poll that waits");
        }
        return ::read(fd, got.data() + done, some);
    });
    return got;
}

// Runs body(i) for each i, each in a task of its own, and waits for all.
template <class Body>
void in_tasks(unsigned count, int threads, Body body) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (unsigned i = 0; i < count; ++i) {
#pragma omp task firstprivate(i) shared(body)
        body(i);
    }
}

int any_threads(generator& random) { return 1 + static_cast<int>(random.below(3)); }

void pipes(load& all, generator& random) {
    const unsigned pairs = 1 + random.below(12);
    std::vector<two_ends> both;
    std::vector<std::string> sent;
    std::vector<std::uint64_t> seeds;
    for (unsigned i = 0; i < pairs; ++i) {
        both.push_back(random.below(2) == 0 ? make_pipe(all) : make_socket_pair(all));
        sent.push_back(pattern(1 + random.below(200'000), random.next()));
        seeds.push_back(random.next());
    }
    std::atomic<std::uint64_t> right{0};
    const bool readers_first = random.below(2) == 0;
    in_tasks(2 * pairs, any_threads(random), [&](unsigned task) {
        const unsigned i = task % pairs;
        if ((task < pairs) == readers_first) {
            right += receive_all(all, seeds[i], both[i].in, sent[i].size()) == sent[i] ? 1 : 0;
        } else {
            send_all(all, seeds[i] + 1, both[i].out, sent[i]);
        }
    });
    std::for_each(both.begin(), both.end(), close_both);
    all.expect(right, pairs - (all.spoils_io() ? 1 : 0), "pipes of tasks that gave what they got");
    all.count(pairs);
}

// Each task asks one that answers, and holds a lock until the answer comes. Only one task is under
// the lock at a time, so a wrong answer is one that another task has got.
void locks_over_calls(load& all, generator& random) {
    const unsigned askers = 2 + random.below(10);
    const unsigned rounds = 1 + random.below(10);
    const two_ends questions = make_pipe(all);
    const two_ends answers = make_pipe(all);
    std::mutex lock;
    std::uint64_t right = 0;
    in_tasks(askers + 1, any_threads(random), [&](unsigned task) {
        if (task == 0) {
            for (unsigned i = 0; i < askers * rounds; ++i) {
                std::uint64_t number = 0;
                all.expect(::read(questions.in, &number, sizeof number) == sizeof number, true,
                           "a question");
                number = number * 3 + 1;
                all.expect(::write(answers.out, &number, sizeof number) == sizeof number, true,
                           "an answer that is written");
            }
            return;
        }
        for (unsigned i = 0; i < rounds; ++i) {
            const std::uint64_t asked = std::uint64_t{task} * 1000 + i;
            std::uint64_t got = 0;
            const std::lock_guard hold(lock);
            all.expect(::write(questions.out, &asked, sizeof asked) == sizeof asked, true,
                       "a question that is written");
            all.expect(::read(answers.in, &got, sizeof got) == sizeof got, true, "an answer");
            right += got == asked * 3 + 1 ? 1 : 0;
        }
    });
    close_both(questions);
    close_both(answers);
    all.expect(right, std::uint64_t{askers} * rounds, "answers under a lock");
    all.count(right);
}

void sleeps(load& all, generator& random) {
    const unsigned sleepers = 1 + random.below(40);
    const auto us = std::chrono::microseconds(1 + random.below(2000));
    std::mutex lock;
    std::uint64_t turns = 0;
    std::atomic<std::uint64_t> early{0};
    in_tasks(sleepers, any_threads(random), [&](unsigned task) {
        const auto begin = std::chrono::steady_clock::now();
        if (task % 4 == 0) {
            const std::lock_guard hold(lock);
            ::usleep(20);
            ++turns;
            return;
        }
        if (task % 2 == 0) {
            ::usleep(static_cast<useconds_t>(us.count()));
        } else {
            std::this_thread::sleep_for(us);
        }
        early += std::chrono::steady_clock::now() - begin < us ? 1 : 0;
    });
    all.expect(turns, (sleepers + 3) / 4, "sleepers under a lock");
    all.expect(early, 0, "tasks that slept too little");
    all.count(sleepers);
}

// A queue of few places between tasks that put numbers there and tasks that take them.
class small_queue {
public:
    void put(std::uint64_t number) {
        std::unique_lock hold(lock_);
        has_room_.wait(hold, [this] { return held_.size() < most; });
        held_.push_back(number);
        has_any_.notify_one();
    }
    std::uint64_t take() {
        std::unique_lock hold(lock_);
        has_any_.wait(hold, [this] { return !held_.empty(); });
        const std::uint64_t number = held_.back();
        held_.pop_back();
        has_room_.notify_one();
        return number;
    }

private:
    static constexpr std::size_t most = 3;
    std::mutex lock_;
    std::condition_variable has_room_;
    std::condition_variable has_any_;
    std::vector<std::uint64_t> held_;
};

void conditions(load& all, generator& random) {
    const unsigned pairs = 1 + random.below(8);
    const unsigned each = 1 + random.below(50);
    small_queue queue;
    std::atomic<std::uint64_t> sum{0};
    in_tasks(2 * pairs, any_threads(random), [&](unsigned task) {
        for (unsigned i = 0; i < each; ++i) {
            if (task < pairs) {
                sum += queue.take();
            } else {
                queue.put(std::uint64_t{task - pairs} * each + i);
            }
        }
    });
    const std::uint64_t numbers = std::uint64_t{pairs} * each;
    all.expect(sum, numbers * (numbers - 1) / 2, "sum of what went through a queue");
    all.count(numbers);
}

void files(load& all, generator& random) {
    constexpr std::size_t block_bytes = 4096;
    const unsigned blocks = 1 + random.below(24);
    const std::uint64_t seed = random.next();
    const char* const folder = std::getenv("TMPDIR");
    const int file =
        ::open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    all.expect(file >= 0, true, "a file");
    std::atomic<std::uint64_t> right{0};
    in_tasks(blocks, any_threads(random), [&](unsigned i) {
        const auto at = static_cast<off_t>(i * block_bytes);
        const std::string written = pattern(block_bytes, seed + i);
        std::string got(block_bytes, '\0');
        all.expect(::pwrite(file, written.data(), block_bytes, at) == block_bytes, true,
                   "a block that is written");
        if (i == 0) {
            all.expect(::fdatasync(file) == 0, true, "a file that goes to the device");
        }
        all.expect(::pread(file, got.data(), block_bytes, at) == block_bytes, true,
                   "a block that is read");
        right += got == written ? 1 : 0;
    });
    ::close(file);
    all.expect(right, blocks, "blocks that are what was written");
    all.count(blocks);
}

}  // namespace

int main(int argc, char** argv) {
    load all("openmp-posix", argc, argv);
    constexpr std::array cases{pipes, locks_over_calls, sleeps, conditions, files};
    while (all.next_round()) {
        generator random(all.seed());
        for (std::size_t i = 0; all.is_first_round() && i < cases.size(); ++i) {
            cases[i](all, random);
        }
        for (int i = 0; i < 6; ++i) {
            cases[random.below(cases.size())](all, random);
        }
    }
}
