// SPDX-License-Identifier: BSD-3-Clause
// What an operation does to memory: which stores a load may read and what it learns by that.
#include "tests/model/engine.hpp"

namespace lazult::model {

namespace {

// One step down from an order, in each direction that the kind of operation allows.
std::vector<std::memory_order> weaker_orders(operation kind, std::memory_order order) {
    switch (order) {
        case std::memory_order_seq_cst:
            return {kind == operation::load    ? std::memory_order_acquire
                    : kind == operation::store ? std::memory_order_release
                                               : std::memory_order_acq_rel};
        case std::memory_order_acq_rel:
            return {std::memory_order_acquire, std::memory_order_release};
        case std::memory_order_acquire:
        case std::memory_order_release: return {std::memory_order_relaxed};
        default: return {};
    }
}

}  // namespace

unsigned engine::create(const void* address, std::uint64_t value) {
    if (location_count_ == max_locations) {
        fail("too many atomic objects for the model");
        return 0;
    }
    locations_[location_count_].start(address, value, running_, self().seen.clock(running_));
    locations_[location_count_].name = running_ << 16 | self().created++;
    return location_count_++;
}

void engine::destroy(unsigned id) {
    if (id < location_count_) {
        locations_[id].alive = false;
    }
}

location& engine::touch(unsigned id) {
    location& touched = locations_[id];
    if (failed_) {
        return touched;  // destructors on the way out
    }
    if (id >= location_count_ || !touched.alive) {
        fail("use of an atomic object that is destroyed, or of an earlier execution");
    } else if (self().seen.clock(touched.creator) < touched.creator_clock) {
        fail("data race: " + name_of(touched.address) +
             " is used, and its creation does not happen before");
    }
    return touched;
}

std::memory_order engine::weakened(operation kind, std::memory_order order, site where) {
    if (limits_.collect_mistakes) {
        for (const std::memory_order weaker : weaker_orders(kind, order)) {
            note_mistake({where.function, kind, order, weaker, where.line});
        }
    }
    for (const weakening& each : limits_.weaken) {
        if (each.from == order && each.fits(kind, where)) {
            ++weakened_count_;
            return each.to;
        }
    }
    return order;
}

bool engine::left_out(operation kind, site where) {
    if (limits_.collect_mistakes) {
        note_mistake({.function = where.function, .kind = kind, .line = where.line});
    }
    for (const weakening& each : limits_.weaken) {
        if (each.fits(kind, where)) {
            ++weakened_count_;
            return true;
        }
    }
    return false;
}

void engine::note_mistake(const weakening& possible) {
    if (!alone() && std::find(mistakes_.begin(), mistakes_.end(), possible) == mistakes_.end()) {
        mistakes_.push_back(possible);
    }
}

stamp engine::oldest_readable(unsigned id, std::memory_order order) {
    const location& place = locations_[id];
    stamp oldest = self().seen.newest(id);
    if (order == std::memory_order_seq_cst) {
        oldest = std::max(oldest, place.sequential);
    }
    const stale_read& last = self().stale[id];
    const bool enough = last.read == oldest && last.times >= limits_.stale_reads;
    return enough && oldest < place.newest() ? static_cast<stamp>(oldest + 1) : oldest;
}

void engine::count_stale(unsigned id, stamp position) {
    stale_read& last = self().stale[id];
    if (position == locations_[id].newest()) {
        last = {};
    } else if (last.read == position) {
        ++last.times;
    } else {
        last = {position, 1};
    }
}

void engine::read(unsigned id, stamp position, std::memory_order order) {
    location& place = locations_[id];
    view& seen = self().seen;
    count_stale(id, position);
    self().history.add(std::uint64_t{position} << 32 | place.name);
    self().history.add(place.at(position).value);
    seen.see(id, position);
    if (acquires(order) && place.at(position).releases) {
        seen.join(place.at(position).released);
    }
    if (order == std::memory_order_seq_cst) {
        place.sequential = std::max(place.sequential, position);
    }
}

// `continued`: the store that a read-modify-write read. The new store continues its release
// sequence.
void engine::write(unsigned id, std::uint64_t value, std::memory_order order, int continued) {
    location& place = locations_[id];
    thread& me = self();
    ++stores_;
    ++me.own_stores;
    message& fresh = place.append();
    fresh.value = value;
    me.seen.see(id, place.newest());
    if (releases(order)) {
        fresh.releases = true;
        fresh.released.copy(me.seen);
    }
    if (continued != nothing && place.at(static_cast<stamp>(continued)).releases) {
        if (!fresh.releases) {
            fresh.released.clear();
        }
        fresh.releases = true;
        fresh.released.join(place.at(static_cast<stamp>(continued)).released);
    }
    if (order == std::memory_order_seq_cst) {
        place.sequential = place.newest();
    }
    place.stores.add(value);
    place.stores.add(me.history.bits());
    place.stores.add(fresh.releases && had_barriers_ ? what_is_in(fresh.released) : 0);
    me.history.add(place.newest());
}

std::uint64_t engine::load(unsigned id, std::memory_order order, site where) {
    order = weakened(operation::load, order, where);
    point();
    const location& place = touch(id);
    const stamp newest = place.newest();
    const stamp oldest = alone() ? newest : oldest_readable(id, order);
    const auto position = static_cast<stamp>(newest - pick(std::size_t{newest} - oldest + 1));
    read(id, position, order);
    if (tracing_) {
        record("load", id, text_of_read(id, position), order, where);
    }
    finish_operation();
    return place.at(position).value;
}

void engine::store(unsigned id, std::uint64_t value, std::memory_order order, site where) {
    order = weakened(operation::store, order, where);
    point();
    touch(id);
    write(id, value, order, nothing);
    if (tracing_) {
        record("store", id, text_of(value), order, where);
    }
    finish_operation();
}

std::uint64_t engine::read_modify_write(unsigned id, operation kind, modify change,
                                        std::uint64_t operand, std::memory_order order,
                                        site where) {
    order = weakened(kind, order, where);
    point();
    const location& place = touch(id);
    const stamp newest = place.newest();
    const std::uint64_t old = place.at(newest).value;
    read(id, newest, order);
    write(id, change(old, operand), order, newest);
    if (tracing_) {
        record("modify", id, text_of(old) + " -> " + text_of(change(old, operand)), order, where);
    }
    finish_operation();
    return old;
}

// May fail by reading any store with another value that it could load; succeeds on the newest only.
bool engine::compare_exchange(unsigned id, std::uint64_t& expected, std::uint64_t desired,
                              std::memory_order success, std::memory_order failure, site where) {
    success = weakened(operation::compare_exchange, success, where);
    point();
    const location& place = touch(id);
    const stamp newest = place.newest();
    const stamp oldest = alone() ? newest : oldest_readable(id, failure);
    readable_.assign(1, newest);
    for (stamp position = newest; position-- > oldest;) {
        if (place.at(position).value != expected) {
            readable_.push_back(position);
        }
    }
    const stamp position = readable_[pick(readable_.size())];
    const bool won = place.at(position).value == expected;
    read(id, position, won ? success : failure);
    if (tracing_) {
        const std::string detail =
            won ? text_of(expected) + " -> " + text_of(desired) : text_of_read(id, position);
        record(won ? "exchange" : "exchange fails", id, detail, won ? success : failure, where);
    }
    if (won) {
        write(id, desired, success, position);
    } else {
        expected = place.at(position).value;
    }
    finish_operation();
    return won;
}

// The barriers order as P1202 says: a heavy one and a light one of two threads as two seq_cst
// fences, two light ones not at all. So each thread learns of the other's stores only up to its
// last barrier, at its next one.
void engine::light_barrier(site where) {
    if (alone() || left_out(operation::light_barrier, where)) {
        return;
    }
    thread& me = self();
    me.seen.join_stores(me.pending);
    me.checkpoint.copy(me.seen);
    note_barrier(me);
    record_line("light barrier", where);
}

void engine::heavy_barrier(site where) {
    if (alone() || left_out(operation::heavy_barrier, where)) {
        return;
    }
    point();
    thread& me = self();
    me.seen.join_stores(me.pending);
    me.checkpoint.copy(me.seen);
    for (unsigned index = 1; index < thread_count_; ++index) {
        threads_[index].pending.join_stores(me.checkpoint);
    }
    for (unsigned index = 1; index < thread_count_; ++index) {
        me.seen.join_stores(threads_[index].checkpoint);
    }
    note_barrier(me);
    record_line("heavy barrier", where);
    finish_operation();
}

void engine::see_all(thread& each) {
    for (unsigned id = 0; id < location_count_; ++id) {
        each.seen.see(id, locations_[id].newest());
    }
}

void engine::data_created(data_accesses& data) {
    data = {};
    data.writer = running_;
    data.written = self().seen.clock(running_);
}

void engine::report_race(const void* address, const char* what, unsigned other) {
    if (!failed_) {
        fail("data race on " + name_of(address) + ": " + what + " of " + threads_[other].name);
    }
}

void engine::data_read(data_accesses& data, const void* address) {
    const view& seen = self().seen;
    if (data.written > seen.clock(data.writer)) {
        report_race(address, "a read, not ordered after the write", data.writer);
    }
    data.read[running_] = seen.clock(running_);
}

void engine::data_written(data_accesses& data, const void* address) {
    const view& seen = self().seen;
    if (data.written > seen.clock(data.writer)) {
        report_race(address, "a write, not ordered after the write", data.writer);
    }
    for (unsigned index = 0; index < max_threads; ++index) {
        if (data.read[index] > seen.clock(index)) {
            report_race(address, "a write, not ordered after the read", index);
        }
    }
    data.writer = running_;
    data.written = seen.clock(running_);
}

}  // namespace lazult::model
