// SPDX-License-Identifier: BSD-3-Clause
// usage: PROGRAM FILE|FOLDER...     Tries each file, and each one in a folder, once.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(int count, char** names) {
    std::vector<fs::path> all;
    for (int i = 0; i < count; ++i) {
        if (fs::is_directory(names[i])) {
            for (const auto& each : fs::directory_iterator(names[i])) {
                all.push_back(each.path());
            }
        } else {
            all.emplace_back(names[i]);
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

void try_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    std::printf("%s: %zu bytes\n", path.c_str(), bytes.size());
    std::fflush(stdout);  // before it may end the process
    lazult::fuzz::try_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<fs::path> all = files_of(argc - 1, argv + 1);
    for (const fs::path& each : all) {
        try_file(each);
    }
    std::printf("%zu tried\n", all.size());
    return all.empty() ? 1 : 0;
}
