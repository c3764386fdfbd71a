// SPDX-License-Identifier: BSD-3-Clause
// IC-Cedar: molecular dynamics of a chain like a protein in water, as one program. Times by phase.
#include "apps/cedar/command_line.hpp"
#include "apps/cedar/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <exception>

namespace {

void run(const cedar::arguments& given) {
    const cedar::request wanted = cedar::request_of(given);
    const cedar::findings found = cedar::conduct(wanted);
    fmt::print("{}", cedar::describe(wanted, found));
    if (!given.json.empty()) {
        cedar::write_json(given.json, cedar::to_json(wanted, found));
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Molecular dynamics of a chain like a protein in water");
    cedar::arguments given;
    cedar::declare(app, given);
    app.add_option("--owners", given.wanted.forces.owners,
                   "owners among which the cells are shared out; the result is the same")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    try {
        app.parse(argc, argv);
        run(given);
    } catch (const CLI::Error& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        fmt::print(stderr, "iccedar: {}\n", error.what());
        return 2;
    }
}
