// SPDX-License-Identifier: BSD-3-Clause
// The MPI calls that are written by hand. Each does what the MPI call of its name does.
#pragma once

#include "library/mpi_api.hpp"

namespace lazult::mpi::own {

int Init(int* argc, char*** argv);
int Init_thread(int* argc, char*** argv, int required, int* provided);
int Finalize();

int Wait(MPI_Request* request, MPI_Status* status);
int Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status);
int Waitsome(int count, MPI_Request requests[], int* outcount, int indices[],
             MPI_Status statuses[]);

int Probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);

int Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status);
int Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status);
#if MPI_VERSION >= 4  // with large counts
int Sendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status);
int Sendrecv_replace(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                     int source, int recvtag, MPI_Comm comm, MPI_Status* status);
#endif

int Win_wait(MPI_Win win);

int Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler);
int Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);  // MPI 1's name for the first
int Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler);

}  // namespace lazult::mpi::own
