// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical radiosity: how light spreads in a scene.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <lazult/lazult.hpp>
#include <optional>
#include <thread>

#include "apps/radiosity/command_line.hpp"
#include "apps/radiosity/picture.hpp"
#include "apps/radiosity/report.hpp"
#include "apps/radiosity/run.hpp"
#include "apps/radiosity/scene.hpp"
#include "apps/radiosity/world.hpp"

namespace {

struct arguments {
    radiosity::request request;
    std::string version = "sequential";
    std::string mode = "jacobi";
    std::string picture;
    std::size_t width = 800;
    std::size_t height = 600;
};

void declare(CLI::App& app, arguments& given) {
    given.request.with.workers = std::max(1U, std::thread::hardware_concurrency());
    radiosity::declare_request(app, given.request, "execution streams, or threads of OpenMP", 1024);
    app.add_option("--version", given.version, "sequential, tasks or openmp")
        ->capture_default_str();
    app.add_option("--mode", given.mode,
                   "jacobi: results do not depend on the order, or in-place: fewer iterations")
        ->capture_default_str();
    app.add_option("--picture", given.picture, "write a picture there, as PPM");
    app.add_option("--width", given.width, "of the picture, in pixels")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    app.add_option("--height", given.height, "of the picture, in pixels")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
}

radiosity::outcome solve(const radiosity::version& by, radiosity::world& all,
                         const radiosity::settings& with) {
    std::optional<lazult::runtime> runtime;
    if (by.name == "tasks") {
        lazult::options options;
        options.streams = static_cast<int>(with.workers);
        runtime.emplace(options);
    }
    return by.solve(all, with);
}

void run(arguments given) {
    radiosity::settings& with = given.request.with;
    with.how = radiosity::update_named(given.mode);
    radiosity::check(with);
    const radiosity::version by = radiosity::version_named(given.version);
    const radiosity::scene scene = radiosity::make_scene(given.request.scene);
    const double start = radiosity::now_in_seconds();
    radiosity::world all(scene);
    const double model_seconds = radiosity::now_in_seconds() - start;
    const radiosity::outcome found = solve(by, all, with);
    const radiosity::report report{given.request.scene,
                                   by.name,
                                   with,
                                   all.roots.size(),
                                   model_seconds,
                                   found,
                                   radiosity::count(all),
                                   radiosity::balance_of(all)};
    fmt::print("{}", radiosity::describe(report));
    if (!given.request.json.empty()) {
        radiosity::write_json(report, given.request.json);
    }
    if (!given.picture.empty()) {
        radiosity::write_ppm(radiosity::draw(all, scene.from, given.width, given.height),
                             given.picture);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("hierarchical radiosity: how light spreads in a scene");
    arguments given;
    declare(app, given);
    return radiosity::parse_and_run(app, argc, argv, "radiosity", [&] { run(given); });
}
