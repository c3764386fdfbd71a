// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <numeric>
#include <thread>
#include <vector>

namespace mpi_cases {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

long sum_of_ranks() { return static_cast<long>(size()) * (size() - 1) / 2; }

// Every rank begins with another one, so that in order they would wait for each other.
int in_other_order(int i, int n) { return (i + rank() * 5) % n; }

void reductions(MPI_Comm comm) {
    const int mine = rank() + 1;
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    check_equal(sum, sum_of_ranks() + size(), "MPI_Allreduce");
    sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
    check(rank() != 0 || sum == sum_of_ranks() + size(), "MPI_Reduce");
    int in_place = mine;
    MPI_Allreduce(MPI_IN_PLACE, &in_place, 1, MPI_INT, MPI_MAX, comm);
    check_equal(in_place, size(), "MPI_Allreduce in place");
    int before = 0;
    MPI_Scan(&mine, &before, 1, MPI_INT, MPI_SUM, comm);
    check_equal(before, (rank() + 1) * (rank() + 2) / 2, "MPI_Scan");
    before = 0;
    MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, comm);
    check(rank() == 0 || before == rank() * (rank() + 1) / 2, "MPI_Exscan");
    const std::vector<int> ones(index(size()), mine);
    int share = 0;
    MPI_Reduce_scatter_block(ones.data(), &share, 1, MPI_INT, MPI_SUM, comm);
    check_equal(share, sum_of_ranks() + size(), "MPI_Reduce_scatter_block");
    const std::vector<int> counts(index(size()), 1);
    share = 0;
    MPI_Reduce_scatter(ones.data(), &share, counts.data(), MPI_INT, MPI_SUM, comm);
    check_equal(share, sum_of_ranks() + size(), "MPI_Reduce_scatter");
}

void gathers(MPI_Comm comm) {
    const int n = size();
    const int mine = rank() * 10;
    std::vector<int> expected(index(n));
    for (int i = 0; i < n; ++i) {
        expected[index(i)] = i * 10;
    }
    std::vector<int> all(index(n), -1);
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    check(all == expected, "MPI_Allgather");
    const std::vector<int> counts(index(n), 1);
    std::vector<int> offsets(index(n));
    std::iota(offsets.begin(), offsets.end(), 0);
    all.assign(index(n), -1);
    MPI_Allgatherv(&mine, 1, MPI_INT, all.data(), counts.data(), offsets.data(), MPI_INT, comm);
    check(all == expected, "MPI_Allgatherv");
    all.assign(index(n), -1);
    MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, n - 1, comm);
    check(rank() != n - 1 || all == expected, "MPI_Gather");
    MPI_Gatherv(&mine, 1, MPI_INT, all.data(), counts.data(), offsets.data(), MPI_INT, 0, comm);
    int share = -1;
    MPI_Scatter(expected.data(), 1, MPI_INT, &share, 1, MPI_INT, 0, comm);
    check_equal(share, mine, "MPI_Scatter");
    share = -1;
    MPI_Scatterv(expected.data(), counts.data(), offsets.data(), MPI_INT, &share, 1, MPI_INT, 0,
                 comm);
    check_equal(share, mine, "MPI_Scatterv");
    int word = rank() == 0 ? 4711 : 0;
    MPI_Bcast(&word, 1, MPI_INT, 0, comm);
    check_equal(word, 4711, "MPI_Bcast");
}

void all_to_all(MPI_Comm comm) {
    const int n = size();
    std::vector<int> out(index(n));
    std::vector<int> expected(index(n));
    for (int i = 0; i < n; ++i) {
        out[index(i)] = rank() * 100 + i;
        expected[index(i)] = i * 100 + rank();
    }
    std::vector<int> in(index(n), -1);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm);
    check(in == expected, "MPI_Alltoall");
    const std::vector<int> counts(index(n), 1);
    std::vector<int> offsets(index(n));
    std::iota(offsets.begin(), offsets.end(), 0);
    in.assign(index(n), -1);
    MPI_Alltoallv(out.data(), counts.data(), offsets.data(), MPI_INT, in.data(), counts.data(),
                  offsets.data(), MPI_INT, comm);
    check(in == expected, "MPI_Alltoallv");
    std::vector<int> bytes(index(n));
    for (int i = 0; i < n; ++i) {
        bytes[index(i)] = i * static_cast<int>(sizeof(int));
    }
    const std::vector<MPI_Datatype> types(index(n), MPI_INT);
    in.assign(index(n), -1);
    MPI_Alltoallw(out.data(), counts.data(), bytes.data(), types.data(), in.data(), counts.data(),
                  bytes.data(), types.data(), comm);
    check(in == expected, "MPI_Alltoallw");
}

