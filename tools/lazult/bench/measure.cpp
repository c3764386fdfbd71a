// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/bench/measure.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/lazult/bench/isolated.hpp"
#include "tools/lazult/bench/progress.hpp"
#include "tools/lazult/bench/runtime_session.hpp"

namespace lazult::tool {
namespace {

constexpr std::uint64_t warm_up_share = 16;

struct subject {
    std::size_t place;  // in the results
    configuration what;
    std::uint64_t iterations = 1;
    std::vector<sample> samples;

    std::string label() const {
        return fmt::format("{} {} {} %", what.benchmark, what.technique, what.suspend_percent);
    }
};

sample take(const subject& s, runtime_session& runtime) {
    if (!s.what.isolated_arguments.empty()) {
        runtime.stop();
        return sample_in_fresh_process(s.what.isolated_arguments);
    }
    runtime.want(s.what.settings);
    if (s.what.calibrated) {
        // The others ran since its last turn: caches and predictors forgot it.
        s.what.run(s.iterations / warm_up_share + 1);
    }
    return s.what.run(s.iterations);
}

void set_iterations(subject& s, const effort& how, runtime_session& runtime) {
    if (how.iterations != 0) {
        s.iterations = how.iterations;
    } else if (s.what.calibrated && s.what.isolated_arguments.empty()) {
        runtime.want(s.what.settings);
        s.iterations = calibrate(s.what.run, how.min_ms * 1e6);
    }
}

void run_round(std::vector<subject>& all, const std::string& round, bool kept,
               runtime_session& runtime, const progress_line& progress) {
    for (subject& s : all) {
        progress.show(fmt::format("{}: {}", round, s.label()));
        sample taken = take(s, runtime);
        if (kept) {
            s.samples.push_back(std::move(taken));
        }
    }
}

}  // namespace

std::uint64_t calibrate(const std::function<sample(std::uint64_t iterations)>& run, double min_ns) {
    std::uint64_t iterations = 1;
    for (;;) {
        const double elapsed = run(iterations).elapsed_ns;
        if (elapsed >= min_ns) {
            return iterations;
        }
        const double growth = elapsed > 0 ? std::clamp(min_ns * 1.2 / elapsed, 1.3, 10.0) : 10.0;
        iterations = static_cast<std::uint64_t>(static_cast<double>(iterations) * growth) + 1;
    }
}

std::vector<measurement> measure_all(std::vector<configuration> all, const effort& how) {
    std::vector<subject> subjects;
    for (configuration& what : all) {
        subjects.push_back({subjects.size(), std::move(what), 1, {}});
    }
    // Neighbours share a runtime where they can.
    std::stable_sort(subjects.begin(), subjects.end(), [](const subject& a, const subject& b) {
        return a.what.settings.streams < b.what.settings.streams;
    });
    const progress_line progress;
    runtime_session runtime;
    for (subject& s : subjects) {
        progress.show("how many iterations: " + s.label());
        set_iterations(s, how, runtime);
    }
    run_round(subjects, "warming up", false, runtime, progress);
    for (unsigned round = 1; round <= how.repetitions; ++round) {
        run_round(subjects, fmt::format("round {} of {}", round, how.repetitions), true, runtime,
                  progress);
    }
    std::vector<measurement> results(subjects.size());
    for (subject& s : subjects) {
        results[s.place] = {std::move(s.what), std::move(s.samples)};
    }
    return results;
}

double run_once(const configuration& what, std::uint64_t iterations) {
    runtime_session runtime;
    runtime.want(what.settings);
    return what.run(iterations).operations;
}

}  // namespace lazult::tool
