// SPDX-License-Identifier: BSD-3-Clause
// What <lazult_concert_simulation.hpp> declares.
#include "simulation/process.hpp"

#include <lazult/error.hpp>
#include <lazult/mutex.hpp>

#include <algorithm>
#include <mutex>
#include <string>

namespace lazult::concert {
namespace {

constexpr int most_ranks = 1024;
// The longest message's block.
constexpr std::size_t least_pool = std::size_t{128} << 10;

void check(const machine& m, int ranks) {
    if (ranks < 1 || ranks > most_ranks) {
        throw error(errc::invalid_argument, "simulate", std::to_string(ranks) + " ranks",
                    "give 1 to " + std::to_string(most_ranks));
    }
    if (m.push.empty() || m.pull.empty()) {
        throw error(errc::invalid_argument, "machine", "a table of messages has no sizes",
                    "give at least one size for push and for pull");
    }
    if (m.ring_slots < 4 || m.slot_bytes < 2 * unit_bytes || m.slot_bytes % unit_bytes != 0) {
        throw error(errc::invalid_argument, "machine", "the ring's slots are too few or too small",
                    "give 4 slots or more, of a multiple of 64 bytes from 128 on");
    }
    if (!(m.slice_ns >= 0)) {
        throw error(errc::invalid_argument, "machine", "slice_ns is below 0",
                    "give 0 for loops that run to their end");
    }
    if (m.pool_bytes < least_pool) {
        throw error(errc::invalid_argument, "machine", "pool_bytes is too small",
                    "give at least " + std::to_string(least_pool));
    }
}

process& of(simulated_rank& r) noexcept { return static_cast<process&>(r); }
const process& of(const simulated_rank& r) noexcept { return static_cast<const process&>(r); }

process* process_here() noexcept { return static_cast<process*>(simulated_here()); }

void add(rank_report& sum, const rank_report& one) {
    sum.clock_ns = std::max(sum.clock_ns, one.clock_ns);
    sum.spent_ns += one.spent_ns;
    sum.idle_ns += one.idle_ns;
    sum.blocked_ns += one.blocked_ns;
    sum.sent += one.sent;
    sum.bytes += one.bytes;
    sum.blocked += one.blocked;
    for (const auto field : method_fields) {
        sum.methods.*field += one.methods.*field;
    }
}

}  // namespace

int simulated_rank::rank() const noexcept { return static_cast<int>(of(*this).number); }
int simulated_rank::size() const noexcept { return static_cast<int>(of(*this).count_of_ranks()); }
double simulated_rank::now_ns() const noexcept { return ns_of(of(*this).clock()); }
void simulated_rank::extract() { of(*this).drain(); }
void simulated_rank::quiesce() { of(*this).wait_for_all(false); }
double simulated_rank::send(int to, std::size_t bytes) {
    return of(*this).send_bytes(static_cast<std::uint32_t>(to), bytes);
}

simulated_run network::report() const {
    simulated_run run;
    for (const auto& each : ranks_) {
        run.ranks.push_back(each->report());
        add(run.sum, run.ranks.back());
    }
    run.elapsed_ns = run.sum.clock_ns;
    return run;
}

simulated_run simulate(const machine& costs, int ranks, simulated_version version,
                       const std::function<void(simulated_rank&)>& program) {
    check(costs, ranks);
    if (transport::current() != nullptr || detail::is_inside()) {
        throw error(errc::not_supported, "simulate", "a session or a simulation goes on",
                    "simulate before the session begins, or after it has ended");
    }
    static mutex one_at_a_time;
    const std::lock_guard hold(one_at_a_time);
    network net(costs, version, static_cast<std::size_t>(ranks));
    net.run(program);
    return net.report();
}

bool is_simulated() noexcept { return simulated_here() != nullptr; }

void spend(double ns) noexcept {
    if (process* const me = process_here(); me != nullptr) {
        me->spend(ns);
    }
}

void spend_calls(unsigned count) noexcept {
    if (process* const me = process_here(); me != nullptr) {
        me->spend_calls(count);
    }
}

}  // namespace lazult::concert
