// SPDX-License-Identifier: BSD-3-Clause
// Steps of the computation beside the service, in each mode, in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/ioservice/clients.hpp"
#include "apps/ioservice/stencil.hpp"

namespace ioservice {

enum class servers { none, os_threads, own_streams, shared_streams };

struct mode {
    std::string name;
    std::string description;
    servers by = servers::none;
    bool suspends = false;  // a server ULT, where its call would block
};

std::vector<mode> all_modes();
// Throws std::invalid_argument.
mode mode_named(const std::string& name);

struct plan {
    std::string folder;
    std::vector<mode> modes;
    bool direct = false;
    bool sync = false;
    int streams = 2;
    int service_streams = 1;
    int servers = 8;
    load_settings load;
    std::size_t grid = 1024;
    int tasks = 16;
    int steps = 200;
    int rounds = 5;
};

// Throws std::invalid_argument.
void check(const plan& of);

// Of one mode in one round.
struct run_result {
    std::vector<double> step_ms;
    double seconds = 0;
    load_result load;
    bool is_grid_right = false;
};

struct outcome {
    mode of;
    std::vector<run_result> rounds;
};

// Calls progress before each run. Throws std::runtime_error where the store fails.
std::vector<outcome> conduct(const plan& as, ABT_pool pool,
                             const std::function<void(int round, const mode&)>& progress);

}  // namespace ioservice
