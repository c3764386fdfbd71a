// SPDX-License-Identifier: BSD-3-Clause
// Templates that the generated bindings call, by the `how` of a call in calls.txt.
#pragma once

#include "adapt/helpers.hpp"
#include "adapt/settings.hpp"
#include "model/door.hpp"
#include "model/forms.hpp"
#include "model/waits.hpp"

namespace lazult::mpi {

// Makes a blocking call. If the caller is a ULT that may suspend, a helper makes the call and the
// ULT is suspended meanwhile. Else, and without a helper, the caller makes it.
template <call_name name, class Call>
int on_helper(Call call) {
    struct closure {
        Call* call;
        int code;
    } mine{&call, MPI_SUCCESS};
    static constexpr helped_call helped{[](void* c) {
                                            auto& its = *static_cast<closure*>(c);
                                            its.code = (*its.call)();
                                        },
                                        words_for<name, no_message>.what};
    if (!may_suspend() || !helpers().run(helped, &mine)) {
        mine.code = deep(call);
    }
    return mine.code;
}

// Makes a collective call in the form that the other ranks take too: see forms.hpp. start(&request)
// begins the nonblocking form, whole() is the blocking call.
template <call_name name, class Start, class Whole>
int collective(MPI_Comm comm, Start start, Whole whole) {
    if (!is_on()) {
        return deep(whole);
    }
    const bool is_unit = caller::can_suspend();
    call_record* const record = record_of(comm);
    int code = MPI_SUCCESS;
    if (record == nullptr || !record->is_next_blocking(is_unit, &code)) {
        return code == MPI_SUCCESS ? start_and_complete_by<name>(is_unit, comm, start) : code;
    }
    code = is_unit && !record->is_alone() ? on_helper<name>(whole) : deep(whole);
    record->note(code);
    return code;
}

// Makes a collective call that makes a communicator: nonblocking on all ranks.
template <call_name name, class Start, class Whole>
int duplicating_collective(MPI_Comm comm, Start start, Whole whole) {
    return is_on() ? start_and_complete_by<name>(caller::can_suspend(), comm, start) : deep(whole);
}

// Lets other ULTs run, after a test of the caller found nothing. Otherwise a ULT that tests in a
// loop would keep the ULTs from running that it waits for.
LAZULT_NOINLINE inline void give_way() {
    if (value_of(setting::yield) != 0 && may_suspend()) {
        caller::give_way();
    }
}

}  // namespace lazult::mpi
