// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace radiosity {
namespace {

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:016x}", number); }

double first_seconds(const outcome& of) { return of.seconds.empty() ? 0 : of.seconds.front(); }

}  // namespace

std::string describe(const report& of) {
    const outcome& found = of.found;
    const census& counted = of.counted;
    return fmt::format(
        "{}: {} patches, version {}, mode {}\n"
        "elements      {} ({} leaves)\n"
        "interactions  {}\n"
        "visibilities  {}\n"
        "iterations    {}{}\n"
        "seconds       {:.3f} (the first iteration {:.3f}; the model before them {:.3f})\n"
        "energy        {:.10g}\n"
        "absorbed      {:.2f} % of what is emitted\n"
        "checksum      {}\n",
        of.scene, of.patches, of.version, name_of(of.with.how), counted.elements, counted.leaves,
        counted.interactions, counted.visibilities, found.iterations,
        found.converged ? "" : " (the energy still changes)", found.total_seconds(),
        first_seconds(found), of.model_seconds, found.energy,
        100 * of.light.absorbed / of.light.emitted, hexadecimal(counted.checksum));
}

nlohmann::json to_json(const report& of) {
    return {{"scene", of.scene},
            {"version", of.version},
            {"mode", name_of(of.with.how)},
            {"workers", of.with.workers},
            {"bf_eps", of.with.within.error},
            {"area_eps", of.with.within.area},
            {"energy_eps", of.with.energy},
            {"patches", of.patches},
            {"elements", of.counted.elements},
            {"leaves", of.counted.leaves},
            {"interactions", of.counted.interactions},
            {"visibilities", of.counted.visibilities},
            {"iterations", of.found.iterations},
            {"converged", of.found.converged},
            {"model_seconds", of.model_seconds},
            {"seconds", of.found.total_seconds()},
            {"seconds_by_iteration", of.found.seconds},
            {"energy", of.found.energy},
            {"emitted", of.light.emitted},
            {"absorbed", of.light.absorbed},
            {"checksum", hexadecimal(of.counted.checksum)}};
}

void write_json(const report& of, const std::string& file) { write_json(to_json(of), file); }

void write_json(const nlohmann::json& measured, const std::string& file) {
    std::ofstream out(file);
    out << measured.dump(2) << '\n';
    out.close();
    if (!out) {
        throw std::runtime_error("cannot write the measurements to " + file);
    }
}

}  // namespace radiosity
