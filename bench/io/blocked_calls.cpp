// SPDX-License-Identifier: BSD-3-Clause
// How long ULTs that can run wait for those that block. Readers of pipes, each of a byte that comes
// after 20 ms or in reverse order, on one stream; as many OS threads beside them. And the ULTs
// behind one that blocks its stream in a bare system call, or that computes: they run on a spare
// stream. In turns. Prints a line of JSON, in milliseconds.
#include "bench/io/latencies.hpp"
#include "bench/io/system.hpp"

#include <lazult/io.hpp>
#include <lazult/pool.hpp>
#include <lazult/runtime.hpp>
#include <lazult/scheduler.hpp>
#include <lazult/thread.hpp>

#include <CLI/CLI.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lazult::bench {
namespace {

using std::chrono_literals::operator""ms;

struct request {
    int rounds = 5;
    int readers = 64;
    int many_readers = 2000;
    std::string locked = "/tmp/lazult-blocked-calls";
};

double ms_since(std::int64_t begun) { return static_cast<double>(now_ns() - begun) / 1e6; }

// --- readers of pipes

struct pipe_ends {
    int ends[2];
};

// Reader i gets byte i, so a byte that goes to another reader is noticed.
template <class Read>
void read_one(const pipe_ends& from, std::size_t i, Read read) {
    char byte = 0;
    if (!read(from.ends[0], byte) || byte != static_cast<char>(i)) {
        give_up("a byte was lost", EIO);
    }
}

void write_to_all(const std::vector<pipe_ends>& pipes) {
    for (std::size_t i = pipes.size(); i-- > 0;) {
        const char byte = static_cast<char>(i);
        must(static_cast<int>(write(pipes[i].ends[1], &byte, 1)), "write");
    }
}

// Until all have read, from when they began. Waits 20 ms before the bytes are written.
template <class Thread, class Read>
double time_of_readers(int count, Read read) {
    std::vector<pipe_ends> pipes(static_cast<std::size_t>(count));
    for (pipe_ends& each : pipes) {
        must(pipe(each.ends), "pipe");
    }
    const std::int64_t begun = now_ns();
    std::thread writer([&] {
        std::this_thread::sleep_for(20ms);
        write_to_all(pipes);
    });
    std::vector<Thread> readers;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
        readers.emplace_back([&pipes, i, read] { read_one(pipes[i], i, read); });
    }
    for (Thread& each : readers) {
        each.join();
    }
    const double found = ms_since(begun);
    writer.join();
    for (const pipe_ends& each : pipes) {
        close(each.ends[0]);
        close(each.ends[1]);
    }
    return found;
}

double ult_readers(int count) {
    const runtime running({.streams = 1, .spare = 0ms, .quantum = 0ms});
    return time_of_readers<thread>(
        count, [](int from, char& byte) { return io::read(from, &byte, 1).value() == 1; });
}

double thread_readers(int count) {
    return time_of_readers<std::thread>(
        count, [](int from, char& byte) { return read(from, &byte, 1) == 1; });
}

// --- units behind one that does not give way

constexpr int behind = 8;

// From when the first unit blocks until the last one behind it has run. `block` returns when told.
template <class Block>
double time_behind(pool_kind kind, const options& how, Block block) {
    const runtime running(how);
    pool own(kind);
    execution_stream stream(scheduler_kind::basic, {&own});
    const thread_attributes there{.where = &own};
    std::atomic<std::int64_t> begun{0};
    std::atomic<int> left{behind};
    std::atomic<std::int64_t> over{0};
    std::vector<thread> others;
    thread first(there, [&] {
        for (int i = 0; i < behind; ++i) {
            others.emplace_back(there, [&] {
                if (--left == 0) {
                    over = now_ns();
                }
            });
        }
        begun = now_ns();
        block([&] { return over != 0; });
    });
    first.join();
    for (thread& each : others) {
        each.join();
    }
    return static_cast<double>(over - begun) / 1e6;
}

// The lock is held by another description of the file, which an OS thread gives up when told.
double behind_lock(pool_kind kind, const std::string& file, std::chrono::milliseconds spare) {
    const int holder = must(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600), "open");
    const int waiter = must(open(file.c_str(), O_RDWR | O_CLOEXEC), "open");
    must(flock(holder, LOCK_EX), "flock");
    std::optional<std::thread> releasing;
    const auto block = [&](auto is_told) {
        releasing.emplace([&, is_told] {
            for (int i = 0; i < 200 && !is_told(); ++i) {
                std::this_thread::sleep_for(1ms);
            }
            must(flock(holder, LOCK_UN), "flock");
        });
        must(static_cast<int>(syscall(SYS_flock, waiter, LOCK_EX)), "SYS_flock");
    };
    const double found = time_behind(kind, {.streams = 1, .spare = spare, .quantum = 0ms}, block);
    releasing->join();
    close(holder);
    close(waiter);
    return found;
}

double behind_loop(pool_kind kind, std::chrono::milliseconds quantum) {
    const auto block = [](auto is_told) {
        const std::int64_t until = now_ns() + 200'000'000;
        while (!is_told() && now_ns() < until) {
        }
    };
    return time_behind(kind, {.streams = 1, .spare = 0ms, .quantum = quantum}, block);
}

int run(const request& how) {
    raise_descriptor_limit();
    std::map<std::string, std::vector<double>> found;
    for (int i = 0; i < how.rounds; ++i) {
        found["few_ults"].push_back(ult_readers(how.readers));
        found["few_threads"].push_back(thread_readers(how.readers));
        found["many_ults"].push_back(ult_readers(how.many_readers));
        found["many_threads"].push_back(thread_readers(how.many_readers));
        for (const auto& [name, kind] :
             {std::pair("private", pool_kind::private_fifo), {"shared", pool_kind::shared_fifo}}) {
            found[fmt::format("lock_{}", name)].push_back(behind_lock(kind, how.locked, 5ms));
            found[fmt::format("loop_{}", name)].push_back(behind_loop(kind, 5ms));
        }
        found["lock_alone"].push_back(behind_lock(pool_kind::private_fifo, how.locked, 0ms));
        found["loop_alone"].push_back(behind_loop(pool_kind::private_fifo, 0ms));
    }
    unlink(how.locked.c_str());
    fmt::print("{}\n", nlohmann::json{{"unit", "ms"},
                                      {"readers", how.readers},
                                      {"many_readers", how.many_readers},
                                      {"times", found}}
                           .dump());
    return 0;
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("Units that can run, beside units that block.");
    lazult::bench::request given;
    program.add_option("--rounds", given.rounds, "of all cases (5)");
    program.add_option("--readers", given.readers, "of pipes, a few (64)");
    program.add_option("--many-readers", given.many_readers, "of pipes, many (2000)");
    program.add_option("--locked", given.locked, "a file to lock, made and removed");
    CLI11_PARSE(program, argc, argv);
    return lazult::bench::run(given);
}
