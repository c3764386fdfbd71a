// SPDX-License-Identifier: BSD-3-Clause
// What stays with a ULT while MPI's calls suspend it, with signals of a timer meanwhile.
#include "tests/support/unit_state.hpp"

#include "cases.hpp"

namespace mpi_cases {
namespace {

constexpr int units = 8;

// Each unit with its like on the other rank, and each in another order of calls.
void suspend_in(int unit, int& turn) {
    int mine = 1000 * unit + turn;
    int theirs = -1;
    const int other = partner();
    switch ((turn + unit) % 3) {
        case 0:
            MPI_Sendrecv(&mine, 1, MPI_INT, other, unit, &theirs, 1, MPI_INT, other, unit,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 1: {
            MPI_Request both[2];
            MPI_Irecv(&theirs, 1, MPI_INT, other, unit, MPI_COMM_WORLD, &both[0]);
            MPI_Isend(&mine, 1, MPI_INT, other, unit, MPI_COMM_WORLD, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            break;
        }
        default: {
            MPI_Request sent = MPI_REQUEST_NULL;
            MPI_Isend(&mine, 1, MPI_INT, other, unit, MPI_COMM_WORLD, &sent);
            MPI_Recv(&theirs, 1, MPI_INT, other, unit, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
        }
    }
    check_equal(theirs, mine, "what the other unit sent");
    ++turn;
}

}  // namespace

void per_unit_data() {
    const lazult::support::timer_signals signals;
    int goes_on = 1;
    for (int round = 0; goes_on != 0; ++round) {
        in_units(units, [](int unit) {
            int turn = 0;
            const char* lost = lazult::support::lost_unit_state(
                unit, lazult::support::errno_promise::ours, [&] { suspend_in(unit, turn); });
            check(lost == nullptr, lost == nullptr ? "" : lost);
        });
        int mine = round < 20 || signals.taken() < 10 ? 1 : 0;
        MPI_Allreduce(&mine, &goes_on, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
}

}  // namespace mpi_cases
