// SPDX-License-Identifier: BSD-3-Clause
// lazult soak: programs of all doors that were built, for as long as one likes. See
// docs/debugging.md.
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lazult/probe/chaos.hpp"
#include "lazult/probe/sanitizers.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/known_words.hpp"
#include "tools/lazult/mpi_launcher.hpp"
#include "tools/lazult/openmp_folder.hpp"
#include "tools/lazult/soak/figures.hpp"

namespace lazult::tool {
namespace {

namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

struct soak_options {
    double minutes = 1;
    double interval = 0;  // seconds; 0: a sixtieth of the time
    std::uint64_t seed = 0;
    std::vector<std::string> doors;
    std::string plant;
};

struct soak_program {
    std::string door;
    std::vector<std::string> command;
};

// A child, what it says, and how it ended.
struct soak_child {
    std::string door;
    pid_t process = -1;
    int output = -1;
    std::string rest;  // of a line that is not whole
    std::map<int, std::vector<soak_figures>> figures;
    clock_type::time_point last_heard = clock_type::now();
    std::string trouble;
};

// --- which programs there are

fs::path soak_folder() {
    const std::string folder = libexec_path("soak");
    if (folder.empty()) {
        throw failure("soak", "its programs are not in libexec/lazult/soak",
                      "build all targets, or install again");
    }
    return folder;
}

bool is_there(const fs::path& path) {
    std::error_code bad;
    return fs::exists(path, bad);
}

std::vector<soak_program> known_programs() {
    const fs::path folder = soak_folder();
    std::vector<soak_program> all;
    for (const char* door : {"native", "argobots", "openmp"}) {
        if (is_there(folder / door)) {
            all.push_back({door, {(folder / door).string()}});
        }
    }
    if (is_there(folder / "openmp_posix")) {
        all.push_back({"openmp-posix",
                       {fs::read_symlink("/proc/self/exe").string(), "run", "--posix", "--",
                        (folder / "openmp_posix").string()}});
    }
    for (const std::string& mpi : mpis_with_launcher()) {
        for (const char* door : {"mpi", "concert"}) {
            if (is_there(folder / mpi / door)) {
                std::vector<std::string> command = mpi_launcher(mpi, "soak");
                command.insert(command.end(), {"2", (folder / mpi / door).string()});
                all.push_back({fmt::format("{}-{}", door, mpi), std::move(command)});
            }
        }
    }
    return all;
}

std::vector<soak_program> chosen_programs(const std::vector<std::string>& doors) {
    std::vector<soak_program> all = known_programs();
    std::string names;
    for (const soak_program& each : all) {
        names += " " + each.door;
    }
    for (const std::string& wanted : doors) {
        if (std::none_of(all.begin(), all.end(),
                         [&](const auto& each) { return each.door == wanted; })) {
            throw usage_error("option --doors",
                              "there is no program of \"" + wanted + "\" in this build",
                              "give some of" + names);
        }
    }
    if (!doors.empty()) {
        std::erase_if(all, [&](const soak_program& each) {
            return std::find(doors.begin(), doors.end(), each.door) == doors.end();
        });
    }
    return all;
}

// --- children

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (std::string& word : words) {
        list.push_back(word.data());
    }
    list.push_back(nullptr);
    return list;
}

soak_child start(const soak_program& what, const soak_options& options) {
    soak_child child;
    child.door = what.door;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw failure("soak", std::strerror(errno), "raise the limit on open files");
    }
    std::vector<std::string> words = what.command;
    words.insert(words.end(), {"--seed", std::to_string(options.seed), "--seconds",
                               fmt::format("{}", options.minutes * 60), "--interval",
                               fmt::format("{}", options.interval)});
    if (!options.plant.empty()) {
        words.insert(words.end(), {"--plant", options.plant});
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const int error = ::posix_spawnp(&child.process, words.front().c_str(), &actions, nullptr,
                                     pointers(words).data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    child.output = ends[0];
    if (error != 0) {
        throw failure(words.front(), std::string("it cannot be run (") + std::strerror(error) + ")",
                      "build all targets, or install again");
    }
    return child;
}

void print_head() {
    fmt::print(
        "{:>8}  {:<16} {:>8} {:>11} {:>11} {:>10} {:>7} {:>6} {:>6} {:>6} {:>5} {:>5} {:>7}\n",
        "seconds", "load", "pid", "operations", "per second", "RSS KiB", "stacks", "taken",
        "in use", "units", "files", "maps", "threads");
}

void print_figures(const soak_child& child, const std::vector<soak_figures>& all) {
    const soak_figures& now = all.back();
    const double since = all.size() < 2 ? now.seconds : now.seconds - all[all.size() - 2].seconds;
    const std::uint64_t before = all.size() < 2 ? 0 : all[all.size() - 2].operations;
    fmt::print(
        "{:>8.1f}  {:<16} {:>8} {:>11} {:>11.0f} {:>10.0f} {:>7.0f} {:>6.0f} {:>6.0f} {:>6.0f} "
        "{:>5.0f} {:>5.0f} {:>7.0f}\n",
        now.seconds, child.door, now.pid, now.operations,
        static_cast<double>(now.operations - before) / std::max(since, 1e-3), now.rss_kib,
        now.stacks_mapped, now.stacks_taken, now.stacks_used, now.units, now.descriptors,
        now.mappings, now.threads);
    std::fflush(stdout);
}

void take_line(soak_child& child, std::string_view line) {
    const auto figures = parse_figures(line);
    if (!figures) {
        fmt::print("{}: {}\n", child.door, line);
        return;
    }
    auto& all = child.figures[figures->pid];
    all.push_back(*figures);
    child.last_heard = clock_type::now();
    print_figures(child, all);
}

// False at the end of what it says.
bool hear(soak_child& child) {
    char buffer[4096];
    const ssize_t n = ::read(child.output, buffer, sizeof buffer);
    if (n <= 0) {
        return n < 0 && errno == EINTR;
    }
    child.rest.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end = child.rest.find('\n'); end != std::string::npos;
         end = child.rest.find('\n')) {
        take_line(child, std::string_view(child.rest).substr(0, end));
        child.rest.erase(0, end + 1);
    }
    return true;
}

void end(soak_child& child) {
    int outcome = 0;
    while (::waitpid(child.process, &outcome, 0) == -1 && errno == EINTR) {
    }
    ::close(std::exchange(child.output, -1));
    if (child.trouble.empty() && outcome != 0) {
        child.trouble = WIFEXITED(outcome) ? fmt::format("it ended with {}", WEXITSTATUS(outcome))
                                           : fmt::format("signal {} ended it", WTERMSIG(outcome));
    }
    for (const auto& [pid, all] : child.figures) {
        if (const std::string bad = judge_memory(all); !bad.empty()) {
            child.trouble +=
                fmt::format("{}process {}: {}", child.trouble.empty() ? "" : "; ", pid, bad);
        }
    }
    if (child.figures.empty() && child.trouble.empty()) {
        child.trouble = "it said nothing";
    }
}

// One that says nothing for so long hangs: it dies with a core, if cores are on.
void end_if_silent(soak_child& child, std::chrono::duration<double> patience) {
    if (child.output != -1 && child.trouble.empty() &&
        clock_type::now() - child.last_heard > patience) {
        child.trouble = fmt::format("it hangs: it said nothing for {:.0f} s", patience.count());
        ::kill(child.process, SIGABRT);
    }
}

void hear_all(std::vector<soak_child>& children, const soak_options& options) {
    const std::chrono::duration<double> patience(options.interval * 2 + 60);
    for (;;) {
        std::vector<pollfd> open;
        std::vector<soak_child*> whose;
        for (soak_child& each : children) {
            if (each.output != -1) {
                open.push_back({each.output, POLLIN, 0});
                whose.push_back(&each);
            }
        }
        if (open.empty()) {
            return;
        }
        constexpr int one_second = 1000;
        ::poll(open.data(), open.size(), one_second);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].revents != 0 && !hear(*whose[i])) {
                end(*whose[i]);
            } else {
                end_if_silent(*whose[i], patience);
            }
        }
    }
}

