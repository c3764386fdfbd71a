// SPDX-License-Identifier: BSD-3-Clause
// Branch and bound over ranks: what is the most that the things in a knapsack can be worth? The
// upper part of the tree of choices is spread over the ranks. What is best so far is an object on
// rank 0. The others read it through a cache, because an old value only makes them search more.
//
//   mpiexec -n 4 ./tree_search
#include <lazult_concert_objects.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::call_cached;
using concert::global_ptr;
using concert::outcome;
using concert::run;

namespace {

struct thing {
    int weight;
    int worth;
};

constexpr int things = 26;
constexpr int capacity = 380;
constexpr int spread_levels = 8;  // calls of these levels go to other ranks
constexpr int tell_levels = 16;   // from here on a method searches by itself

// Sorted by worth for each unit of weight, so that a bound is easy.
const std::array<thing, things> sack = [] {
    std::array<thing, things> made{};
    unsigned next = 12345;
    for (thing& each : made) {
        next = next * 1103515245 + 12345;
        each.weight = 10 + static_cast<int>((next >> 16) % 40);
        each.worth = each.weight + static_cast<int>((next >> 8) % 9);
    }
    std::sort(made.begin(), made.end(), [](const thing& a, const thing& b) {
        return a.worth * b.weight > b.worth * a.weight;
    });
    return made;
}();

struct state {
    int level = 0;  // things before this one have been decided on
    int weight = 0;
    int worth = 0;
};

struct record {
    int best = 0;
    void offer(int worth) { best = std::max(best, worth); }
    int value() const { return best; }
};

// No way on from here is worth more.
int bound(const state& s) {
    int room = capacity - s.weight;
    int worth = s.worth;
    for (int i = s.level; i < things; ++i) {
        const thing& t = sack[static_cast<std::size_t>(i)];
        if (t.weight > room) {
            return worth + t.worth * room / t.weight + 1;
        }
        room -= t.weight;
        worth += t.worth;
    }
    return worth;
}

state with(state s) {
    const thing& t = sack[static_cast<std::size_t>(s.level)];
    return {s.level + 1, s.weight + t.weight, s.worth + t.worth};
}
state without(state s) { return {s.level + 1, s.weight, s.worth}; }

// The lower part of the tree, without any calls of methods.
int search_alone(const state& s, int best) {
    best = std::max(best, s.worth);
    if (s.level == things || bound(s) <= best) {
        return best;
    }
    if (with(s).weight <= capacity) {
        best = search_alone(with(s), best);
    }
    return search_alone(without(s), best);
}

outcome<void> search(state s, global_ptr<record> known);

// The call goes to the next rank, or stays here.
outcome<void> go_on(state s, global_ptr<record> known) {
    if (s.level >= spread_levels) {
        return call(search, s, known);
    }
    return call(concert::on((concert_rank() + s.level) % concert_size()), search, s, known);
}

outcome<void> branch(state s, global_ptr<record> known) {
    if (with(s).weight > capacity) {
        return call(go_on, without(s), known);
    }
    return all(call(go_on, with(s), known), call(go_on, without(s), known)).then([] {});
}

outcome<void> search(state s, global_ptr<record> known) {
    return call_cached<&record::value>(known).keep(s, known).then(
        [](state now, global_ptr<record> r, int best) -> outcome<void> {
            if (bound(now) <= best) {
                return {};
            }
            if (now.level < tell_levels) {
                return call(branch, now, r);
            }
            const int found = search_alone(now, best);
            if (found == best) {
                return {};
            }
            concert::forget_cached();  // this rank knows that something better was found
            return call(&record::offer, r, found);
        });
}

}  // namespace

int main() {
    concert::session world;
    if (world.rank() == 0) {
        const auto known = run(concert::create<record>);
        run(search, state{}, known);
        std::printf("best: %d\n", run(&record::value, known));
        run(concert::destroy, known);
    }
    world.quiesce();  // the other ranks serve calls here
    const concert::method_counters did = concert::count_methods();
    std::printf("rank %d served %llu calls at once and %llu later, and remembered %llu results\n",
                world.rank(), static_cast<unsigned long long>(did.served),
                static_cast<unsigned long long>(did.served_later),
                static_cast<unsigned long long>(did.cache_hits));
}