void neighbours(MPI_Comm comm) {
    const int n = size();
    const int dims[] = {n};
    const int periods[] = {1};
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Cart_create(comm, 1, dims, periods, 0, &ring);
    const int mine = rank();
    int both[2] = {-1, -1};
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, both, 1, MPI_INT, ring);
    check_equal(both[0], (rank() + n - 1) % n, "the left neighbour");
    check_equal(both[1], (rank() + 1) % n, "the right neighbour");
    const int counts[] = {1, 1};
    const int offsets[] = {0, 1};
    both[0] = both[1] = -1;
    MPI_Neighbor_allgatherv(&mine, 1, MPI_INT, both, counts, offsets, MPI_INT, ring);
    check_equal(both[1], (rank() + 1) % n, "the right neighbour");
    const int out[] = {mine, mine};
    MPI_Neighbor_alltoall(out, 1, MPI_INT, both, 1, MPI_INT, ring);
    MPI_Neighbor_alltoallv(out, counts, offsets, MPI_INT, both, counts, offsets, MPI_INT, ring);
    const MPI_Aint bytes[] = {0, sizeof(int)};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    both[0] = both[1] = -1;
    MPI_Neighbor_alltoallw(out, counts, bytes, types, both, counts, bytes, types, ring);
    check_equal(both[0], (rank() + n - 1) % n, "the left neighbour");
    MPI_Comm_free(&ring);
}

class duplicates {
public:
    explicit duplicates(int n) : all_(index(n)) {
        for (MPI_Comm& each : all_) {
            MPI_Comm_dup(MPI_COMM_WORLD, &each);
        }
    }
    ~duplicates() {
        for (MPI_Comm& each : all_) {
            MPI_Comm_free(&each);
        }
    }
    duplicates(const duplicates&) = delete;
    duplicates& operator=(const duplicates&) = delete;
    MPI_Comm operator[](int i) const { return all_[index(i)]; }

private:
    std::vector<MPI_Comm> all_;
};

}  // namespace

void every_collective() {
    in_units(1, [](int) {
        MPI_Barrier(MPI_COMM_WORLD);
        reductions(MPI_COMM_WORLD);
        gathers(MPI_COMM_WORLD);
        all_to_all(MPI_COMM_WORLD);
        neighbours(MPI_COMM_WORLD);
    });
}

void collectives_at_once() {
    constexpr int n = 16;
    const duplicates comms(n);
    for (int round = 0; round < 5; ++round) {
        in_units(n, [&](int i) {
            MPI_Comm mine = comms[in_other_order(i, n)];
            MPI_Barrier(mine);
            reductions(mine);
            gathers(mine);
            all_to_all(mine);
        });
    }
}

// What has no nonblocking form too, on several communicators at once.
void communicators_at_once() {
    constexpr int n = 8;
    const duplicates comms(n);
    in_units(n, [&](int i) {
        MPI_Comm mine = comms[in_other_order(i, n)];
        MPI_Comm twin = MPI_COMM_NULL;
        MPI_Comm_dup(mine, &twin);
        int sum = 0;
        const int one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, twin);
        check_equal(sum, size(), "a sum over the duplicate");
        MPI_Comm half = MPI_COMM_NULL;
        MPI_Comm_split(mine, rank() % 2, rank(), &half);
        int members = 0;
        MPI_Comm_size(half, &members);
        check_equal(members, size() / 2, "the size of a half");
        MPI_Barrier(half);
        MPI_Comm node = MPI_COMM_NULL;
        MPI_Comm_split_type(mine, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        neighbours(mine);
        MPI_Comm_free(&node);
        MPI_Comm_free(&half);
        MPI_Comm_free(&twin);
    });
}

