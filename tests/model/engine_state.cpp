// SPDX-License-Identifier: BSD-3-Clause
// What a state is: all that decides how an execution can go on.
//
// A thread's own variables follow from what its operations have given it, so its history stands for
// them, and with the stores that each location has for what it has seen, unless there were
// barriers, which bring what others had done by then. The values and clocks of model variables
// follow too, as accesses that conflict are ordered, or a race has been reported. What threads keep
// in common in plain memory of a scenario, such as counters of what has been done, must follow from
// all their histories, in whatever order they made them: a log that all write to does not, and
// belongs to one thread each.
#include "tests/model/engine.hpp"

namespace lazult::model {

// Sums, as locations stand in the order in which threads happened to create them.
std::uint64_t engine::what_is_in(const view& seen) const {
    std::uint64_t all = 0;
    for (unsigned id = 0; id < location_count_; ++id) {
        fingerprint one;
        one.add(std::uint64_t{locations_[id].name} << 16 | seen.newest(id));
        all += seen.newest(id) == 0 ? 0 : one.bits();
    }
    return all;
}

// A store was read as an outdated one or not: that does not follow from which store it was.
std::uint64_t engine::what_is_stale(const thread& each) const {
    std::uint64_t all = 0;
    for (unsigned id = 0; id < location_count_; ++id) {
        const stale_read& last = each.stale[id];
        if (last.times != 0) {
            fingerprint one;
            one.add(std::uint64_t{locations_[id].name} << 32 | std::uint64_t{last.times} << 16 |
                    last.read);
            all += one.bits();
        }
    }
    return all;
}

std::uint64_t engine::what_is_stored() const {
    std::uint64_t all = 0;
    for (unsigned id = 0; id < location_count_; ++id) {
        const location& each = locations_[id];
        fingerprint one;
        one.add(each.name);
        one.add(each.stores.bits());
        one.add(each.sequential | (each.alive ? std::uint64_t{1} << 32 : 0));
        all += one.bits();
    }
    return all;
}

void engine::add_thread_state(fingerprint& state, const thread& each) const {
    state.add(each.history.bits());
    state.add(static_cast<std::uint64_t>(each.state) | (each.timed ? 8U : 0U) |
              (each.in_time ? 16U : 0U) | (each.settled ? 32U : 0U) |
              std::uint64_t{each.woken_times} << 8 |
              std::uint64_t{locations_[each.word_id].name} << 32);
    state.add(each.own_stores);
    state.add(each.stores_at_pause);
    state.add(each.others_at_pause);
    state.add(each.woken_at);
    state.add(what_is_stale(each));
    if (had_barriers_) {
        state.add(what_is_in(each.seen));
        state.add(what_is_in(each.pending));
        state.add(what_is_in(each.checkpoint));
    }
}

void engine::note_barrier(thread& by) {
    had_barriers_ = true;
    by.history.add(0);
}

// `choice`: between what.
fingerprint engine::current_state(unsigned choice) const {
    fingerprint state;
    state.add(std::uint64_t{running_} << 8 | choice);
    state.add(what_is_stored());
    for (unsigned index = 1; index < thread_count_; ++index) {
        add_thread_state(state, threads_[index]);
    }
    return state;
}

// Called before the search chooses the thread that runs next. If the search has been in this state
// before, the rest of the execution takes the first choices only, and no others are tried from
// here.
void engine::look_whether_known(unsigned choice) {
    if (remembers_ && choices_.at_end() && known_.insert(current_state(choice), preemptions_)) {
        choices_.close();
    }
}

}  // namespace lazult::model
