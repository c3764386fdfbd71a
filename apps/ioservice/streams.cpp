// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/streams.hpp"

#include <cstddef>
#include <utility>

#include "apps/ioservice/abt_objects.hpp"

namespace ioservice {
namespace {

constexpr std::size_t stack_bytes = 256 << 10;

ABT_pool make_pool() {
    ABT_pool made = ABT_POOL_NULL;
    must(ABT_pool_create_basic(ABT_POOL_FIFO_WAIT, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &made),
         "ABT_pool_create_basic");
    return made;
}

void run(void* body) { (*static_cast<std::function<void()>*>(body))(); }

}  // namespace

unit::unit(ABT_pool pool, std::function<void()> body) : body_(std::move(body)) {
    ABT_thread_attr attributes = ABT_THREAD_ATTR_NULL;
    must(ABT_thread_attr_create(&attributes), "ABT_thread_attr_create");
    must(ABT_thread_attr_set_stacksize(attributes, stack_bytes), "ABT_thread_attr_set_stacksize");
    must(ABT_thread_create(pool, run, &body_, attributes, &handle_), "ABT_thread_create");
    must(ABT_thread_attr_free(&attributes), "ABT_thread_attr_free");
}

unit::~unit() { must(ABT_thread_free(&handle_), "ABT_thread_free"); }

streams::streams(int count) : pool_(make_pool()) {
    for (int i = 0; i < count; ++i) {
        ABT_xstream made = ABT_XSTREAM_NULL;
        must(
            ABT_xstream_create_basic(ABT_SCHED_BASIC_WAIT, 1, &pool_, ABT_SCHED_CONFIG_NULL, &made),
            "ABT_xstream_create_basic");
        all_.push_back(made);
    }
}

streams::~streams() {
    for (ABT_xstream& each : all_) {
        must(ABT_xstream_free(&each), "ABT_xstream_free");
    }
}

// The primary stream's usual scheduler would never sleep over Argobots.
runtime::runtime() {
    must(ABT_init(0, nullptr), "ABT_init");
    ABT_xstream primary = ABT_XSTREAM_NULL;
    ABT_pool pool = make_pool();
    must(ABT_xstream_self(&primary), "ABT_xstream_self");
    must(ABT_xstream_set_main_sched_basic(primary, ABT_SCHED_BASIC_WAIT, 1, &pool),
         "ABT_xstream_set_main_sched_basic");
}

runtime::~runtime() { must(ABT_finalize(), "ABT_finalize"); }

}  // namespace ioservice