// A collective's callers on other ranks may be of other kinds.
void callers_of_all_kinds() {
    for (int round = 0; round < 20; ++round) {
        const auto body = [round] {
            int sum = 0;
            const int mine = rank();
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            check_equal(sum, sum_of_ranks(), "the sum");
            int word = rank() == round % size() ? round : -1;
            MPI_Bcast(&word, 1, MPI_INT, round % size(), MPI_COMM_WORLD);
            check_equal(word, round, "the word");
        };
        if ((rank() + round) % 2 == 0) {
            std::thread(body).join();
        } else {
            in_units(1, [&](int) { body(); });
        }
    }
}

namespace {

enum class caller { plain, unit };

// One call of each kind, by a plain thread or by a unit.
void call_as(caller kind, MPI_Comm comm, int round) {
    const auto body = [&] {
        int members = 0;
        int mine = 0;
        MPI_Comm_size(comm, &members);
        MPI_Comm_rank(comm, &mine);
        const int one = round;
        int sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        check_equal(sum, long{round} * members, "the sum");
        int word = mine == round % members ? round : -1;
        MPI_Bcast(&word, 1, MPI_INT, round % members, comm);
        check_equal(word, round, "the word");
        MPI_Barrier(comm);
    };
    if (kind == caller::plain) {
        std::thread(body).join();
    } else {
        in_units(1, [&](int) { body(); });
    }
}

// A ULT waits in a call that the others make late, and another one of its stream runs meanwhile.
void others_run_meanwhile(MPI_Comm comm) {
    if (rank() != 0) {
        MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        call_as(caller::plain, comm, 1);
        return;
    }
    in_units(2, [&](int i) {
        if (i == 0) {
            call_as(caller::unit, comm, 1);
            return;
        }
        for (int to = 1; to < size(); ++to) {  // they come only when this has run
            MPI_Send(nullptr, 0, MPI_INT, to, 0, MPI_COMM_WORLD);
        }
    });
}

}  // namespace

// Plain threads first, and then ULTs on some ranks: all ranks change the form of their calls at the
// same one. Ranks differ in what runs on them, from communicator to communicator and from call to
// call.
void forms_change_together() {
    for (const int plain_calls : {0, 3, 30}) {
        MPI_Comm comm = MPI_COMM_NULL;
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int round = 0; round < plain_calls; ++round) {
            call_as(caller::plain, comm, round);
        }
        others_run_meanwhile(comm);
        for (int round = 0; round < 45; ++round) {
            const bool is_unit = (rank() + round) % 3 == 0 && round % 5 == 0;
            call_as(is_unit ? caller::unit : caller::plain, comm, round);
        }
        PMPI_Comm_free(&comm);
    }
    MPI_Comm half = MPI_COMM_NULL;  // in which one rank has ULTs, or none
    MPI_Comm_split(MPI_COMM_WORLD, rank() / 2, rank(), &half);
    for (int round = 0; round < 100; ++round) {
        call_as(rank() == 1 ? caller::unit : caller::plain, half, round);
        call_as(caller::unit, MPI_COMM_SELF, round);
    }
    MPI_Comm_free(&half);
}

// What MPI refuses on one rank is no call, and does not count there.
void refused_calls_do_not_count() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const auto refused = [&] {
        int word = 0;
        check(MPI_Bcast(&word, 1, MPI_INT, -7, comm) != MPI_SUCCESS, "a refusal of the root");
        check(MPI_Bcast(&word, -1, MPI_INT, 0, comm) != MPI_SUCCESS, "a refusal of the count");
    };
    for (int round = 0; round < 100; ++round) {
        for (int times = round % 3; rank() == 1 && times != 0; --times) {
            std::thread(refused).join();
        }
        call_as(round > 60 && rank() == 0 ? caller::unit : caller::plain, comm, round);
    }
    MPI_Comm_free(&comm);
}

}  // namespace mpi_cases
