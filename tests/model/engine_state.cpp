// SPDX-License-Identifier: BSD-3-Clause
// What a state is: all that decides how an execution can go on.
//
// A thread's own variables follow from what its operations have given it, so its history stands for them. So do the values and
// clocks of model variables, as accesses that conflict are ordered, or a race has been reported. What threads keep in common in
// plain memory of a scenario, such as counters of what has been done, must follow from all their histories, in whatever order
// they made them: a log that all write to does not, and belongs to one thread each.
#include "tests/model/engine.hpp"

namespace lazult::model {

void engine::add_view(fingerprint& state, const view& seen) const {
    for (unsigned id = 0; id < location_count_; ++id) {
        state.add(seen.newest(id));
    }
    for (unsigned index = 0; index < thread_count_; ++index) {
        state.add(seen.clock(index));
    }
}

void engine::add_thread_state(fingerprint& state, const thread& each) const {
    state.add(each.history.bits());
    state.add(static_cast<std::uint64_t>(each.state) | (each.timed ? 8U : 0U) | (each.in_time ? 16U : 0U) |
              (each.settled ? 32U : 0U) | std::uint64_t{each.woken_times} << 8 |
              std::uint64_t{each.word_id} << 32);
    state.add(each.own_stores);
    state.add(each.stores_at_pause);
    state.add(each.others_at_pause);
    state.add(each.woken_at);
    add_view(state, each.seen);
    add_view(state, each.pending);
    add_view(state, each.checkpoint);
}

// `choice`: between what.
fingerprint engine::current_state(unsigned choice) const {
    fingerprint state;
    state.add(std::uint64_t{running_} << 8 | choice);
    for (unsigned id = 0; id < location_count_; ++id) {
        const location& each = locations_[id];
        state.add(each.stores.bits());
        state.add(each.sequential | (each.alive ? std::uint64_t{1} << 32 : 0));
    }
    for (unsigned index = 1; index < thread_count_; ++index) {
        add_thread_state(state, threads_[index]);
    }
    return state;
}

// Before the search chooses whose turn it is. What follows a state that it came by before is run once more, by the first choices,
// and not looked into.
void engine::look_whether_known(unsigned choice) {
    if (remembers_ && choices_.at_end() && known_.insert(current_state(choice), preemptions_)) {
        choices_.close();
    }
}

}  // namespace lazult::model
