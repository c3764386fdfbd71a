// SPDX-License-Identifier: BSD-3-Clause
// The driver of `lazult bench peers` for Lazult itself: written to <lazult/lazult.hpp>, with
// default settings but for the number of streams.
#include <lazult/lazult.hpp>

#include <optional>

#include "cases.hpp"

namespace {

std::optional<lazult::runtime> runtime;

void open_streams(int streams) { runtime.emplace(lazult::options{.streams = streams}); }
void close_streams() { runtime.reset(); }

case_list all_cases() {
    case_list all;
    for (const case_list& some :
         {forking_cases(), switching_cases(), waiting_cases(), loop_cases(), graph_cases()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    all.push_back({});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    return peers_main(argc, argv, all_cases().data(), open_streams, close_streams);
}
