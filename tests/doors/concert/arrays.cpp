// SPDX-License-Identifier: BSD-3-Clause
// Arrays over all ranks, and results that are remembered: each rank makes arrays, calls elements of
// all ranks one by one and all at once, sends the array itself about, and ends it.
#include "tests/doors/concert/harness.hpp"

#include <lazult_concert_objects.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::call_cached;
using concert::global_array;
using concert::global_ptr;
using concert::on;
using concert::outcome;
using concert::run;
using concert::spread;

namespace {

struct bin {
    explicit bin(std::uint64_t i, long start) : index(i), count(start) {}

    std::uint64_t index;
    long count;
    int asked = 0;

    long add(long n) { return count += n; }
    std::pair<std::uint64_t, long> value() const { return {index, count}; }
    // Counts how often somebody comes for it.
    outcome<long> rare() const {
        ++const_cast<bin*>(this)->asked;
        return count;
    }
    long refuse() const { throw std::runtime_error("no value here"); }
    int how_often_asked() const { return asked; }
};

outcome<long> count_of(std::int64_t i, global_array<bin> of) {
    return call(&bin::value, of[static_cast<std::uint64_t>(i)])
        .keep(i)
        .then([](std::int64_t at, std::pair<std::uint64_t, long> v) {
            CHECK(v.first == static_cast<std::uint64_t>(at));
            return v.second;
        });
}
outcome<long> sum_of(global_array<bin> of) {
    return concert::combine(0, static_cast<std::int64_t>(of.size()), 0L, std::plus<>(), count_of,
                            of);
}

outcome<long> rare_of(std::int64_t, global_ptr<bin> of) { return call_cached<&bin::rare>(of); }
outcome<long> many_times(global_ptr<bin> of, long times) {
    return concert::combine(0, times, 0L, std::plus<>(), rare_of, of);
}

void use_array(std::uint64_t size, spread how) {
    const auto a = run(concert::create_array<bin>, size, how, concert::own_index, 3L);
    CHECK(a.size() == size);
    CHECK(run(sum_of, a) == 3 * static_cast<long>(size));
    run(concert::for_each_element, a, &bin::add, 4L);
    if (size != 0) {
        bool is_refused = false;
        try {
            run(concert::destroy, a[size - 1]);
        } catch (const std::exception& e) {
            is_refused = std::string(e.what()).find("an element of an array") != std::string::npos;
        }
        CHECK(is_refused);
    }
    const int next = (concert_rank() + 1) % concert_size();
    CHECK(run(on(next), sum_of, a) == 7 * static_cast<long>(size));
    if (size >= static_cast<std::uint64_t>(2 * concert_size())) {
        std::vector<bool> has(static_cast<std::size_t>(concert_size()));
        for (std::uint64_t i = 0; i < size; ++i) {
            has[static_cast<std::size_t>(a[i].rank())] = true;
        }
        CHECK(has == std::vector<bool>(has.size(), true));
    }
    run(concert::destroy_array, a);
    if (size != 0) {
        bool is_gone = false;
        try {
            run(&bin::value, a[size - 1]);
        } catch (const std::exception& e) {
            is_gone = std::string(e.what()).find("it was destroyed") != std::string::npos;
        }
        CHECK(is_gone);
    }
}

void remember_results() {
    const int next = (concert_rank() + 1) % concert_size();
    const auto b = run(on(next), concert::create<bin>, std::uint64_t{5}, 9L);
    const bool is_elsewhere = concert_size() > 1;
    for (const long times : {1L, 50L}) {
        concert::forget_cached();
        const int before = run(&bin::how_often_asked, b);
        CHECK(run(many_times, b, times) == 9 * times);
        CHECK(run(many_times, b, times) == 9 * times);
        const int asked = run(&bin::how_often_asked, b) - before;
        // Another strand than the first may remember for itself.
        CHECK(!is_elsewhere || (asked >= 1 && asked <= 2));
    }
    run(&bin::add, b, 1L);
    concert::forget_cached();
    CHECK(run(many_times, b, 3L) == 30);
    for (int i = 0; i < 2; ++i) {  // an exception is not remembered
        bool has_failed = false;
        try {
            run([](global_ptr<bin> of) { return call_cached<&bin::refuse>(of); }, b);
        } catch (const std::exception& e) {
            has_failed = std::string(e.what()).find("no value here") != std::string::npos;
        }
        CHECK(has_failed);
    }
    run(concert::destroy, b);
}

}  // namespace

int main() {
    concert::session world;
    for (const unsigned every : {0U, 1U, 3U}) {
        lazult::testing::doing() = "every " + std::to_string(every);
        concert::detail::block_every(every);
        for (const spread how : {spread::block, spread::cyclic}) {
            for (const std::uint64_t size : {0U, 1U, 5U, 100U}) {
                use_array(size, how);
            }
        }
        world.quiesce();
        remember_results();
        world.quiesce();
    }
    lazult::testing::passed("arrays");
}
