! SPDX-License-Identifier: BSD-3-Clause
! The module `mpi_f08`.
module bodies
  use mpi_f08
  implicit none
  integer, parameter :: many = 500
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print *, what, ' does not hold'
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine

  subroutine exchange(i) bind(c)
    integer, intent(in) :: i
    integer :: rank, tag
    integer, asynchronous :: value
    type(MPI_Status) :: status
    type(MPI_Request) :: request, both(2)
    integer :: index
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (mod(rank, 2) == 0) then
      call MPI_Ssend(3 * i, 1, MPI_INTEGER, ieor(rank, 1), i, MPI_COMM_WORLD)
      call MPI_Ssend(5 * i, 1, MPI_INTEGER, ieor(rank, 1), many + i, MPI_COMM_WORLD)
      call MPI_Ssend(7 * i, 1, MPI_INTEGER, ieor(rank, 1), 2 * many + i, MPI_COMM_WORLD)
    else
      tag = many + 1 - i
      call MPI_Probe(ieor(rank, 1), tag, MPI_COMM_WORLD, status)
      call expect(status%MPI_TAG == tag, 'the probed tag')
      call MPI_Recv(value, 1, MPI_INTEGER, ieor(rank, 1), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call expect(value == 3 * tag, 'the value')
      call MPI_Irecv(value, 1, MPI_INTEGER, ieor(rank, 1), many + tag, MPI_COMM_WORLD, request)
      call MPI_Wait(request, status)
      call expect(value == 5 * tag, 'the second value')
      call expect(status%MPI_SOURCE == ieor(rank, 1), 'the source')
      both(1) = MPI_REQUEST_NULL
      call MPI_Irecv(value, 1, MPI_INTEGER, ieor(rank, 1), 2 * many + tag, MPI_COMM_WORLD, both(2))
      call MPI_Waitany(2, both, index, MPI_STATUS_IGNORE)
      call expect(index == 2 .and. value == 7 * tag, 'the third value')
    end if
  end subroutine

  subroutine collectives(i) bind(c)
    integer, intent(in) :: i
    integer :: rank, ranks, total, ierr
    type(MPI_Comm) :: twin
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Comm_dup(MPI_COMM_WORLD, twin)
    call MPI_Barrier(twin, ierr)
    call expect(ierr == MPI_SUCCESS, 'a barrier')
    total = rank
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, twin)
    call expect(total == ranks * (ranks - 1) / 2, 'the sum')
    call MPI_Comm_free(twin)
  end subroutine
end module

program main
  use bodies
  use iso_c_binding
  implicit none
  interface
    subroutine in_units(body, n) bind(c)
      import
      type(c_funptr), value :: body
      integer, intent(in) :: n
    end subroutine
  end interface
  call MPI_Init()
  call in_units(c_funloc(exchange), many)
  call in_units(c_funloc(collectives), 1)
  call MPI_Finalize()
end program
