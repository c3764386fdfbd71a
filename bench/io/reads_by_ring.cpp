// SPDX-License-Identifier: BSD-3-Clause
#include "bench/io/random_reads.hpp"
#include "bench/io/ring.hpp"

namespace lazult::bench {
namespace {

void start(ring& by, reader& each) {
    each.begin();
    io_uring_sqe& entry = by.next_entry();
    io_uring_prep_read(&entry, each.descriptor(), each.into(), block_bytes,
                       static_cast<std::uint64_t>(each.offset()));
    io_uring_sqe_set_data(&entry, &each);
}

}  // namespace

void read_by_ring(readers& all, std::int64_t until) {
    ring own(static_cast<unsigned>(all.size()));
    for (reader& each : all) {
        start(own, each);
    }
    std::size_t under_way = all.size();
    while (under_way > 0) {
        own.turn([&](void* data, int result) {
            auto& each = *static_cast<reader*>(data);
            each.end(result);
            if (now_ns() < until) {
                start(own, each);
            } else {
                --under_way;
            }
        });
    }
}

}  // namespace lazult::bench
