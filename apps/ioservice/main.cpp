// SPDX-License-Identifier: BSD-3-Clause
// A key-value store on disk and a computation in one process, over abt.h.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/ioservice/experiment.hpp"
#include "apps/ioservice/report.hpp"
#include "apps/ioservice/sample_value.hpp"

namespace {

using namespace ioservice;

struct arguments {
    plan as;
    std::vector<std::string> modes;
    std::string json;
    bool check = false;
};

void declare_computation(CLI::App& app, plan& as) {
    app.add_option("--streams", as.streams, "execution streams of the computation")
        ->check(CLI::Range(1, 256));
    app.add_option("--grid", as.grid, "rows and columns of the grid")
        ->check(CLI::Range(std::size_t{3}, std::size_t{16384}));
    app.add_option("--tasks", as.tasks, "ULTs of a step")->check(CLI::Range(1, 4096));
    app.add_option("--steps", as.steps, "steps of a run")->check(CLI::Range(1, 1000000));
    app.add_option("--rounds", as.rounds, "runs of each mode, in turns, after one to warm up")
        ->check(CLI::Range(1, 1000));
}

void declare_service(CLI::App& app, plan& as) {
    app.add_option("--service-streams", as.service_streams, "streams of a private service")
        ->check(CLI::Range(1, 256));
    app.add_option("--servers", as.servers, "server ULTs, or OS threads")
        ->check(CLI::Range(1, 1024));
    app.add_option("--clients", as.load.clients, "client ULTs, on a stream of their own")
        ->check(CLI::Range(1, 1024));
    app.add_option("--rate", as.load.rate,
                   "requests a second of all clients; 0: each sends when it has its answer")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--keys", as.load.keys, "keys of the clients")->check(CLI::Range(1, 10000000));
    app.add_option("--blocks", as.load.most_blocks, "blocks of 64 KiB in a value, at most")
        ->check(CLI::Range(1, 1024));
    app.add_option("--puts", as.load.put_percent, "percent of requests")->check(CLI::Range(0, 100));
    app.add_option("--deletes", as.load.erase_percent, "percent of requests; the rest are gets")
        ->check(CLI::Range(0, 100));
    app.add_flag("--direct", as.direct, "keep out of the page cache");
    app.add_flag("--sync", as.sync, "a put ends when the device has the value");
}

void declare(CLI::App& app, arguments& given) {
    app.option_defaults()->always_capture_default();
    app.add_option("--folder", given.as.folder,
                   "the store; without it, one in the folder for temporary files that is removed");
    app.add_option("--modes", given.modes,
                   "off, threads, private, shared, private-plain, shared-plain (all there are)")
        ->delimiter(',');
    declare_computation(app, given.as);
    declare_service(app, given.as);
    app.add_option("--json", given.json, "write the figures there");
    app.add_flag("--check", given.check, "read every value of the store in --folder, and end");
}

// Of a run that was given none.
class temporary_folder {
public:
    temporary_folder() {
        path_ = std::filesystem::temp_directory_path() / "ioservice-XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) {
            throw std::runtime_error(path_ + ": no such folder can be made");
        }
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

int check_store(const plan& as) {
    if (!std::filesystem::is_directory(as.folder)) {
        throw std::invalid_argument("--check: there is no folder '" + as.folder + "'");
    }
    store found(as.folder, {as.direct, as.sync, &plain_calls()});
    const std::vector<key_type> keys = found.keys();
    for (const key_type key : keys) {
        if (!stamp_of(*found.get(key), key)) {
            throw std::runtime_error(fmt::format("the value of key {} is wrong", key));
        }
    }
    fmt::print("{} values are whole. The store {}; {} blocks of unfinished puts were dropped.\n",
               keys.size(), found.was_closed() ? "had been closed" : "had not been closed",
               found.dropped());
    found.close();
    return 0;
}

// Nothing is drawn into a file or pipe.
void show_progress(int round, const mode& next) {
    if (isatty(STDERR_FILENO) != 0) {
        fmt::print(stderr, "\r\033[Kioservice: round {}, {}", round, next.name);
        std::fflush(stderr);
    }
}

void write_json(const std::string& path, const nlohmann::json& what) {
    std::ofstream out(path);
    out << what.dump(2) << '\n';
    if (!out.flush()) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

int measure(const plan& as, const std::string& json) {
    const streams computing(as.streams);
    const std::vector<outcome> all = conduct(as, computing.pool(), show_progress);
    if (isatty(STDERR_FILENO) != 0) {
        fmt::print(stderr, "\r\033[K");
    }
    fmt::print("{}\nEvery answer of the service and every grid was right.\n", table(all));
    if (!can_suspend()) {
        fmt::print("This program has no calls that suspend ULTs.\n");
    }
    if (!json.empty()) {
        write_json(json, to_json(as, all));
    }
    return 0;
}

int run(arguments& given) {
    plan& as = given.as;
    for (const std::string& name : given.modes) {
        as.modes.push_back(mode_named(name));
    }
    if (as.modes.empty()) {
        as.modes = all_modes();
    }
    check(as);
    if (given.check && as.folder.empty()) {
        throw std::invalid_argument("--check needs --folder");
    }
    const runtime started;
    if (given.check) {
        return check_store(as);
    }
    std::optional<temporary_folder> temporary;
    if (as.folder.empty()) {
        as.folder = temporary.emplace().path();
    }
    return measure(as, given.json);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("a key-value store on disk beside a computation, in one process over abt.h");
    arguments given;
    declare(app, given);
    try {
        app.parse(argc, argv);
        return run(given);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "ioservice: {}\n", error.what());
        return 2;
    }
}
