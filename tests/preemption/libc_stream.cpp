// SPDX-License-Identifier: BSD-3-Clause
// A FILE has a lock that its owner, an OS thread, may take again. So two ULTs of an OS thread are
// in it at once.
#include <cstdio>
#include <cstring>

#include "tests/preemption/example.hpp"

namespace {

constexpr int units = 3;
constexpr int lines = 20'000;
constexpr const char* tail = "abcdefghijklmnopqrstuvwxyz";

void check(std::FILE* file) {
    std::rewind(file);
    int count = 0;
    for (char line[200]; std::fgets(line, sizeof line, file) != nullptr; ++count) {
        int unit = 0;
        int number = 0;
        char rest[200] = "";
        if (std::sscanf(line, "%d %d %199s", &unit, &number, rest) != 3 ||
            std::strcmp(rest, tail) != 0) {
            preemption::fail("a line of two ULTs is in the file\n");
        }
    }
    if (count != units * lines) {
        preemption::fail("lines are lost\n");
    }
}

void program() {
    std::FILE* const file = std::tmpfile();
    preemption::run_units(units, [file](int unit) {
        for (int i = 0; i < lines; ++i) {
            std::fprintf(file, "%d %d %s\n", unit, i, tail);
            preemption::tick();
        }
    });
    check(file);
}

}  // namespace

int main() { return preemption::show({"in fprintf()", preemption::deferral::none, program}); }
