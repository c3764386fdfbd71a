// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the Concert door's queues over the memory of a node: every packet arrives once,
// whole and in its sender's order, and no buffer is used again while somebody reads it. A queue of
// both kinds keeps the order across its two ways, and its senders never wait for a slot.
#include "doors/concert/src/memory/node_memory.hpp"
#include "doors/concert/src/queues/auto_queue.hpp"
#include "doors/concert/src/queues/pull_queue.hpp"
#include "doors/concert/src/queues/push_queue.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using namespace concert;
using plain_memory = node_memory<model::model_atomics>;

constexpr unsigned peers = 3;  // rank 0 receives
constexpr std::uint32_t most_units = 12;

struct alignas(64) segment {
    std::array<std::byte, most_units * unit_bytes> bytes{};
};

// What the memory copies stands in variables that the checker watches: a place for each unit of
// each rank.
struct contents {
    std::array<std::array<model::model_var<int>, most_units>, peers> of;
};

class watched_memory : public plain_memory {
public:
    watched_memory(segment_shape shape, unsigned self, std::array<segment, peers>& segments,
                   contents& data)
        : plain_memory(
              shape, self,
              {segments[0].bytes.data(), segments[1].bytes.data(), segments[2].bytes.data()}),
          shape_(shape),
          self_(self),
          data_(data) {}

    void write(std::uint32_t unit, int value) { data_.of[self_][unit] = value; }
    int read(reference r) { return data_.of[refer::rank(r)][refer::unit(r)].get(); }

    fetched fetch(reference r) {
        packet_view view{segment_start(), {}};
        view.facts.source = static_cast<std::uint16_t>(refer::rank(r));
        const auto value = static_cast<std::uint32_t>(read(r));
        view.facts.messages = value % 256;
        view.facts.pushed = static_cast<std::uint16_t>(value / 256);
        return {view, next_of(r)};
    }
    void put(unsigned receiver, std::uint32_t slot, const std::byte* from, std::size_t bytes) {
        data_.of[receiver][shape_.slot(slot)] = static_cast<int>(bytes);
        plain_memory::put(receiver, slot, from, bytes);
    }
    const std::byte* slot_data(std::uint32_t slot) {
        model::check(data_.of[self_][shape_.slot(slot)].get() > 0, "the slot was filled");
        return plain_memory::slot_data(slot);
    }

private:
    static const std::byte* segment_start() {
        static const std::byte somewhere{};
        return &somewhere;
    }

    segment_shape shape_;
    unsigned self_;
    contents& data_;
};

struct received {
    unsigned source;
    int number;
};

// Of each source 1, 2, 3 ... and nothing is missing.
void check_order(const std::vector<received>& all, const std::array<int, peers>& sent) {
    std::array<int, peers> next{};
    for (const received& each : all) {
        model::check(each.number == ++next[each.source],
                     "those of one sender come in their order, once");
    }
    model::check(next == sent, "all have come");
}

struct pull_work {
    std::array<segment, peers> segments;
    contents data;
    segment_shape shape;
    std::array<std::unique_ptr<watched_memory>, peers> memories;
    std::vector<received> arrived;

    // So many blocks of one unit for each sender.
    pull_work(model::run& run, std::uint32_t blocks)
        : shape(segment_shape::for_pull(peers, blocks * unit_bytes)) {
        run.label(segments, "segments");
        for (unsigned rank = 0; rank < peers; ++rank) {
            memories[rank] = std::make_unique<watched_memory>(shape, rank, segments, data);
            memories[rank]->initialise();
        }
    }
    void send(unsigned rank, int count) {
        pull_sender<watched_memory> sender(*memories[rank], rank, peers, shape.units, 1);
        for (int number = 1; number <= count; ++number) {
            block where = sender.take(0, 1);
            while (!where) {
                model::model_atomics::pause();
                where = sender.take(0, 1);
            }
            memories[rank]->write(where.unit, number);
            sender.publish(0, where, 1);
        }
    }
    void receive(std::size_t count) {
        pull_receiver<watched_memory> receiver(*memories[0], 0, peers);
        while (arrived.size() < count) {
            if (const packet_view packet = receiver.next()) {
                arrived.push_back({packet.facts.source, static_cast<int>(packet.facts.messages)});
            } else {
                model::model_atomics::pause();
            }
        }
        model::check(!receiver.next(), "nothing comes twice");
    }
};