// --- the end

void print_summary_of(const soak_child& child) {
    for (const auto& [pid, all] : child.figures) {
        const soak_figures& last = all.back();
        fmt::print(
            "{:<16} {:>8}: {} rounds, {} operations, {:.0f} a second; last half: RSS {:+.0f} KiB "
            "to {:.0f}, stacks {:+.0f} to {:.0f}, taken {:+.1f}, files {:+.1f}\n",
            child.door, pid, last.rounds, last.operations,
            static_cast<double>(last.operations) / last.seconds,
            rise_of_last_half(all, &soak_figures::rss_kib), last.rss_kib,
            rise_of_last_half(all, &soak_figures::stacks_mapped), last.stacks_mapped,
            rise_of_last_half(all, &soak_figures::stacks_taken),
            rise_of_last_half(all, &soak_figures::descriptors));
    }
}

void print_summary(const std::vector<soak_child>& children, const soak_options& options) {
    fmt::print("\n");
    for (const soak_child& each : children) {
        print_summary_of(each);
    }
    const bool is_short = options.minutes * 60 < least_seconds;
    fmt::print("{}{}\n", memory_rule(),
               is_short ? fmt::format(" (not judged: less than {:.0f} s)", least_seconds) : "");
    std::string bad;
    for (const soak_child& each : children) {
        if (!each.trouble.empty()) {
            bad += fmt::format("{}{}: {}", bad.empty() ? "" : "; ", each.door, each.trouble);
        }
    }
    std::fflush(stdout);
    if (!bad.empty()) {
        throw failure("soak", bad, fmt::format("run it again with --seed {}", options.seed));
    }
    fmt::print("nothing lost: seed {}, {:.1f} minutes, chaos {}\n", options.seed, options.minutes,
               probe::chaos ? "on" : "off");
}

