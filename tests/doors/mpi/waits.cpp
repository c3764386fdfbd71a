// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace mpi_cases {

// One after another comes, in another order than the requests'; with null ones and inactive ones
// between them.
void waits_for_any() {
    constexpr int units = 40;
    constexpr int each = 24;  // more than the door keeps on the stack
    in_units(2 * units, [](int u) {
        const bool sends = u % 2 == 0;
        const int tag = u / 2 * 100;
        if (sends) {
            for (int i = 0; i < each; ++i) {
                const int which = (i * 7) % each;
                MPI_Ssend(&which, 1, MPI_INT, partner(), tag + which, MPI_COMM_WORLD);
            }
            return;
        }
        int values[each];
        std::vector<MPI_Request> requests(each + 2, MPI_REQUEST_NULL);
        for (int i = 0; i < each; ++i) {
            MPI_Irecv(&values[i], 1, MPI_INT, partner(), tag + i, MPI_COMM_WORLD,
                      &requests[static_cast<std::size_t>(i)]);
        }
        int never = 0;
        MPI_Recv_init(&never, 1, MPI_INT, partner(), 99'999, MPI_COMM_WORLD, &requests[each]);
        const int all = each + 2;
        bool seen[each] = {};
        for (int done = 0; done < each;) {
            if (done % 3 == 0) {
                int index = -1;
                MPI_Status status;
                MPI_Waitany(all, requests.data(), &index, &status);
                check(index >= 0 && index < each && !seen[index], "one that is new is done");
                check_equal(values[index], index, "its value");
                check_equal(status.MPI_TAG, tag + index, "its tag");
                seen[index] = true;
                ++done;
                continue;
            }
            int found = 0;
            int indices[each + 2];
            MPI_Status statuses[each + 2];
            MPI_Waitsome(all, requests.data(), &found, indices, statuses);
            check(found > 0, "some are done");
            for (int i = 0; i < found; ++i) {
                check(!seen[indices[i]], "one that is new is done");
                check_equal(values[indices[i]], indices[i], "its value");
                check_equal(statuses[i].MPI_TAG, tag + indices[i], "its tag");
                seen[indices[i]] = true;
            }
            done += found;
        }
        int index = 0;
        MPI_Waitany(all, requests.data(), &index, MPI_STATUS_IGNORE);
        check_equal(index, MPI_UNDEFINED, "the index when none is active");
        int found = 0;
        MPI_Waitsome(all, requests.data(), &found, &index, MPI_STATUSES_IGNORE);
        check_equal(found, MPI_UNDEFINED, "the number when none is active");
        MPI_Request_free(&requests[each]);
    });
    int index = 0;
    MPI_Waitany(0, nullptr, &index, MPI_STATUS_IGNORE);
    check_equal(index, MPI_UNDEFINED, "the index of none");
}

void waits_for_all() {
    constexpr int units = 60;
    constexpr int each = 10;
    in_units(2 * units, [](int u) {
        const bool sends = (u + rank()) % 2 == 0;
        const int tag = u / 2 * 100;
        int values[each];
        MPI_Request requests[each + 1];
        for (int i = 0; i < each; ++i) {
            values[i] = sends ? tag + i : -1;
            if (sends) {
                MPI_Issend(&values[i], 1, MPI_INT, partner(), tag + i, MPI_COMM_WORLD,
                           &requests[i]);
            } else {
                MPI_Irecv(&values[i], 1, MPI_INT, partner(), tag + i, MPI_COMM_WORLD, &requests[i]);
            }
        }
        requests[each] = MPI_REQUEST_NULL;
        MPI_Status statuses[each + 1];
        MPI_Waitall(each + 1, requests, statuses);
        for (int i = 0; i < each; ++i) {
            check_equal(values[i], tag + i, "a value");
            check(requests[i] == MPI_REQUEST_NULL, "a request that is done is null");
            check(sends || statuses[i].MPI_TAG == tag + i, "a status is its request's");
        }
    });
    MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
}

// A unit that tests a request until it is done must let the unit run that completes it.
void tests_in_a_loop() {
    in_units(20, [](int i) {
        const int tag = i / 2;
        int value = i;
        if (i % 2 == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(&value, 1, MPI_INT, rank(), tag, MPI_COMM_WORLD, &request);
            int done = 0;
            while (done == 0) {
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            }
            check_equal(value, i + 1, "the value");
            done = 0;
            while (done == 0) {
                MPI_Iprobe(rank(), 100 + tag, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
            }
            MPI_Recv(&value, 1, MPI_INT, rank(), 100 + tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return;
        }
        MPI_Send(&value, 1, MPI_INT, rank(), tag, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, rank(), 100 + tag, MPI_COMM_WORLD);
    });
}

void persistent_requests() {
    constexpr int units = 50;
    constexpr int rounds = 20;
    in_units(2 * units, [](int u) {
        const bool sends = (u + rank()) % 2 == 0;
        int value = -1;
        MPI_Request request = MPI_REQUEST_NULL;
        if (sends) {
            MPI_Ssend_init(&value, 1, MPI_INT, partner(), u / 2, MPI_COMM_WORLD, &request);
        } else {
            MPI_Recv_init(&value, 1, MPI_INT, partner(), u / 2, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);  // inactive: returns at once
        for (int round = 0; round < rounds; ++round) {
            value = sends ? round : -1;
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check(request != MPI_REQUEST_NULL, "a persistent request stays");
            check_equal(value, round, "the value");
        }
        MPI_Request_free(&request);
    });
}

// One ULT waits, another keeps the only stream until the sender is done, which needs this rank's
// progress.
void computing_beside_waiting() {
    const std::vector<int> large(1'000'000, rank());
    char file[] = "/tmp/lazult-mpi-XXXXXX";
    if (rank() == 0) {
        check(::mkdtemp(file) != nullptr, "there is space for a folder");
    }
    MPI_Bcast(file, sizeof file, MPI_CHAR, 0, MPI_COMM_WORLD);
    const std::string mark = std::string(file) + "/" + std::to_string(rank() / 2);
    lazult::task_group all;
    if (rank() % 2 != 0) {
        MPI_Send(large.data(), static_cast<int>(large.size()), MPI_INT, partner(), 1,
                 MPI_COMM_WORLD);
        std::ofstream(mark) << "sent";
    } else {
        all.run([&] {
            std::vector<int> theirs(large.size(), -1);
            MPI_Recv(theirs.data(), static_cast<int>(theirs.size()), MPI_INT, partner(), 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            check_equal(theirs.back(), partner(), "the last word");
        });
        lazult::this_thread::yield();  // the first one waits by now
        all.run([&] {
            while (!std::filesystem::exists(mark)) {
            }
        });
    }
    all.wait();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        std::filesystem::remove_all(file);
    }
}

}  // namespace mpi_cases
