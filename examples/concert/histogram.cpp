// SPDX-License-Identifier: BSD-3-Clause
// A histogram whose bins are spread over all ranks. Each rank has numbers of its own. It counts
// them itself, and gives each bin its share with one call.
//
//   mpiexec -n 4 ./histogram
#include <lazult_concert_objects.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

namespace concert = lazult::concert;
using concert::call;
using concert::global_array;
using concert::outcome;
using concert::run;

namespace {

constexpr std::uint64_t bins = 16;
constexpr int numbers_of_each_rank = 100'000;

// One element of the array. It lives on one rank, and is called from all.
struct bin {
    long count = 0;
    void add(long more) { count += more; }
    long value() const { return count; }
};

// One call for each bin. They are all made before the first is waited for.
outcome<void> add_share(std::int64_t i, global_array<bin> to, std::vector<long> shares) {
    const auto number = static_cast<std::size_t>(i);
    return call(&bin::add, to[number], shares[number]);
}
outcome<void> add_all(global_array<bin> to, std::vector<long> shares) {
    return concert::each(0, static_cast<std::int64_t>(bins), add_share, to, std::move(shares));
}

outcome<long> value_of(std::int64_t i, global_array<bin> of) {
    return call(&bin::value, of[static_cast<std::uint64_t>(i)]);
}
outcome<long> sum(global_array<bin> of) {
    return concert::combine(0, static_cast<std::int64_t>(bins), 0L, std::plus<>(), value_of, of);
}

// Runs on each rank, and returns when the rank's numbers are counted.
outcome<void> count_numbers(global_array<bin> into) {
    std::mt19937 random(static_cast<unsigned>(concert_rank()));
    std::binomial_distribution<int> draw(static_cast<int>(bins) - 1, 0.5);
    std::vector<long> shares(bins);
    for (int i = 0; i < numbers_of_each_rank; ++i) {
        ++shares[static_cast<std::size_t>(draw(random))];
    }
    return call(add_all, into, std::move(shares));
}

outcome<void> count_on(std::int64_t rank, global_array<bin> into) {
    return call(concert::on(static_cast<int>(rank)), count_numbers, into);
}
outcome<void> count_on_all_ranks(global_array<bin> into) {
    return concert::each(0, concert_size(), count_on, into);
}

}  // namespace

int main() {
    concert::session world;
    if (world.rank() == 0) {
        const auto histogram = run(concert::create_array<bin>, bins, concert::spread::cyclic);
        run(count_on_all_ranks, histogram);
        for (std::uint64_t i = 0; i < bins; ++i) {
            std::printf("%2d on rank %d: %ld\n", static_cast<int>(i), histogram[i].rank(),
                        run(&bin::value, histogram[i]));
        }
        std::printf("%ld numbers\n", run(sum, histogram));
        run(concert::destroy_array, histogram);
    }
    world.quiesce();  // the other ranks serve calls here
}
