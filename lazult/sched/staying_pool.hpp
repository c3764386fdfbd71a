// SPDX-License-Identifier: BSD-3-Clause
// A shared pool that keeps each unit on the stream where it began. Units that have not begun wait
// in queues that all streams of the pool take from. For the others each of these streams has queues
// of its own: its place. A push sends a unit that has begun to the place of the stream where it ran
// last (work_unit::ran_on), whichever thread pushes it. A stream takes from both kinds in turn, so
// neither keeps the other waiting.
//
// A unit finds no place if its stream serves the pool no more, or never did: the user moved the
// unit here. Then the next stream that takes it keeps it.
//
// The pool lends nothing to spare streams: what began there could not stay.
//
// field          written by                         read by          order
// number         under the lock                     anybody          release / acquire: see
//                                                                    announce_kept()
// owner          under the lock                     anybody          release / acquire between
//                                                                    owners; relaxed for a stream
//                                                                    that looks for itself
// first_         begin_to_keep(), under the lock    anybody          release / acquire
// next           its maker                          anybody          published by first_
// life,          under the lock                     the same         the lock's
// schedulers
// fresh_first    the owner                          the owner        none needed
#pragma once

#include <array>

#include "lazult/sched/ready_pool.hpp"

namespace lazult::sched {

// A pool with one level is a shared_fifo, one with eight a priority_pool; only the rule differs.
template <std::size_t Levels>
class staying_pool : public ready_pool {
public:
    staying_pool() {  // throws std::bad_alloc
        hears_of_yields_ = true;
        keeps_ = true;
        core::announce_built();
    }
    ~staying_pool() override;

    base::status begin_to_keep(worker& w) noexcept override;
    void end_to_keep(const keeping_stream& at) noexcept override;
    void stream_ends(const keeping_stream& at) noexcept override;
    gate* gate_of_kept(const worker& w) noexcept override;
    bool keeps_for_others(const worker& w) const noexcept override;

    bool maybe_has_work(const worker& w) const noexcept override;
    bool remove(work_unit* u) noexcept override;
    std::size_t size() const noexcept override;
    bool serves(const worker&) const noexcept override { return false; }
    bool is_private() const noexcept override { return true; }
    const char* kind() const noexcept override { return Levels == 1 ? "shared_fifo" : "priority"; }
    void for_each(visitor visit, void* argument) override;

protected:
    void push_other(worker* w, work_unit* u) noexcept override;
    work_unit* pop_other(worker& w) noexcept override;
    bool has_place(const worker& w) const noexcept { return place_of(w) != nullptr; }
    bool may_keep(const worker& w, const work_unit& u) const noexcept override;
    bool take_other(worker& w, work_unit* u) noexcept override;

private:
    using queues = std::array<shared_queue, Levels>;

    struct place {
        ds::default_atomics::atomic<std::uint16_t> number{0};  // worker::number; 0: unused
        ds::default_atomics::atomic<const worker*> owner{nullptr};
        std::uint32_t life = 0;  // of the owner: keeping_stream
        place* next = nullptr;
        int schedulers = 0;  // of the owner's stream that serve the pool
        bool fresh_first = false;
        gate idle{sleepers()};
        queues begun;
    };

    static std::size_t level_of(const work_unit& u) noexcept;
    place* first_place() const noexcept {
        return first_.load(std::memory_order_acquire);  // pairs with: unused_or_new(), store
    }
    place* place_of(const worker& w) const noexcept;
    place* place_of(const work_unit& begun) const noexcept;
    place* unused_or_new() noexcept;
    place* place_of(const keeping_stream& at) const noexcept;
    place* that_has(std::uint16_t number, const worker& but) const noexcept;
    place* claim_place(worker& w) noexcept;
    void give_place_up(const keeping_stream& at, bool for_all) noexcept;
    void clear(place& left) noexcept;
    void send_on(place& left) noexcept;
    void announce_kept(place& at) noexcept;

    queues fresh_;
    place own_;  // so that a pool of one stream takes no memory when the stream begins
    ds::default_atomics::atomic<place*> first_{&own_};
};

using staying_fifo = staying_pool<1>;
using staying_priority = staying_pool<8>;
extern template class staying_pool<1>;
extern template class staying_pool<8>;

}  // namespace lazult::sched
