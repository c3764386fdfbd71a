// SPDX-License-Identifier: BSD-3-Clause
// Converts arguments of Fortran to C's and results back, for the generated Fortran bindings. In
// Fortran every argument is an address, handles are integers, indices of requests begin at one,
// LOGICALs are 0 and 1 (gfortran's), and some addresses stand for constants.
//
// Source: MPI 3.1, chapter 17 (language bindings).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "library/mpi_api.hpp"

namespace lazult::mpi::fortran {

// Convert addresses that stand for constants: see fortran_openmpi.cpp and fortran_mpich.cpp.
void* choice(void* buffer) noexcept;  // MPI_BOTTOM, MPI_IN_PLACE
inline bool is_in_place(void* buffer) noexcept { return choice(buffer) == MPI_IN_PLACE; }
const int* weights(const MPI_Fint* list) noexcept;  // MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
bool is_ignored(const MPI_Fint* status) noexcept;   // MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE

inline constexpr std::size_t status_words = sizeof(MPI_Status) / sizeof(MPI_Fint);

// Each class holds the C form of one argument. put_back() writes it to Fortran's argument.
class status {
public:
    explicit status(MPI_Fint* theirs);
    MPI_Status* get() noexcept { return ignored_ ? MPI_STATUS_IGNORE : &mine_; }
    void put_back();

private:
    MPI_Fint* theirs_;
    bool ignored_;
    MPI_Status mine_;
};

class statuses {
public:
    statuses(MPI_Fint* theirs, int count);
    MPI_Status* get() noexcept { return ignored_ ? MPI_STATUSES_IGNORE : mine_.data(); }
    void put_back();

private:
    MPI_Fint* theirs_;
    bool ignored_;
    std::vector<MPI_Status> mine_;
};

class requests {
public:
    requests(MPI_Fint* theirs, int count);
    MPI_Request* get() noexcept { return mine_.data(); }
    void put_back();

private:
    MPI_Fint* theirs_;
    std::vector<MPI_Request> mine_;
};

class types {
public:
    types(const MPI_Fint* theirs, int count);
    const MPI_Datatype* get() const noexcept { return mine_.data(); }

private:
    std::vector<MPI_Datatype> mine_;
};

inline int truth(MPI_Fint logical) noexcept { return logical != 0; }

class truths {
public:
    truths(const MPI_Fint* theirs, int count);
    const int* data() const noexcept { return mine_.data(); }

private:
    std::vector<int> mine_;
};

// Lengths of arrays that C gives no length: one element for each rank, for each neighbour to which
// (`outgoing`) or from which data go, for each dimension of a Cartesian topology.
int peers(MPI_Fint comm, bool outgoing);
int neighbours(MPI_Fint comm, bool outgoing);
int cartdims(MPI_Fint comm);

inline int from_one(int index) noexcept { return index == MPI_UNDEFINED ? index : index + 1; }
// Makes indices begin at one. If `code` says that the whole call failed, MPI has set no indices.
void count_from_one(int code, MPI_Fint* indices, int count) noexcept;

// Returns a Fortran string without the blanks around it.
std::string text(const char* filled, std::size_t length);

// Sets the error argument, which callers of mpi_f08 may leave out.
inline void tell(MPI_Fint* ierror, int code) noexcept {
    if (ierror != nullptr) {
        *ierror = code;
    }
}

}  // namespace lazult::mpi::fortran
