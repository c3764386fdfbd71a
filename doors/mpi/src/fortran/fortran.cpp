// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/fortran.hpp"

#include <algorithm>

namespace lazult::mpi::fortran {
namespace {

std::size_t length(int count) noexcept { return static_cast<std::size_t>(std::max(count, 0)); }

}  // namespace

// Takes over the caller's fields, so that fields that MPI does not write keep their values.
status::status(MPI_Fint* theirs) : theirs_(theirs), ignored_(is_ignored(theirs)), mine_() {
    if (!ignored_) {
        PMPI_Status_f2c(theirs_, &mine_);
    }
}

void status::put_back() {
    if (!ignored_) {
        PMPI_Status_c2f(&mine_, theirs_);
    }
}

statuses::statuses(MPI_Fint* theirs, int count)
    : theirs_(theirs), ignored_(is_ignored(theirs)), mine_(ignored_ ? 0 : length(count)) {
    for (std::size_t i = 0; i < mine_.size(); ++i) {
        PMPI_Status_f2c(theirs_ + i * status_words, &mine_[i]);
    }
}

void statuses::put_back() {
    for (std::size_t i = 0; i < mine_.size(); ++i) {
        PMPI_Status_c2f(&mine_[i], theirs_ + i * status_words);
    }
}

requests::requests(MPI_Fint* theirs, int count) : theirs_(theirs), mine_(length(count)) {
    for (std::size_t i = 0; i < mine_.size(); ++i) {
        mine_[i] = MPI_Request_f2c(theirs_[i]);
    }
}

void requests::put_back() {
    for (std::size_t i = 0; i < mine_.size(); ++i) {
        theirs_[i] = MPI_Request_c2f(mine_[i]);
    }
}

types::types(const MPI_Fint* theirs, int count) : mine_(length(count)) {
    for (std::size_t i = 0; i < mine_.size(); ++i) {
        mine_[i] = MPI_Type_f2c(theirs[i]);
    }
}

truths::truths(const MPI_Fint* theirs, int count) : mine_(length(count)) {
    for (std::size_t i = 0; i < mine_.size(); ++i) {
        mine_[i] = truth(theirs[i]);
    }
}

int peers(MPI_Fint comm, bool) {
    const MPI_Comm c = MPI_Comm_f2c(comm);
    int is_inter = 0;
    int size = 0;
    if (PMPI_Comm_test_inter(c, &is_inter) == MPI_SUCCESS && is_inter != 0) {
        PMPI_Comm_remote_size(c, &size);
    } else {
        PMPI_Comm_size(c, &size);
    }
    return size;
}

int neighbours(MPI_Fint comm, bool outgoing) {
    const MPI_Comm c = MPI_Comm_f2c(comm);
    int kind = MPI_UNDEFINED;
    int degree = 0;
    PMPI_Topo_test(c, &kind);
    if (kind == MPI_CART) {
        return 2 * cartdims(comm);
    }
    if (kind == MPI_GRAPH) {
        int rank = 0;
        PMPI_Comm_rank(c, &rank);
        PMPI_Graph_neighbors_count(c, rank, &degree);
    } else if (kind == MPI_DIST_GRAPH) {
        int in = 0;
        int out = 0;
        int weighted = 0;
        PMPI_Dist_graph_neighbors_count(c, &in, &out, &weighted);
        degree = outgoing ? out : in;
    }
    return degree;
}

int cartdims(MPI_Fint comm) {
    int dims = 0;
    PMPI_Cartdim_get(MPI_Comm_f2c(comm), &dims);
    return dims;
}

void count_from_one(int code, MPI_Fint* indices, int count) noexcept {
    int its_class = code;
    PMPI_Error_class(code, &its_class);
    if (its_class != MPI_SUCCESS && its_class != MPI_ERR_IN_STATUS) {
        return;
    }
    for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) {
        indices[i] = from_one(indices[i]);
    }
}

std::string text(const char* filled, std::size_t length) {
    std::string words(filled, length);
    words.erase(words.find_last_not_of(' ') + 1);
    return words.erase(0, words.find_first_not_of(' '));
}

}  // namespace lazult::mpi::fortran