void two_pull_senders(model::run& run) {
    pull_work work(run, 2);
    run.thread("sender 1", [&] { work.send(1, 1); });
    run.thread("sender 2", [&] { work.send(2, 1); });
    run.thread("receiver", [&] { work.receive(2); });
    run.join();
    check_order(work.arrived, {0, 1, 1});
}

// With one block the second packet takes the first one's place, as soon as the receiver gives it
// back.
void a_block_is_used_again(model::run& run) {
    pull_work work(run, 1);
    run.thread("sender 1", [&] { work.send(1, 2); });
    run.thread("receiver", [&] { work.receive(2); });
    run.join();
    check_order(work.arrived, {0, 2, 0});
}

void blocks_are_used_again_by_two(model::run& run) {
    pull_work work(run, 1);
    run.thread("sender 1", [&] { work.send(1, 2); });
    run.thread("sender 2", [&] { work.send(2, 1); });
    run.thread("receiver", [&] { work.receive(3); });
    run.join();
    check_order(work.arrived, {0, 2, 1});
}

struct push_work {
    std::array<segment, peers> segments;
    contents data;
    segment_shape shape;
    std::array<std::unique_ptr<watched_memory>, peers> memories;
    std::vector<received> arrived;

    push_work(model::run& run, std::uint32_t slots)
        : shape(segment_shape::for_push(peers, {slots, static_cast<std::uint32_t>(unit_bytes)})) {
        run.label(segments, "segments");
        for (unsigned rank = 0; rank < peers; ++rank) {
            memories[rank] = std::make_unique<watched_memory>(shape, rank, segments, data);
        }
        memories[0]->initialise();
    }
    void send(unsigned rank, int count, std::size_t bytes) {
        push_sender<watched_memory> sender(*memories[rank], shape.ring, peers);
        std::vector<std::byte> packet(sizeof(packet_facts) + bytes);
        for (int number = 1; number <= count; ++number) {
            const packet_facts facts{static_cast<std::uint32_t>(bytes),
                                     static_cast<std::uint16_t>(rank), 0, 0,
                                     static_cast<std::uint32_t>(number)};
            std::memcpy(packet.data(), &facts, sizeof facts);
            std::memset(packet.data() + sizeof facts, number, bytes);
            sender.send(0, packet.data(), packet.size(), [] { model::model_atomics::pause(); });
        }
    }
    void receive(std::size_t count) {
        push_receiver<watched_memory> receiver(*memories[0], shape.ring);
        while (arrived.size() < count) {
            std::vector<std::byte> into;
            packet_facts seen;
            const bool came = receiver.receive([&](const packet_facts& facts) {
                into.resize(facts.bytes + 1);
                seen = facts;
                return into.data();
            });
            if (!came) {
                model::model_atomics::pause();
                continue;
            }
            for (std::size_t at = 0; at < seen.bytes; ++at) {
                model::check(into[at] == static_cast<std::byte>(seen.messages),
                             "the packet is whole");
            }
            arrived.push_back({seen.source, static_cast<int>(seen.messages)});
        }
        model::check(receiver.is_empty(), "nothing comes twice");
    }
};

void two_push_senders(model::run& run) {
    push_work work(run, 4);
    run.thread("sender 1", [&] { work.send(1, 1, 8); });
    run.thread("sender 2", [&] { work.send(2, 1, 8); });
    run.thread("receiver", [&] { work.receive(2); });
    run.join();
    check_order(work.arrived, {0, 1, 1});
}