void run_soak(soak_options& options) {
    if (options.interval <= 0) {
        options.interval = std::clamp(options.minutes, 0.5, 30.0);
    }
    // Several ranks and programs on one machine must not bind their streams to the same processors.
    ::setenv("LAZULT_BIND", "off", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    if (probe::asan) {  // its hooks and UCX's are in each other's way
        ::setenv("UCX_MEM_EVENTS", "no", 0);
        ::setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 0);
        ::setenv("UCX_HANDLE_ERRORS", "none", 0);
    }
    print_head();
    std::vector<soak_child> children;
    for (const soak_program& each : chosen_programs(options.doors)) {
        children.push_back(start(each, options));
    }
    hear_all(children, options);
    print_summary(children, options);
}

std::vector<std::string> names_of_doors() {
    std::vector<std::string> names{"native", "argobots", "openmp", "openmp-posix"};
    for (const std::string& mpi : mpis_with_launcher()) {
        names.push_back("mpi-" + mpi);
        names.push_back("concert-" + mpi);
    }
    return names;
}

}  // namespace

void add_soak(CLI::App& program) {
    auto options = std::make_shared<soak_options>();
    CLI::App* soak = program.add_subcommand("soak",
                                            "Run mixed load over all doors that are built, and see "
                                            "that nothing is lost and memory stays flat");
    soak->add_option("--minutes", options->minutes, "How long, in minutes: a fraction, too")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    soak->add_option("--interval", options->interval,
                     "Seconds between two lines of each process; 0: a sixtieth of the time");
    soak->add_option("--seed", options->seed, "Of what each round does");
    soak->add_option("--doors", options->doors, "Some of the doors; all that were built")
        ->delimiter(',')
        ->check(known_words(names_of_doors()));
    soak->add_option("--plant", options->plant, "An error to be found: leak, loss, stack, or byte")
        ->check(CLI::IsMember({"leak", "loss", "stack", "byte"}))
        ->group("");
    soak->callback([options] { run_soak(*options); });
}

}  // namespace lazult::tool
