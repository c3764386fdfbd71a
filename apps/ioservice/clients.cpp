// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/clients.hpp"

#include <fmt/core.h>

#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>

#include "apps/ioservice/file_calls.hpp"
#include "apps/ioservice/sample_value.hpp"

namespace ioservice {
namespace {

using clock_type = std::chrono::steady_clock;

std::uint64_t stamp_in(store& in, key_type key) {
    const std::optional<value> found = in.get(key);
    if (!found) {
        return 0;
    }
    const std::optional<std::uint64_t> stamp = stamp_of(*found, key);
    if (!stamp) {
        throw std::runtime_error(fmt::format("the value of key {} is none of this program's", key));
    }
    return *stamp;
}

}  // namespace

expected_stamps prepare(store& in, const load_settings& load) {
    expected_stamps all(load.keys);
    for (key_type key = 0; key < load.keys; ++key) {
        all[key] = stamp_in(in, key);
        if (all[key] == 0) {
            value first = sample_value(key, 1, load.most_blocks);
            in.put(key, first);
            all[key] = 1;
        }
    }
    return all;
}

void load_result::add(const load_result& other) {
    requests += other.requests;
    bytes += other.bytes;
    wrong += other.wrong;
    get_us.insert(get_us.end(), other.get_us.begin(), other.get_us.end());
    if (error.empty()) error = other.error;
}

class clients::client {
public:
    client(service& of, const load_settings& load, expected_stamps& expected, std::uint64_t number,
           std::uint64_t seed, load_result& result)
        : service_(of),
          load_(load),
          expected_(expected),
          number_(number),
          random_(mixed(seed * 1000 + number)),
          result_(result) {}

    void run(const std::atomic<bool>& stops) {
        try {
            due_ = clock_type::now();
            do {
                wait_until_due();
                send_one();
                ++result_.requests;
                // relaxed: the flag carries no data
            } while (!stops.load(std::memory_order_relaxed));
        } catch (const std::exception& error) {
            result_.error = error.what();
        }
    }

private:
    std::uint64_t draw() { return random_ = mixed(random_); }

    void wait_until_due() {
        if (load_.rate <= 0) {
            return;
        }
        const double share = 0.5 + static_cast<double>(draw() % 1024) / 1024;
        const std::chrono::duration<double> time(share * load_.clients / load_.rate);
        due_ += std::chrono::duration_cast<clock_type::duration>(time);
        pause_for(due_ - clock_type::now());
    }

    void send_one() {
        const auto count = static_cast<std::uint64_t>(load_.clients);
        const std::uint64_t mine = (load_.keys - number_ + count - 1) / count;
        const key_type key = number_ + draw() % mine * count;
        const std::uint64_t chance = draw() % 100;
        if (chance < load_.put_percent) {
            put(key);
        } else if (chance < load_.put_percent + load_.erase_percent) {
            erase(key);
        } else {
            get(key);
        }
    }

    void must_hold(bool is_right) {
        if (!is_right) ++result_.wrong;
    }

    void put(key_type key) {
        const std::uint64_t stamp = draw() | 1;  // not 0
        value made = sample_value(key, stamp, load_.most_blocks);
        result_.bytes += made.bytes();
        service_.put(key, std::move(made));
        expected_[key] = stamp;
    }

    void erase(key_type key) {
        const bool was_there = service_.erase(key);
        must_hold(was_there == (expected_[key] != 0));
        expected_[key] = 0;
    }

    void get(key_type key) {
        const clock_type::time_point sent = clock_type::now();
        const std::optional<value> found = service_.get(key);
        const std::chrono::duration<double, std::micro> took = clock_type::now() - sent;
        result_.get_us.push_back(took.count());
        result_.bytes += found ? found->bytes() : 0;
        const std::optional<std::uint64_t> stamp = found ? stamp_of(*found, key) : 0;
        must_hold(stamp == expected_[key]);
    }

    service& service_;
    const load_settings& load_;
    expected_stamps& expected_;
    const std::uint64_t number_;
    std::uint64_t random_;
    load_result& result_;
    clock_type::time_point due_;
};

clients::clients(service& of, const load_settings& load, expected_stamps& expected, unsigned seed)
    : results_(static_cast<std::size_t>(load.clients)) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
        units_.emplace_back(stream_.pool(), [this, &of, &load, &expected, seed, i] {
            client(of, load, expected, i, seed, results_[i]).run(stops_);
        });
    }
}

clients::~clients() { stop(); }

load_result clients::stop() {
    // relaxed: the flag carries no data
    stops_.store(true, std::memory_order_relaxed);
    units_.clear();
    load_result all;
    for (const load_result& each : results_) {
        all.add(each);
    }
    return all;
}

}  // namespace ioservice
