/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked, and not started: ranks are tested elsewhere. */
int MPI_Init(int* argc, char*** argv);

int main(int argc, char** argv) { return MPI_Init(&argc, &argv); }
