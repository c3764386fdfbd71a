// SPDX-License-Identifier: BSD-3-Clause
// A byte goes back and forth through two pipes: between two ULTs of one stream, also where
// lazult::io has only adopted the pipes and does not know which ends belong together; between two
// OS threads, on any processors; between two on one processor; and from one thread to itself, which
// is what the four calls cost. In turns. Prints a line of JSON.
#include "bench/io/latencies.hpp"
#include "bench/io/system.hpp"

#include <lazult/io.hpp>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

#include <CLI/CLI.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <sched.h>
#include <unistd.h>

#include <map>
#include <string>
#include <thread>

namespace lazult::bench {
namespace {

struct request {
    int trips = 20'000;
    int rounds = 5;
};

struct pipes {
    int there[2];
    int back[2];
};

[[noreturn]] void lose() { give_up("a byte was lost", EIO); }

// `get` and `put` move one byte, and return false if that failed.
template <class Get, class Put>
void answer(const pipes& by, int trips, Get get, Put put) {
    char byte = 0;
    for (int i = 0; i < trips; ++i) {
        if (!get(by.there[0], byte) || !put(by.back[1], byte)) {
            lose();
        }
    }
}

template <class Get, class Put>
double ask(const pipes& by, int trips, Get get, Put put) {
    const std::int64_t begun = now_ns();
    for (int i = 0; i < trips; ++i) {
        const char sent = static_cast<char>(i);
        char received = 0;
        if (!put(by.there[1], sent) || !get(by.back[0], received) || received != sent) {
            lose();
        }
    }
    return static_cast<double>(now_ns() - begun) / trips;
}

enum class origin { made, adopted };

pipes pipes_for_ults(origin of) {
    pipes by{};
    for (int(*ends)[2] : {&by.there, &by.back}) {
        if (of == origin::made) {
            io::pipe(*ends).value();
            continue;
        }
        must(pipe(*ends), "pipe");
        for (const int end : *ends) {
            io::adopt(end).value();
        }
    }
    return by;
}

double between_ults(int trips, origin of) {
    const auto get = [](int from, char& byte) { return io::read(from, &byte, 1).value() == 1; };
    const auto put = [](int to, char byte) { return io::write(to, &byte, 1).value() == 1; };
    const pipes by = pipes_for_ults(of);
    double found = 0;
    thread first([&] { found = ask(by, trips, get, put); });
    thread second([&] { answer(by, trips, get, put); });
    first.join();
    second.join();
    for (const int end : {by.there[0], by.there[1], by.back[0], by.back[1]}) {
        io::close(end);
    }
    return found;
}

double between_threads(int trips, const cpu_set_t& where) {
    const auto get = [](int from, char& byte) { return read(from, &byte, 1) == 1; };
    const auto put = [](int to, char byte) { return write(to, &byte, 1) == 1; };
    // A thread begins where the stream that starts it is bound.
    const auto move = [&where] { sched_setaffinity(0, sizeof(where), &where); };
    pipes by{};
    must(pipe(by.there), "pipe");
    must(pipe(by.back), "pipe");
    double found = 0;
    std::jthread first([&] { move(), found = ask(by, trips, get, put); });
    std::jthread second([&] { move(), answer(by, trips, get, put); });
    first.join();
    second.join();
    for (const int end : {by.there[0], by.there[1], by.back[0], by.back[1]}) {
        close(end);
    }
    return found;
}

// One thread writes and reads, and so never waits.
double of_one_thread(int trips) {
    pipes by{};
    must(pipe(by.there), "pipe");
    must(pipe(by.back), "pipe");
    const std::int64_t begun = now_ns();
    for (int i = 0; i < trips; ++i) {
        const char sent = static_cast<char>(i);
        char byte = 0;
        const bool went = write(by.there[1], &sent, 1) == 1 && read(by.there[0], &byte, 1) == 1 &&
                          write(by.back[1], &byte, 1) == 1 && read(by.back[0], &byte, 1) == 1;
        if (!went || byte != sent) {
            lose();
        }
    }
    const double found = static_cast<double>(now_ns() - begun) / trips;
    for (const int end : {by.there[0], by.there[1], by.back[0], by.back[1]}) {
        close(end);
    }
    return found;
}

cpu_set_t first_of(const cpu_set_t& all) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    }
    return one;
}

int run(const request& how) {
    cpu_set_t all;
    must(sched_getaffinity(0, sizeof(all), &all), "sched_getaffinity");
    const cpu_set_t one = first_of(all);
    const runtime running({.streams = 1});
    std::map<std::string, std::vector<double>> found;
    for (int i = 0; i < how.rounds; ++i) {
        found["ults"].push_back(between_ults(how.trips, origin::made));
        found["ults_adopted"].push_back(between_ults(how.trips, origin::adopted));
        found["one_thread"].push_back(of_one_thread(how.trips));
        found["threads"].push_back(between_threads(how.trips, all));
        found["threads_one_processor"].push_back(between_threads(how.trips, one));
    }
    fmt::print("{}\n", nlohmann::json{{"unit", "ns"}, {"round_trips", found}}.dump());
    return 0;
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("Round trips of a byte through two pipes.");
    lazult::bench::request given;
    program.add_option("--trips", given.trips, "in a round (20000)");
    program.add_option("--rounds", given.rounds, "of all cases (5)");
    CLI11_PARSE(program, argc, argv);
    return lazult::bench::run(given);
}
