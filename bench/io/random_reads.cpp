// SPDX-License-Identifier: BSD-3-Clause
// Reads random blocks of a file, many at a time, by ULTs of one stream, by OS threads, or by a bare
// ring. Prints a line of JSON.
#include "bench/io/random_reads.hpp"
#include "bench/io/system.hpp"

#include <lazult/io.hpp>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

#include <CLI/CLI.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <map>
#include <thread>

namespace lazult::bench {

void read_by_ults(readers& all, std::int64_t until) {
    const runtime running({.streams = 1});
    io::adopt(all.front().descriptor());
    std::vector<thread> ults;
    for (reader& each : all) {
        ults.emplace_back([&each, until] {
            while (now_ns() < until) {
                each.begin();
                const io::result got =
                    io::pread(each.descriptor(), each.into(), block_bytes, each.offset());
                each.end(got ? got.value() : -1);
            }
        });
    }
    join_many(ults);
}

void read_by_threads(readers& all, std::int64_t until) {
    std::vector<std::jthread> threads;
    for (reader& each : all) {
        threads.emplace_back([&each, until] {
            while (now_ns() < until) {
                each.begin();
                each.end(pread(each.descriptor(), each.into(), block_bytes, each.offset()));
            }
        });
    }
}

namespace {

const std::map<std::string, void (*)(readers&, std::int64_t)> ways = {
    {"lazult", read_by_ults}, {"pread", read_by_threads}, {"uring", read_by_ring}};

struct request {
    std::string by = "lazult";
    std::string file = "/tmp/lazult-random-reads";
    double gib = 4;
    double seconds = 3;
    unsigned depth = 64;
    bool direct = false;
};

void add_options(CLI::App& program, request& given) {
    program.add_option("--by", given.by, "lazult, uring or pread")
        ->check(CLI::IsMember({"lazult", "uring", "pread"}));
    program.add_option("--file", given.file, "is written if it is missing");
    program.add_option("--gib", given.gib, "of the file that are read (4)")
        ->check(CLI::Range(0.001, 1e6));
    program.add_option("--seconds", given.seconds, "(3)");
    program.add_option("--depth", given.depth, "reads at a time (64)")
        ->check(CLI::Range(1U, 4096U));
    program.add_flag("--direct", given.direct, "past the page cache");
}

void print(const readers& all, const request& how) {
    latencies times;
    std::uint64_t errors = 0;
    for (const reader& each : all) {
        times.add(each.times());
        errors += each.errors();
    }
    nlohmann::json line = {{"by", how.by},
                           {"direct", how.direct},
                           {"depth", how.depth},
                           {"gib", how.gib},
                           {"reads_per_second", static_cast<double>(times.count()) / how.seconds},
                           {"p50_us", times.quantile_us(0.5)},
                           {"p99_us", times.quantile_us(0.99)},
                           {"errors", errors}};
    if (how.by == "lazult") {
        line["files"] = io::file_backend();
    }
    fmt::print("{}\n", line.dump());
}

int run(const request& how) {
    const block_file file = open_blocks(how.file, how.gib, how.direct);
    readers all;
    for (unsigned i = 0; i < how.depth; ++i) {
        all.emplace_back(file, i);
    }
    ways.at(how.by)(all, now_ns() + static_cast<std::int64_t>(how.seconds * 1e9));
    print(all, how);
    return 0;
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("Random reads of 4 KiB.");
    lazult::bench::request given;
    lazult::bench::add_options(program, given);
    CLI11_PARSE(program, argc, argv);
    return lazult::bench::run(given);
}
