// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/closed_mark.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace ioservice {
namespace {

constexpr const char* title = "ioservice-closed-1";

std::string path_of(const std::string& folder) { return folder + "/closed"; }

// A new or removed name is on the device when its folder is.
void sync(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = descriptor >= 0 && fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (!done) {
        throw std::runtime_error(fmt::format("{}: fsync: {}", path, std::strerror(error)));
    }
}

}  // namespace

std::optional<closed_mark> read_mark(const std::string& folder, std::size_t files) {
    std::ifstream in(path_of(folder));
    if (!in) {
        return std::nullopt;
    }
    std::string word;
    in >> word;
    closed_mark mark(files);
    for (closed_file& each : mark) {
        in >> each.bytes >> each.values;
    }
    if (!in || word != title || in >> word) {
        throw std::runtime_error(path_of(folder) +
                                 ": is not what a store writes when it is closed");
    }
    return mark;
}

void write_mark(const std::string& folder, const closed_mark& mark) {
    const std::string unfinished = path_of(folder) + ".new";
    std::ofstream out(unfinished);
    out << title << '\n';
    for (const closed_file& each : mark) {
        out << each.bytes << ' ' << each.values << '\n';
    }
    out.close();
    if (!out) {
        throw std::runtime_error(unfinished + ": cannot be written");
    }
    sync(unfinished);
    if (std::rename(unfinished.c_str(), path_of(folder).c_str()) != 0) {
        throw std::runtime_error(path_of(folder) + ": cannot be renamed to");
    }
    sync(folder);
}

void remove_mark(const std::string& folder) {
    if (unlink(path_of(folder).c_str()) == 0) {
        sync(folder);
    } else if (errno != ENOENT) {
        throw std::runtime_error(
            fmt::format("{}: cannot be removed: {}", path_of(folder), std::strerror(errno)));
    }
}

}  // namespace ioservice
