// SPDX-License-Identifier: BSD-3-Clause
// MPI_Sendrecv and MPI_Sendrecv_replace, by a nonblocking receive and a nonblocking send.
#include <cstddef>
#include <memory>
#include <new>

#include "abi/own.hpp"
#include "model/door.hpp"
#include "model/waits.hpp"

namespace lazult::mpi {
namespace {

// Waits for both requests, also if one fails, because the caller may then reuse both buffers.
// Returns the receive's error first, because the caller looks at the receive's status.
template <call_name name, class Receive, class Send>
LAZULT_ALWAYS_INLINE int complete_both(MPI_Comm comm, const Receive& begin_receive,
                                       const Send& begin_send, MPI_Request& receive,
                                       MPI_Request& send, MPI_Status* status) {
    const int received = receive == MPI_REQUEST_NULL
                             ? MPI_SUCCESS
                             : complete_call<name>(comm, begin_receive, receive, status);
    const int sent = complete_call<name>(comm, begin_send, send, MPI_STATUS_IGNORE);
    return received != MPI_SUCCESS ? received : sent;
}

// Cancels a receive whose send could not start, and waits until the receive has ended.
void abandon(MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) {
        return;
    }
    deep([&] { return PMPI_Cancel(&request); });
    complete_request<"MPI_Sendrecv">(request, MPI_STATUS_IGNORE);
}

template <call_name name, class Receive, class Send>
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
    return complete_both<name>(comm, begin_receive, begin_send, receive, send, status);
}

// MPI's functions for one type of counts. Those for large counts have the same names with "_c"
// behind.
#define LAZULT_CALLS_FOR_COUNTS(name, type, suffix)                             \
    struct name {                                                               \
        using count = type;                                                     \
        static constexpr auto irecv = PMPI_Irecv##suffix;                       \
        static constexpr auto isend = PMPI_Isend##suffix;                       \
        static constexpr auto recv = PMPI_Recv##suffix;                         \
        static constexpr auto sendrecv = PMPI_Sendrecv##suffix;                 \
        static constexpr auto sendrecv_replace = PMPI_Sendrecv_replace##suffix; \
        static constexpr auto pack_size = PMPI_Pack_size##suffix;               \
        static constexpr auto pack = PMPI_Pack##suffix;                         \
    }
LAZULT_CALLS_FOR_COUNTS(small_counts, int, );
#if MPI_VERSION >= 4
LAZULT_CALLS_FOR_COUNTS(large_counts, MPI_Count, _c);
#endif

template <class Counts>
struct message_parts {
    typename Counts::count number;
    MPI_Datatype type;
    int peer;
    int tag;
    MPI_Comm comm;
};

// Starts a receive. From MPI_PROC_NULL it makes the blocking receive, which returns at once,
// because MPICH 4.0.2 does not fill in the status of a nonblocking one.
template <class Counts>
int start_receive(void* buf, const message_parts<Counts>& of, MPI_Status* status,
                  MPI_Request* request) {
    return of.peer == MPI_PROC_NULL
               ? Counts::recv(buf, of.number, of.type, of.peer, of.tag, of.comm, status)
               : Counts::irecv(buf, of.number, of.type, of.peer, of.tag, of.comm, request);
}

template <class Counts>
auto receiving(void* buf, const message_parts<Counts>& of, MPI_Status* status) noexcept {
    return [buf, &of, status](auto request) {
        if constexpr (asks_place<decltype(request)>) {
            return message_from{of.peer, of.tag};
        } else {
            return start_receive(buf, of, status, request);
        }
    };
}

template <class Counts>
auto sending(const void* buf, typename Counts::count number, MPI_Datatype type,
             const message_parts<Counts>& of) noexcept {
    return [buf, number, type, &of](auto request) {
        if constexpr (asks_place<decltype(request)>) {
            return message_to{of.peer, of.tag};
        } else {
            return Counts::isend(buf, number, type, of.peer, of.tag, of.comm, request);
        }
    };
}

// A packed copy of the data to send, because the receive writes to the same buffer.
template <class Counts>
class packed_copy {
public:
    int make(const void* buffer, const message_parts<Counts>& of) noexcept {
        typename Counts::count bytes = 0;
        if (const int code = Counts::pack_size(of.number, of.type, of.comm, &bytes);
            code != MPI_SUCCESS) {
            return code;
        }
        bytes_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes) + 1]);
        if (bytes_ == nullptr) {
            return PMPI_Comm_call_errhandler(of.comm, MPI_ERR_NO_MEM), MPI_ERR_NO_MEM;
        }
        return Counts::pack(buffer, of.number, of.type, bytes_.get(), bytes, &size_, of.comm);
    }
    const void* data() const noexcept { return bytes_.get(); }
    typename Counts::count size() const noexcept { return size_; }

private:
    std::unique_ptr<std::byte[]> bytes_;
    typename Counts::count size_ = 0;
};

template <class Counts>
int send_and_receive(const void* sendbuf, const message_parts<Counts>& out, void* recvbuf,
                     const message_parts<Counts>& in, MPI_Status* status) {
    if (!may_suspend()) {
        return deep([&] {
            return Counts::sendrecv(sendbuf, out.number, out.type, out.peer, out.tag, recvbuf,
                                    in.number, in.type, in.peer, in.tag, in.comm, status);
        });
    }
    return exchange<"MPI_Sendrecv">(in.comm, receiving(recvbuf, in, status),
                                    sending(sendbuf, out.number, out.type, out), status);
}

template <class Counts>
int replace(void* buf, const message_parts<Counts>& out, const message_parts<Counts>& in,
            MPI_Status* status) {
    if (!may_suspend()) {
        return deep([&] {
            return Counts::sendrecv_replace(buf, in.number, in.type, out.peer, out.tag, in.peer,
                                            in.tag, in.comm, status);
        });
    }
    packed_copy<Counts> copy;
    if (const int code = deep([&] { return copy.make(buf, out); }); code != MPI_SUCCESS) {
        return code;
    }
    return exchange<"MPI_Sendrecv_replace">(in.comm, receiving(buf, in, status),
                                            sending(copy.data(), copy.size(), MPI_PACKED, out),
                                            status);
}

}  // namespace

namespace own {

int Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status) {
    return send_and_receive<small_counts>(sendbuf, {sendcount, sendtype, dest, sendtag, comm},
                                          recvbuf, {recvcount, recvtype, source, recvtag, comm},
                                          status);
}

int Sendrecv_replace(void* buf, int number, MPI_Datatype type, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status) {
    return replace<small_counts>(buf, {number, type, dest, sendtag, comm},
                                 {number, type, source, recvtag, comm}, status);
}

#if MPI_VERSION >= 4
int Sendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status) {
    return send_and_receive<large_counts>(sendbuf, {sendcount, sendtype, dest, sendtag, comm},
                                          recvbuf, {recvcount, recvtype, source, recvtag, comm},
                                          status);
}

int Sendrecv_replace(void* buf, MPI_Count number, MPI_Datatype type, int dest, int sendtag,
                     int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    return replace<large_counts>(buf, {number, type, dest, sendtag, comm},
                                 {number, type, source, recvtag, comm}, status);
}
#endif

}  // namespace own
}  // namespace lazult::mpi
