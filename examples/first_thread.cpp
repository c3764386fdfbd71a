// SPDX-License-Identifier: BSD-3-Clause
// One thread, from its start to its end.
#include <lazult/lazult.hpp>

#include <cstdio>

int main() {
    lazult::thread greeter([] { std::puts("hello from a thread"); });
    greeter.join();
}
