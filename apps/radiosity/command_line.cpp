// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/command_line.hpp"

#include <fmt/format.h>

#include <exception>

namespace radiosity {

void declare_request(CLI::App& app, request& given, const std::string& workers, int most) {
    settings& with = given.with;
    app.add_option("--scene", given.scene, "box, white, room, largeroom or furnished:N:SEED")
        ->capture_default_str();
    app.add_option("--bf-eps", with.within.error, "error that an interaction may have")
        ->capture_default_str();
    app.add_option("--area-eps", with.within.area, "elements up to this area are not divided")
        ->capture_default_str();
    app.add_option("--energy-eps", with.energy, "end when the energy changes by this share only")
        ->capture_default_str();
    app.add_option("--iterations", with.iterations, "iterations at most")->capture_default_str();
    app.add_option("--workers", with.workers, workers)
        ->check(CLI::Range(1, most))
        ->capture_default_str();
    app.add_option("--json", given.json, "write the measurements there");
}

int parse_and_run(CLI::App& app, int argc, char** argv, const std::string& program,
                  const std::function<void()>& run) {
    try {
        app.parse(argc, argv);
        run();
        return 0;
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", program, error.what());
        return 2;
    }
}

}  // namespace radiosity