void a_slot_is_used_again(model::run& run) {
    push_work work(run, 1);
    run.thread("sender 1", [&] { work.send(1, 2, 8); });
    run.thread("receiver", [&] { work.receive(2); });
    run.join();
    check_order(work.arrived, {0, 2, 0});
}

void a_slot_is_used_again_by_another(model::run& run) {
    push_work work(run, 1);
    run.thread("sender 1", [&] { work.send(1, 1, 8); });
    run.thread("sender 2", [&] { work.send(2, 1, 8); });
    run.thread("receiver", [&] { work.receive(2); });
    run.join();
    check_order(work.arrived, {0, 1, 1});
}

// Two slots of 56 bytes each.
void a_packet_of_several_slots(model::run& run) {
    push_work work(run, 4);
    run.thread("sender 1", [&] { work.send(1, 1, 80); });
    run.thread("sender 2", [&] { work.send(2, 1, 8); });
    run.thread("receiver", [&] { work.receive(2); });
    run.join();
    check_order(work.arrived, {0, 1, 1});
}

// What is planted in a run of both ways to see that the checker finds it.
enum class mistake {
    none,
    pulled_packets_do_not_wait,  // for those that were pushed before
    pushed_before_pulled_is_released,
    shares_beyond_the_ring,
};

// Receiver rank 0 and its senders, with a ring and a distributed queue.
struct auto_work {
    push_work by_push;
    pull_work by_pull;
    mistake planted;
    std::vector<received> arrived;

    auto_work(model::run& run, std::uint32_t slots, std::uint32_t blocks, mistake made)
        : by_push(run, slots), by_pull(run, blocks), planted(made) {}

    // `fits` says of each packet in turn whether it may go by push.
    void send(unsigned rank, const std::vector<bool>& fits) {
        watched_memory& ring = *by_push.memories[rank];
        push_sender<watched_memory> pusher(ring, by_push.shape.ring, peers);
        pull_sender<watched_memory> puller(*by_pull.memories[rank], rank, peers,
                                           by_pull.shape.units, 1);
        way_chooser<watched_memory> chooser(ring, by_push.shape.ring,
                                            planted == mistake::shares_beyond_the_ring ? 1 : peers);
        const auto has_released_all = [&] {
            return planted == mistake::pushed_before_pulled_is_released ||
                   puller.has_released_all(0);
        };
        for (std::size_t i = 0; i < fits.size(); ++i) {
            const auto number = static_cast<std::uint32_t>(i + 1);
            if (chooser.chooses_push(0, fits[i], has_released_all)) {
                chooser.note_pushed(0, push(pusher, rank, number));
                continue;
            }
            const std::uint16_t before =
                planted == mistake::pulled_packets_do_not_wait ? 0 : chooser.pushed(0);
            const block where = puller.take(0, 1);
            model::check(static_cast<bool>(where), "there is a block");
            by_pull.memories[rank]->write(where.unit, static_cast<int>(before * 256 + number));
            puller.publish(0, where, 1);
        }
    }
    static std::uint64_t push(push_sender<watched_memory>& pusher, unsigned rank,
                              std::uint32_t number) {
        const packet_facts facts{8, static_cast<std::uint16_t>(rank), 0, 0, number};
        std::array<std::byte, sizeof facts + 8> packet{};
        std::memcpy(packet.data(), &facts, sizeof facts);
        return pusher.send(0, packet.data(), packet.size(),
                           [] { model::check(false, "the slot of a ticket is free"); });
    }
    void receive(std::size_t count) {
        push_receiver<watched_memory> ring(*by_push.memories[0], by_push.shape.ring);
        pull_receiver<watched_memory> queue(*by_pull.memories[0], 0, peers);
        two_ways ways(peers);
        std::array<std::byte, 8> into{};
        const auto pushed = [&] {
            packet_view view;
            ring.receive([&](const packet_facts& facts) {
                view = {into.data(), facts};
                return into.data();
            });
            return view;
        };
        while (arrived.size() < count) {
            if (const packet_view packet = ways.next(pushed, [&] { return queue.next(); })) {
                arrived.push_back({packet.facts.source, static_cast<int>(packet.facts.messages)});
            } else {
                model::model_atomics::pause();
            }
        }
    }
};

