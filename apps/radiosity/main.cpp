// SPDX-License-Identifier: BSD-3-Clause
// Hierarchical radiosity: how light spreads in a scene.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <lazult/lazult.hpp>
#include <optional>
#include <thread>

#include "apps/radiosity/picture.hpp"
#include "apps/radiosity/report.hpp"
#include "apps/radiosity/run.hpp"
#include "apps/radiosity/scene.hpp"
#include "apps/radiosity/world.hpp"

namespace {

struct arguments {
    std::string scene = "room";
    std::string version = "sequential";
    std::string mode = "jacobi";
    radiosity::settings with;
    std::string picture;
    std::size_t width = 800;
    std::size_t height = 600;
    std::string json;
};

void declare(CLI::App& app, arguments& given) {
    radiosity::settings& with = given.with;
    with.workers = std::max(1U, std::thread::hardware_concurrency());
    app.add_option("--scene", given.scene, "box, white, room, largeroom or furnished:N:SEED")
        ->capture_default_str();
    app.add_option("--version", given.version, "sequential, tasks or openmp")
        ->capture_default_str();
    app.add_option("--mode", given.mode,
                   "jacobi: results do not depend on the order, or in-place: fewer iterations")
        ->capture_default_str();
    app.add_option("--bf-eps", with.within.error, "error that an interaction may have")
        ->capture_default_str();
    app.add_option("--area-eps", with.within.area, "elements up to this area are not divided")
        ->capture_default_str();
    app.add_option("--energy-eps", with.energy, "end when the energy changes by this share only")
        ->capture_default_str();
    app.add_option("--iterations", with.iterations, "iterations at most")->capture_default_str();
    app.add_option("--workers", with.workers, "execution streams, or threads of OpenMP")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--picture", given.picture, "write a picture there, as PPM");
    app.add_option("--width", given.width, "of the picture, in pixels")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    app.add_option("--height", given.height, "of the picture, in pixels")
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    app.add_option("--json", given.json, "write the measurements there");
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
    given.with.how = radiosity::update_named(given.mode);
    radiosity::check(given.with);
    const radiosity::version by = radiosity::version_named(given.version);
    const radiosity::scene scene = radiosity::make_scene(given.scene);
    const double start = radiosity::now_in_seconds();
    radiosity::world all(scene);
    const double model_seconds = radiosity::now_in_seconds() - start;
    const radiosity::outcome found = solve(by, all, given.with);
    const radiosity::report report{given.scene,
                                   by.name,
                                   given.with,
                                   all.roots.size(),
                                   model_seconds,
                                   found,
                                   radiosity::count(all),
                                   radiosity::balance_of(all)};
    fmt::print("{}", radiosity::describe(report));
    if (!given.json.empty()) {
        radiosity::write_json(report, given.json);
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
    try {
        app.parse(argc, argv);
        run(given);
        return 0;
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "radiosity: {}\n", error.what());
        return 2;
    }
}
