// SPDX-License-Identifier: BSD-3-Clause
// ULTs that send requests and verify the answers. Each has keys of its own, so it knows what it
// must find.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/ioservice/service.hpp"

namespace ioservice {

struct load_settings {
    int clients = 8;
    std::uint64_t keys = 512;
    std::uint64_t most_blocks = 1;
    unsigned put_percent = 10;
    unsigned erase_percent = 2;
    double rate = 0;  // requests a second of all clients; 0: as many as they can
};

// The stamp of each key's value. 0: it has none.
using expected_stamps = std::vector<std::uint64_t>;

// What is in the store, which gets a value for each key that has none.
expected_stamps prepare(store& in, const load_settings& load);

struct load_result {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;  // of values, there and back
    std::uint64_t wrong = 0;  // gets and erasures that did not find what they must
    std::vector<double> get_us;
    std::string error;  // the first one

    void add(const load_result& other);
};

class clients {
public:
    clients(service& of, const load_settings& load, expected_stamps& expected, unsigned seed);
    ~clients();
    clients(const clients&) = delete;
    clients& operator=(const clients&) = delete;

    // Waits for the requests that are under way. Each client has sent one by then.
    load_result stop();

private:
    class client;

    std::atomic<bool> stops_{false};
    std::vector<load_result> results_;
    streams stream_{1};
    std::list<unit> units_;
};

}  // namespace ioservice