// The sender's share is one slot of three.
template <mistake planted>
void both_ways_in_order(model::run& run) {
    auto_work work(run, 3, 2, planted);
    run.thread("sender 1", [&] { work.send(1, {true, false, true}); });
    run.thread("receiver", [&] { work.receive(3); });
    run.join();
    check_order(work.arrived, {0, 3, 0});
}

// Another sender's ticket may be before that of the packet for which a pulled one waits.
template <mistake planted>
void behind_another_ticket(model::run& run) {
    auto_work work(run, 3, 1, planted);
    run.thread("sender 1", [&] { work.send(1, {true, false}); });
    run.thread("sender 2", [&] { work.send(2, {true}); });
    run.thread("receiver", [&] { work.receive(3); });
    run.join();
    check_order(work.arrived, {0, 2, 1});
}

// Nobody receives before all has been sent.
template <mistake planted>
void senders_wait_for_nobody(model::run& run) {
    auto_work work(run, 3, 2, planted);
    run.thread("sender 1", [&] { work.send(1, {true, true, true}); });
    run.thread("sender 2", [&] { work.send(2, {true, true}); });
    run.join();
    work.receive(5);
    check_order(work.arrived, {0, 3, 2});
}

template <mistake planted>
std::vector<model::scenario> auto_scenarios() {
    return {
        {"both_ways_in_order", both_ways_in_order<planted>},
        {"behind_another_ticket", behind_another_ticket<planted>, 2},
        {"senders_wait_for_nobody", senders_wait_for_nobody<planted>, 2},
    };
}

template <mistake planted>
bool is_found() {
    const std::vector<model::scenario> all = auto_scenarios<planted>();
    return std::any_of(all.begin(), all.end(), [](const model::scenario& each) {
        return explore(model::limits_of(each), each.body).failed;
    });
}

const std::vector<model::scenario> pull_scenarios = {
    {"two_pull_senders", two_pull_senders},
    {"a_block_is_used_again", a_block_is_used_again},
    {"blocks_are_used_again_by_two", blocks_are_used_again_by_two, 1},
};

const std::vector<model::scenario> push_scenarios = {
    {"two_push_senders", two_push_senders},
    {"a_slot_is_used_again", a_slot_is_used_again},
    {"a_slot_is_used_again_by_another", a_slot_is_used_again_by_another, 1},
    {"a_packet_of_several_slots", a_packet_of_several_slots, 2},
};

TEST(concert_pull_model, loses_and_doubles_nothing) { model::expect_sound(pull_scenarios); }
TEST(concert_push_model, loses_and_doubles_nothing) { model::expect_sound(push_scenarios); }

TEST(concert_auto_model, keeps_the_order_across_both_ways) {
    model::expect_sound(auto_scenarios<mistake::none>());
}

TEST(concert_auto_model, finds_what_would_break_the_order) {
    EXPECT_TRUE(is_found<mistake::pulled_packets_do_not_wait>());
    EXPECT_TRUE(is_found<mistake::pushed_before_pulled_is_released>());
    EXPECT_TRUE(is_found<mistake::shares_beyond_the_ring>());
}

TEST(concert_pull_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(pull_scenarios), std::set<std::string>{});
}

TEST(concert_push_model, needs_every_order) {
    if (model::sweep_is_pointless) {
        GTEST_SKIP() << "a sanitizer sees nothing new in a sweep over memory orders";
    }
    EXPECT_EQ(model::unnoticed_mistakes(push_scenarios), std::set<std::string>{});
}

}  // namespace
}  // namespace lazult
