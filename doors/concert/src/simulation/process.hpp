// SPDX-License-Identifier: BSD-3-Clause
// A simulated rank: a clock, a strand, and its way to other ranks. Its ULT alone calls it, but
// for report(), and only when it is its turn.
#pragma once

#include "contexts/simulated_rank.hpp"
#include "contexts/strand.hpp"
#include "contexts/transport.hpp"
#include "simulation/mailbox.hpp"
#include "simulation/turns.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace lazult::concert {

class process;

inline constexpr std::array method_fields{
    &method_counters::contexts,   &method_counters::heap_calls,  &method_counters::fallbacks,
    &method_counters::taken,      &method_counters::restarts,    &method_counters::foreign,
    &method_counters::sent_calls, &method_counters::served,      &method_counters::served_later,
    &method_counters::cache_hits, &method_counters::cache_misses};

// What the ranks of a simulation share.
class network {
public:
    network(const machine& costs, simulated_version version, std::size_t ranks);
    network(const network&) = delete;
    network& operator=(const network&) = delete;
    ~network();

    void run(const std::function<void(simulated_rank&)>& program);
    simulated_run report() const;

    const machine& costs() const noexcept { return costs_; }
    const simulated_version& version() const noexcept { return version_; }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(ranks_.size()); }
    turns& order() noexcept { return turns_; }

    // A transfer of so many bytes to the receiver begins, not before `at`. Returns when it ends.
    picoseconds occupy(unsigned receiver, picoseconds at, picoseconds length) noexcept;
    // The time of the rank that runs.
    void set_now(picoseconds now) noexcept { now_ = now; }

private:
    friend class process;

    void end_of_all_work();
    std::unique_ptr<mailbox> make_mailbox(unsigned rank);

    const machine& costs_;
    simulated_version version_;
    turns turns_;
    mail_events events_;
    segment_shape shape_;
    std::vector<std::unique_ptr<std::byte[], void (*)(std::byte*)>> memory_;
    std::vector<picoseconds> busy_until_;
    picoseconds now_ = 0;
    std::vector<std::unique_ptr<process>> ranks_;
    std::vector<std::exception_ptr> failures_;
};

class process final : public simulated_rank, public simulated_identity, public transport {
public:
    process(network& in, std::uint32_t own, strand& mine, std::unique_ptr<mailbox> mail);

    // --- transport
    void send(std::uint32_t to, const std::byte* data, std::size_t bytes) override;
    std::uint32_t count_of_ranks() const noexcept override { return net_.size(); }
    bool may_wait() const noexcept override { return true; }
    std::int64_t now_ns() noexcept override;
    std::int64_t slice_ns() const noexcept override {
        return static_cast<std::int64_t>(net_.costs().slice_ns);
    }
    void send_gathered() noexcept override {}  // each message is a packet
    void take_some(std::int64_t) noexcept override { take_all(); }
    void attend(std::int64_t) noexcept override { take_all(); }
    void await(sync::event_cell& until) noexcept override;

    // --- what simulated_rank says
    double send_bytes(std::uint32_t to, std::size_t bytes);
    void drain();
    void wait_for_all(bool is_last);
    void spend(double ns) noexcept;
    void spend_calls(unsigned count) noexcept;
    picoseconds clock() const noexcept { return clock_; }

    // The whole life of the rank's ULT. Returns what the program threw.
    std::exception_ptr live(const std::function<void(simulated_rank&)>& program);
    rank_report report() const;

private:
    friend class network;

    // Adds the price of what the runtime has counted since the last time.
    void settle() noexcept;
    void take_turn();
    void wait_until(picoseconds at);
    // For tests: see newest_context_first.
    void plant_order() noexcept;
    // All messages that have come by now.
    void take_all() noexcept;
    // False: no message has come by now.
    bool take_one();
    // One message or one context. False: neither is there now.
    bool step();
    void deliver(const letter& what);
    letter take_letter();
    std::size_t longest() const noexcept;
    picoseconds dispatch(std::uint32_t to, letter what);
    void wait_for_place();

    network& net_;
    std::unique_ptr<mailbox> mail_;
    picoseconds clock_ = 0;
    detail::counters settled_;
    method_counters began_;
    std::deque<letter> put_aside_;  // taken by a sender that waited; delivered first
    rank_report done_;
    picoseconds spent_ = 0;
    picoseconds idle_ = 0;
    picoseconds blocked_ = 0;
    // This rank's sender waits for a slot in the ring of this receiver; -1: it does not wait.
    std::int64_t waits_for_ = -1;
    bool waits_for_all_ = false;
    bool is_last_wait_ = false;
};

// For tests: the context that became ready last runs first.
[[gnu::visibility("hidden")]] extern bool newest_context_first;

}  // namespace lazult::concert
