// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/machine.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lazult::tool {
namespace {

using json = nlohmann::ordered_json;

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string()
                                           : std::string(text.substr(first, last - first + 1));
}

// The value of the first line "name : value" of /proc/cpuinfo, or nothing.
std::string cpu_fact(std::string_view name) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && trimmed(line.substr(0, colon)) == name) {
            return trimmed(line.substr(colon + 1));
        }
    }
    return {};
}

// A virtual machine may hide the name. The numbers tell the model all the same.
std::string processor() {
    if (const std::string part = cpu_fact("CPU part"); !part.empty()) {
        return fmt::format("AArch64 (implementer {}, part {})", cpu_fact("CPU implementer"), part);
    }
    const std::string name = cpu_fact("model name");
    const std::string family = cpu_fact("cpu family");
    if (family.empty()) {
        return name.empty() ? "unknown" : name;
    }
    return fmt::format("{} (family {}, model {})", name, family, cpu_fact("model"));
}

std::string first_word(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

std::string cache_name(const std::string& level, const std::string& type) {
    return "L" + level + (type == "Data" ? "d" : type == "Instruction" ? "i" : "");
}

json caches() {
    json sizes = json::object();
    for (int i = 0;; ++i) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
        const std::string size = first_word(folder + "size");
        if (size.empty()) {
            return sizes;
        }
        sizes[cache_name(first_word(folder + "level"), first_word(folder + "type"))] = size;
    }
}

std::string kernel() {
    utsname names{};
    return ::uname(&names) == 0 ? fmt::format("{} {}", names.sysname, names.release) : "unknown";
}

}  // namespace

json describe_machine() {
    return {{"processor", processor()}, {"caches", caches()}, {"kernel", kernel()}};
}

}  // namespace lazult::tool
