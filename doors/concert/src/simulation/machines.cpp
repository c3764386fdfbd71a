// SPDX-License-Identifier: BSD-3-Clause
#include <lazult_concert_simulation.hpp>

namespace lazult::concert {
namespace {

constexpr double us = 1000;

// Tables 2 and 5. The wire is the one-way latency less the costs of both ends. The paper has no
// latency for 512 and 1,024 bytes, where the wire is taken to be that of 256.
std::vector<message_cost> t3d_push() {
    constexpr double take = 0.73 * us;
    return {{16, 1.84 * us, take, 3.59 * us},   {32, 1.85 * us, take, 3.67 * us},
            {64, 2.03 * us, take, 4.43 * us},   {128, 2.84 * us, take, 4.50 * us},
            {256, 3.53 * us, take, 4.39 * us},  {512, 8.26 * us, take, 4.39 * us},
            {1024, 14.65 * us, take, 4.39 * us}};
}
// A pulled message is a reference, of eight bytes, that goes to the receiver: its wire is that of
// the shortest message. The receiver's cost contains the way there and back by which it takes it.
std::vector<message_cost> t3d_pull() {
    constexpr double wire = 3.59 * us;
    return {{16, 1.49 * us, 1.30 * us, wire},   {32, 1.56 * us, 1.70 * us, wire},
            {64, 1.67 * us, 2.46 * us, wire},   {128, 1.93 * us, 5.49 * us, wire},
            {256, 2.49 * us, 9.53 * us, wire},  {512, 4.13 * us, 17.17 * us, wire},
            {1024, 6.31 * us, 30.18 * us, wire}};
}

}  // namespace

machine machine::t3d() {
    constexpr double cycle_ns = 1000.0 / 150;
    machine m;
    m.name = "t3d";
    m.heap_call_ns = 320 * cycle_ns;  // Table 4
    // Table 4: 0.30 us where the callee has made the context, 2.00 us where the caller makes it.
    m.fallback_ns = 0.30 * us;
    m.context_ns = 1.70 * us;
    m.future_ns = (20 + 22 + 10) * cycle_ns;  // Table 1: make, touch where empty, resolve
    m.stack_call_ns = 8 * cycle_ns;           // Table 4
    m.byte_ns = 12.7;                         // Table 5: (14.65 - 1.84) us for 1,008 bytes
    m.push = t3d_push();
    m.pull = t3d_pull();
    return m;
}

machine machine::t3d_with_slices() {
    constexpr double times_as_slow = 33;
    machine m = t3d();
    m.name = "t3d-slices";
    m.slice_ns = times_as_slow * 100 * us;
    return m;
}

}  // namespace lazult::concert
