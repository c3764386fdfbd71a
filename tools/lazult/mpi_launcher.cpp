// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/mpi_launcher.hpp"

#include <sstream>
#include <utility>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

using launcher = std::pair<std::string, std::vector<std::string>>;

// "name=words|name=words|", from cmake/mpi.cmake.
std::vector<launcher> known_launchers() {
    std::vector<launcher> all;
    for (const std::string& entry : split(LAZULT_MPI_LAUNCHERS, '|')) {
        const std::size_t cut = entry.find('=');
        all.emplace_back(entry.substr(0, cut), split(entry.substr(cut + 1), ' '));
    }
    return all;
}

}  // namespace

std::vector<std::string> mpis_with_launcher() {
    std::vector<std::string> names;
    for (const launcher& each : known_launchers()) {
        names.push_back(each.first);
    }
    return names;
}

std::vector<std::string> mpi_launcher(const std::string& family, const std::string& needed_by) {
    for (launcher& each : known_launchers()) {
        if (each.first == family) {
            return std::move(each.second);
        }
    }
    throw usage_error(
        needed_by, "this build found no launcher of " + family,
        "install openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev, and build again");
}

}  // namespace lazult::tool
