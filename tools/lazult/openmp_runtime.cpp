// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/openmp_runtime.hpp"

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <vector>

#include "tools/lazult/child_process.hpp"
#include "tools/lazult/elf_file.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {
namespace {

namespace fs = std::filesystem;

enum class family { none, gcc, other };

// Python wheels bring gcc's as libgomp-a34b3233.so.1.0.0 and the like. LLVM's has other entry
// points, and so has Intel's.
family family_of(const std::string& library) {
    if (library.starts_with("libgomp.so") || library.starts_with("libgomp-")) {
        return family::gcc;
    }
    return library.starts_with("libomp.so") || library.starts_with("libomp-") ||
                   library.starts_with("libiomp5")
               ? family::other
               : family::none;
}

struct runtime {
    family kind = family::none;
    std::string path;
};

// The loader's own answer, which knows all paths, and does not start the program. Each line is
// `NAME => PATH (ADDRESS)`.
std::vector<runtime> runtimes_of(const fs::path& program, const std::string& loader) {
    const finished_process listed = run_to_end({loader, {"--list", program.string()}, {}});
    std::istringstream lines(listed.output);
    std::vector<runtime> found;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::string arrow;
        std::string path;
        words >> name >> arrow >> path;
        if (arrow != "=>") {
            path = name;
        }
        if (const family kind = family_of(fs::path(name).filename().string());
            kind != family::none) {
            found.push_back({kind, path});
        }
    }
    return found;
}

void say(const std::string& words) {
    std::fprintf(stderr, "lazult: OpenMP runtime: %s\n", words.c_str());
}

bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code bad;
    return fs::equivalent(one, other, bad);
}

void say_which(const std::string& program, const std::vector<runtime>& found,
               const std::string& ours, bool preloads) {
    bool has_ours = false;
    for (const runtime& each : found) {
        const bool is_ours = is_same_file(each.path, ours);
        has_ours = has_ours || is_ours;
        if (each.kind == family::other) {
            say(each.path + ", which is not gcc's: ours does not replace it. Build \"" + program +
                "\" with gcc");
        } else if (is_ours) {
            say(ours);
        } else if (preloads) {
            say(ours + ", preloaded before " + each.path);
        } else {
            say(each.path + ", a copy that \"" + program +
                "\" brings, and not ours: give --preload");
        }
    }
    if (preloads && found.empty()) {
        say(ours + ", preloaded");
    } else if (!has_ours && found.empty()) {
        say("\"" + program + "\" is linked with none. What it loads later gets " + ours +
            " if it asks for libgomp.so.1; for copies of that under other names give --preload");
    }
}

// The program that will run, and the file that knows which libraries it is linked with.
void say_runtime(const std::string& program, const std::string& ours, bool preloads) {
    fs::path path = find_program(program);
    elf_file file(path);
    if (const std::string interpreter = file.interpreter(); !interpreter.empty()) {
        path = find_program(interpreter);
        file = elf_file(path);
    }
    if (!file.is_program()) {
        return;  // execute() says what is wrong with it
    }
    if (file.loader().empty()) {
        say("\"" + program + "\" is linked statically: if it has one, it is its own, and not ours");
        return;
    }
    const std::vector<runtime> found = runtimes_of(path, file.loader());
    for (const runtime& each : found) {
        if (preloads && each.kind == family::other) {
            throw usage_error("option --preload",
                              "\"" + program + "\" is linked with " + each.path +
                                  ", and would get some functions of each runtime",
                              "build the program with gcc, or leave the option out");
        }
    }
    say_which(program, found, ours, preloads);
}

}  // namespace

void export_openmp(const std::string& program, bool preloads) {
    const std::string folder = openmp_folder("option --openmp");
    const std::string ours = folder + "/libgomp.so.1";
    put_first("LD_LIBRARY_PATH", folder);
    say_runtime(program, ours, preloads);
    if (preloads) {
        put_first("LD_PRELOAD", ours);
    }
}

}  // namespace lazult::tool
