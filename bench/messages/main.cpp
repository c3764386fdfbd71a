// SPDX-License-Identifier: BSD-3-Clause
// Usage: messages-bench [--json FILE] [--rounds N] [--iterations N] [--slow-messages N]; 0 leaves
// out single sends, traffic patterns and the slow receiver. On two ranks or more, of one node or
// several. `lazult bench messages` starts it.
#include "bench/messages/measure.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string_view>

namespace lazult::bench {

std::vector<double> gathered(const std::vector<double>& mine) {
    const auto size = static_cast<std::size_t>(concert_size());
    int count = static_cast<int>(mine.size());
    std::vector<int> counts(size);
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::vector<int> places(size);
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    std::vector<double> all(static_cast<std::size_t>(std::reduce(counts.begin(), counts.end())));
    MPI_Gatherv(mine.data(), count, MPI_DOUBLE, all.data(), counts.data(), places.data(),
                MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return concert_rank() == 0 ? all : std::vector<double>{};
}

namespace {

struct request {
    effort how;
    std::string json_file;
};

request parse(int argc, char** argv) {
    request wanted;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        const auto number = static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
        if (option == "--json") {
            wanted.json_file = argv[i + 1];
        } else if (option == "--rounds") {
            wanted.how.rounds = number;
        } else if (option == "--iterations") {
            wanted.how.iterations = number;
        } else if (option == "--slow-messages") {
            wanted.how.slow_messages = number;
        }
    }
    return wanted;
}

void print(const std::vector<row>& rows) {
    fmt::print("{:<20} {:<6} {:<10} {:>6} {:>12} {:>12} {:>12} {:>12} {:>9}\n", "what", "scheme",
               "aggregated", "bytes", "median ns", "10 % ns", "90 % ns", "harmonic ns", "ratio");
    for (const row& r : rows) {
        const std::string harmonic =
            r.harmonic_ns != 0 ? fmt::format("{:.1f}", r.harmonic_ns) : std::string();
        fmt::print(
            "{:<20} {:<6} {:<10} {:>6} {:>12.1f} {:>12.1f} {:>12.1f} {:>12} {:>9.2f} of {}\n",
            r.what, r.scheme, r.aggregated ? "yes" : "no", r.bytes, r.median_ns, r.low_ns,
            r.high_ns, harmonic, r.ratio, r.ratio_to);
    }
}

void write(const std::vector<row>& rows, const std::string& file) {
    nlohmann::json all = nlohmann::json::array();
    for (const row& r : rows) {
        all.push_back({{"benchmark", r.what},
                       {"scheme", r.scheme},
                       {"aggregated", r.aggregated},
                       {"bytes", r.bytes},
                       {"ranks", concert_size()},
                       {"unit", "ns"},
                       {"median", r.median_ns},
                       {"low", r.low_ns},
                       {"high", r.high_ns},
                       {"ratio", r.ratio},
                       {"ratio_to", r.ratio_to}});
        if (r.harmonic_ns != 0) {
            all.back()["harmonic_mean"] = r.harmonic_ns;
        }
    }
    if (file == "-") {
        fmt::print("{}\n", all.dump(2));
        return;
    }
    std::ofstream(file) << all.dump(2) << '\n';
}

int run(const request& wanted) {
    const concert::session world;
    if (world.size() < 2) {
        fmt::print(
            stderr,
            "messages-bench: messages between ranks need two of them; start it by mpiexec -n 4\n");
        return 2;
    }
    std::vector<row> rows;
    if (wanted.how.rounds != 0) {
        measure_point_to_point(wanted.how, rows);
    }
    if (wanted.how.iterations != 0) {
        measure_patterns(wanted.how, rows);
    }
    if (wanted.how.slow_messages != 0) {
        measure_slow_receiver(wanted.how, rows);
    }
    if (world.rank() == 0) {
        if (wanted.json_file != "-") {
            print(rows);
        }
        if (!wanted.json_file.empty()) {
            write(rows, wanted.json_file);
        }
    }
    return 0;
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) { return lazult::bench::run(lazult::bench::parse(argc, argv)); }
