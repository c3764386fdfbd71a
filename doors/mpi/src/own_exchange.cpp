// SPDX-License-Identifier: BSD-3-Clause
// MPI_Sendrecv and MPI_Sendrecv_replace: a receive and a send, both under way.
#include <cstddef>
#include <memory>
#include <new>

#include "own.hpp"
#include "waits.hpp"

namespace lazult::mpi {
namespace {

// The receive's error comes first, as its status is what the caller looks at. The send is waited for in any case: its buffer is
// the caller's.
int complete_both(MPI_Comm comm, MPI_Request& receive, MPI_Request& send, MPI_Status* status) {
    const int received = receive == MPI_REQUEST_NULL ? MPI_SUCCESS : complete_call(comm, receive, status);
    const int sent = complete_call(comm, send, MPI_STATUS_IGNORE);
    return received != MPI_SUCCESS ? received : sent;
}

// A receive that will not be matched any more.
void abandon(MPI_Request& request) {
    deep([&] { return PMPI_Cancel(&request); });
    complete_request(request, MPI_STATUS_IGNORE);
}

template <class Receive, class Send>
int exchange(MPI_Comm comm, Receive begin_receive, Send begin_send, MPI_Status* status) {
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
    if (const int code = deep([&] { return begin_receive(&receive); }); code != MPI_SUCCESS) {
        return code;
    }
    if (const int code = deep([&] { return begin_send(&send); }); code != MPI_SUCCESS) {
        abandon(receive);
        return code;
    }
    return complete_both(comm, receive, send, status);
}

// From nobody at once: MPICH 4.0.2 forgets the status of such a receive that is not blocking.
int start_receive(void* buf, int number, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Status* status, MPI_Request* request) {
    return source == MPI_PROC_NULL ? PMPI_Recv(buf, number, type, source, tag, comm, status)
                                   : PMPI_Irecv(buf, number, type, source, tag, comm, request);
}

// What is sent, while its buffer is received into.
class packed_copy {
public:
    int make(const void* buffer, int number, MPI_Datatype type, MPI_Comm comm) noexcept {
        int bytes = 0;
        if (const int code = PMPI_Pack_size(number, type, comm, &bytes); code != MPI_SUCCESS) {
            return code;
        }
        room_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes) + 1]);
        if (room_ == nullptr) {
            return PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM), MPI_ERR_NO_MEM;
        }
        return PMPI_Pack(buffer, number, type, room_.get(), bytes, &size_, comm);
    }
    const void* data() const noexcept { return room_.get(); }
    int size() const noexcept { return size_; }

private:
    std::unique_ptr<std::byte[]> room_;
    int size_ = 0;
};

}  // namespace

namespace own {

int Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
             MPI_Status* status) {
    if (!may_suspend()) {
        return deep([&] {
            return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                 source, recvtag, comm, status);
        });
    }
    return exchange(
        comm,
        [&](MPI_Request* r) {
            return start_receive(recvbuf, recvcount, recvtype, source, recvtag, comm, status, r);
        },
        [&](MPI_Request* r) { return PMPI_Isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, r); },
        status);
}

int Sendrecv_replace(void* buf, int number, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
    if (!may_suspend()) {
        return deep([&] {
            return PMPI_Sendrecv_replace(buf, number, type, dest, sendtag, source, recvtag, comm, status);
        });
    }
    packed_copy copy;
    if (const int code = deep([&] { return copy.make(buf, number, type, comm); }); code != MPI_SUCCESS) {
        return code;
    }
    return exchange(
        comm,
        [&](MPI_Request* r) { return start_receive(buf, number, type, source, recvtag, comm, status, r); },
        [&](MPI_Request* r) {
            return PMPI_Isend(copy.data(), copy.size(), MPI_PACKED, dest, sendtag, comm, r);
        },
        status);
}

}  // namespace own
}  // namespace lazult::mpi
