// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <cstring>
#include <string>

#include "tests/support/left_behind.hpp"

namespace {

struct named_case {
    const char* name;
    void (*run)();
};

constexpr named_case all_cases[] = {
    {"reverse_order", mpi_cases::reverse_order},
    {"million_messages", mpi_cases::million_messages},
    {"all_modes", mpi_cases::all_modes},
    {"probes", mpi_cases::probes},
    {"waits_for_any", mpi_cases::waits_for_any},
    {"waits_for_all", mpi_cases::waits_for_all},
    {"answers_before_the_end", mpi_cases::answers_before_the_end},
    {"waits_for_all_though_one_fails", mpi_cases::waits_for_all_though_one_fails},
    {"tests_that_keep_the_stream", mpi_cases::tests_that_keep_the_stream},
    {"exchanges", mpi_cases::exchanges},
    {"tests_in_a_loop", mpi_cases::tests_in_a_loop},
    {"persistent_requests", mpi_cases::persistent_requests},
    {"collectives_at_once", mpi_cases::collectives_at_once},
    {"every_collective", mpi_cases::every_collective},
    {"communicators_at_once", mpi_cases::communicators_at_once},
    {"callers_of_all_kinds", mpi_cases::callers_of_all_kinds},
    {"forms_change_together", mpi_cases::forms_change_together},
    {"refused_calls_do_not_count", mpi_cases::refused_calls_do_not_count},
    {"errors", mpi_cases::errors_reach_their_handlers},
    {"errors_of_old_names", mpi_cases::errors_of_old_names},
    {"handlers_stay", mpi_cases::handlers_stay},
    {"helpers_that_were_refused", mpi_cases::helpers_that_were_refused},
    {"large_counts", mpi_cases::large_counts},
    {"windows", mpi_cases::windows},
    {"files", mpi_cases::files},
    {"levels", mpi_cases::levels},
    {"plain_threads", mpi_cases::plain_threads},
    {"per_unit_data", mpi_cases::per_unit_data},
    {"chaos", mpi_cases::chaos},
    {"wait_for_the_dead", mpi_cases::wait_for_the_dead},
    {"computing_beside_waiting", mpi_cases::computing_beside_waiting},
};

void (*case_named(const char* name))() {
    for (const named_case& each : all_cases) {
        if (std::strcmp(each.name, name) == 0) {
            return each.run;
        }
    }
    return nullptr;
}

void nothing_is_left_since(const lazult::support::held& before) {
    const std::string left =
        lazult::support::left_behind(before, lazult::support::looked_at::units_and_stacks);
    mpi_cases::check(left.empty(), left.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    void (*const run)() = argc > 1 ? case_named(argv[1]) : nullptr;
    if (run == nullptr) {
        std::fprintf(stderr, "usage: %s CASE\n", argv[0]);
        return 2;
    }
    if (argc > 2 && std::strcmp(argv[2], "begun-by-a-ult") == 0) {
        const lazult::runtime running;
        mpi_cases::in_units(1, [&](int) {
            MPI_Init(&argc, &argv);
            run();
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Finalize();
        });
        return 0;
    }
    MPI_Init(&argc, &argv);
    const lazult::support::held before;
    {
        const lazult::runtime running;
        run();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    nothing_is_left_since(before);
    MPI_Finalize();
}
