// SPDX-License-Identifier: BSD-3-Clause
// A session looks at the machine at its beginning, and no message's handler has to. hwloc takes
// milliseconds for that.
#include "tests/doors/concert/harness.hpp"

#include <lazult/thread.hpp>
#include <lazult_concert_objects.hpp>

#include <dlfcn.h>

namespace concert = lazult::concert;
using concert::call;
using concert::caller;
using concert::each;
using concert::on;
using concert::outcome;
using concert::run;

namespace {

int looks = 0;

struct counter {
    long sum = 0;
    void add(long n) { sum += n; }
    long total() const { return sum; }
};
using counter_ptr = concert::global_ptr<counter>;

// Each call blocks, so that its reply makes a context ready. A stream runs that.
outcome<void> add_one(std::int64_t, counter_ptr to) {
    return call(&counter::add, to, 1L).then([] {});
}
outcome<void> add_often(std::int64_t n, counter_ptr to) { return each(0, n, add_one, to); }

}  // namespace

// In front of hwloc's.
extern "C" [[gnu::visibility("default")]] int hwloc_topology_load(void* topology) {
    using function = int(void*);
    static auto* const next = reinterpret_cast<function*>(dlsym(RTLD_NEXT, "hwloc_topology_load"));
    ++looks;
    return next(topology);
}

int main() {
    concert::session world;
    const int before = looks;
    constexpr long calls = 100;
    const int last = world.size() - 1;
    if (world.rank() == 0) {
        const auto far = run(on(last, 0), concert::create<counter>);
        run(add_often, calls, far);
        CHECK(run(&counter::total, far) == calls);
        run(concert::destroy, far);
    }
    world.quiesce();
    lazult::thread::hardware_concurrency();  // looks at the machine, unless that has been done
    CHECK(looks == before);
    lazult::testing::passed("looks_at_the_machine_first");
}
