// SPDX-License-Identifier: BSD-3-Clause
// What is printed of simulations, and written as JSON.
#include "bench/concert/measured_machine.hpp"
#include "bench/concert/simulated.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace lazult::bench {
namespace {

using nlohmann::json;

concert::machine machine_of(const simulated_request& wanted) {
    if (wanted.machine == "t3d") {
        return concert::machine::t3d();
    }
    if (wanted.machine == "t3d-slices") {
        return concert::machine::t3d_with_slices();
    }
    if (wanted.machine == "here") {
        concert::machine m = measured_machine(wanted.cost_files);
        m.slice_ns = 100'000;  // of real ranks, if nothing is set
        return m;
    }
    throw std::runtime_error("simulate t3d, t3d-slices or here");
}

// One line that overwrites itself, on a terminal only.
void show_progress(double percent) {
    if (::isatty(STDERR_FILENO) != 0) {
        fmt::print(stderr, "\r\033[K{:.0f} % simulated{}", percent,
                   percent < 100 ? "" : "\r\033[K");
        std::fflush(stderr);
    }
}

json json_of(const std::vector<simulated_kernel_row>& rows) {
    json all = json::array();
    for (const simulated_kernel_row& r : rows) {
        const concert::method_counters& m = r.all.methods;
        all.push_back({{"version", r.version},
                       {"pattern", r.shape.pattern},
                       {"tau_us", r.shape.tau_us},
                       {"sigma", r.shape.sigma},
                       {"local", r.shape.local},
                       {"efficiency", r.efficiency},
                       {"elapsed_us", r.elapsed_us},
                       {"threads", r.work.threads},
                       {"remote_threads", r.work.remote_threads},
                       {"result", r.work.result},
                       {"messages", r.all.sent},
                       {"bytes", r.all.bytes},
                       {"blocked_sends", r.all.blocked},
                       {"blocked_us", r.all.blocked_ns / 1000},
                       {"idle_us", r.all.idle_ns / 1000},
                       {"contexts", m.contexts},
                       {"heap_calls", m.heap_calls},
                       {"fallbacks", m.fallbacks},
                       {"taken", m.taken},
                       {"restarts", m.restarts},
                       {"sent_calls", m.sent_calls},
                       {"served", m.served},
                       {"served_later", m.served_later}});
    }
    return all;
}
json json_of(const std::vector<source_row>& rows) {
    json all = json::array();
    for (const source_row& r : rows) {
        all.push_back({{"scheme", r.scheme},
                       {"pattern", r.pattern},
                       {"bytes", r.bytes},
                       {"source_us", r.source_us}});
    }
    return all;
}

void print(const std::vector<simulated_kernel_row>& rows) {
    fmt::print("{:<12} {:>9} {:>6} {:>8} {:<11} {:>10} {:>12} {:>13} {:>9}\n", "pattern", "tau us",
               "sigma", "local %", "version", "efficiency", "elapsed us", "blocked sends",
               "messages");
    for (const simulated_kernel_row& r : rows) {
        fmt::print("{:<12} {:>9} {:>6} {:>8} {:<11} {:>9.1f}% {:>12.0f} {:>13} {:>9}\n",
                   r.shape.pattern, r.shape.tau_us, r.shape.sigma, r.shape.local, r.version,
                   100 * r.efficiency, r.elapsed_us, r.all.blocked, r.all.sent);
    }
}
void print(const std::vector<source_row>& rows) {
    fmt::print("{:<6} {:<12} {:>7} {:>10}\n", "scheme", "pattern", "bytes", "source us");
    for (const source_row& r : rows) {
        fmt::print("{:<6} {:<12} {:>7} {:>10.2f}\n", r.scheme, r.pattern, r.bytes, r.source_us);
    }
}

template <class Row>
int finish(const simulated_request& wanted, const std::vector<Row>& rows) {
    const json all = {{"what", wanted.what},
                      {"machine", wanted.machine},
                      {"ranks", wanted.grid.ranks},
                      {"rows", json_of(rows)}};
    if (wanted.json_file == "-") {
        fmt::print("{}\n", all.dump(2));
        return 0;
    }
    print(rows);
    if (!wanted.json_file.empty() && !(std::ofstream(wanted.json_file) << all.dump(2) << '\n')) {
        throw std::runtime_error("the file " + wanted.json_file + " cannot be written");
    }
    return 0;
}

}  // namespace

int run_simulated(const simulated_request& wanted) {
    const concert::machine on = machine_of(wanted);
    if (wanted.what == "microkernel") {
        return finish(wanted, simulate_microkernel(on, wanted.grid, show_progress));
    }
    if (wanted.what == "fig10") {
        return finish(wanted, simulate_fig10(on, wanted.grid, show_progress));
    }
    throw std::runtime_error("simulate microkernel or fig10");
}

}  // namespace lazult::bench
