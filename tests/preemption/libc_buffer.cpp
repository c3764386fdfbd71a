// SPDX-License-Identifier: BSD-3-Clause
// inet_ntoa() returns a buffer that belongs to the OS thread. That is right for OS threads, and for
// ULTs that do not suspend before they have read it.
#include <arpa/inet.h>

#include <cstring>

#include "tests/preemption/example.hpp"

namespace {

void name(int unit) {
    in_addr address{};
    address.s_addr = htonl(0x0a000001U + static_cast<unsigned>(unit));
    const char wanted[] = {'1', '0', '.', '0', '.', '0', '.', static_cast<char>('1' + unit), 0};
    for (int i = 0; i < 300'000; ++i) {
        if (std::strcmp(inet_ntoa(address), wanted) != 0) {
            preemption::fail("inet_ntoa() gave the address of another ULT\n");
        }
        if (i % 1000 == 0) {
            preemption::tick();
        }
    }
}

void program() { preemption::run_units(3, name); }

}  // namespace

int main() {
    return preemption::show(
        {"before the program has read a buffer of libc", preemption::deferral::locks, program});
}
