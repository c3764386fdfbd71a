! SPDX-License-Identifier: BSD-3-Clause
! The module `mpi`: the calls are those of mpif.h.
module bodies
  use mpi
  implicit none
  integer, parameter :: many = 500
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: ierr
    if (.not. holds) then
      print *, what, ' does not hold'
      call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
    end if
  end subroutine

  ! In reverse order on one stream: nobody gets on unless those that wait make way.
  subroutine exchange(i) bind(c)
    integer, intent(in) :: i
    integer :: ierr, rank, tag, value, status(MPI_STATUS_SIZE), n
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    if (mod(rank, 2) == 0) then
      call MPI_Ssend(3 * i, 1, MPI_INTEGER, ieor(rank, 1), i, MPI_COMM_WORLD, ierr)
      call expect(ierr == MPI_SUCCESS, 'a send')
    else
      tag = many + 1 - i
      call MPI_Recv(value, 1, MPI_INTEGER, ieor(rank, 1), tag, MPI_COMM_WORLD, status, ierr)
      call expect(value == 3 * tag, 'the value')
      call expect(status(MPI_TAG) == tag, 'the tag')
      call MPI_Get_count(status, MPI_INTEGER, n, ierr)
      call expect(n == 1, 'the count')
    end if
  end subroutine

  subroutine waits(i) bind(c)
    integer, intent(in) :: i
    integer :: ierr, rank, peer, values(3), requests(3), statuses(MPI_STATUS_SIZE, 3)
    integer :: index, k, done, indices(3)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    peer = ieor(rank, 1)
    if (mod(rank, 2) == 0) then
      do k = 3, 1, -1
        call MPI_Ssend(k, 1, MPI_INTEGER, peer, 1000 + 10 * i + k, MPI_COMM_WORLD, ierr)
      end do
      do k = 1, 3
        call MPI_Ssend(k, 1, MPI_INTEGER, peer, 10000 + 10 * i + k, MPI_COMM_WORLD, ierr)
      end do
      call MPI_Probe(peer, 30000 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(k, 1, MPI_INTEGER, peer, 30000 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call expect(k == i, 'the answer')
    else
      do k = 1, 3
        call MPI_Irecv(values(k), 1, MPI_INTEGER, peer, 1000 + 10 * i + k, MPI_COMM_WORLD, &
                       requests(k), ierr)
      end do
      do k = 3, 1, -1
        call MPI_Waitany(3, requests, index, MPI_STATUS_IGNORE, ierr)
        call expect(index >= 1 .and. index <= 3, 'one of three')
        call expect(values(index) == index, 'its value')
        call expect(requests(index) == MPI_REQUEST_NULL, 'null when done')
        values(index) = 0
      end do
      do k = 1, 3
        call MPI_Irecv(values(k), 1, MPI_INTEGER, peer, 10000 + 10 * i + k, MPI_COMM_WORLD, &
                       requests(k), ierr)
      end do
      call MPI_Waitsome(3, requests, done, indices, statuses, ierr)
      call expect(done >= 1 .and. done <= 3, 'some of three')
      do k = 1, done
        call expect(values(indices(k)) == indices(k), 'the value of one of some')
      end do
      call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
      call MPI_Ssend(i, 1, MPI_INTEGER, peer, 30000 + i, MPI_COMM_WORLD, ierr)
    end if
  end subroutine

  subroutine collectives(i) bind(c)
    integer, intent(in) :: i
    integer :: ierr, rank, ranks, total, word, twin, half, color, dims(1), coords(1)
    integer :: room(300), guards(4), bytes, length
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    logical :: periods(1)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierr)
    call MPI_Barrier(twin, ierr)
    total = rank
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, twin, ierr)
    call expect(total == ranks * (ranks - 1) / 2, 'the sum')
    word = merge(4711, 0, rank == 0)
    call MPI_Bcast(word, 1, MPI_INTEGER, 0, twin, ierr)
    call expect(word == 4711, 'the word')
    color = mod(rank, 2)
    call MPI_Comm_split(twin, color, rank, half, ierr)
    call MPI_Barrier(half, ierr)
    call MPI_Comm_free(half, ierr)
    periods(1) = .true.
    call MPI_Cart_create(twin, 1, [ranks], periods, .false., half, ierr)
    call MPI_Cart_get(half, 1, dims, periods, coords, ierr)
    call expect(periods(1), 'a ring is periodic')
    call MPI_Comm_free(half, ierr)
    call MPI_Comm_free(twin, ierr)
    guards = 7
    call MPI_Buffer_attach(room, 1200, ierr)
    call MPI_Buffer_detach(guards(2), bytes, ierr)  ! whose first argument is not used in Fortran
    call MPI_Get_library_version(version, length, ierr)  ! MPICH 4.0.2's own binding writes there
    call expect(all(guards == 7) .or. version(1:5) == 'MPICH', &
                'what MPI does not use is left alone')
    call expect(bytes == 1200, 'the size of the buffer')
  end subroutine

  ! What a failed call does not set stays as it was, and what MPI ignores is not read.
  subroutine failures(i) bind(c)
    integer, intent(in) :: i
    integer :: ierr, rank, ranks, half, done, unused, k, length
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: requests(2), indices(2), statuses(MPI_STATUS_SIZE, 2)
    integer, allocatable :: words(:), counts(:), places(:), types(:)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    half = 4711
    call MPI_Comm_split(MPI_COMM_NULL, 0, rank, half, ierr)
    call expect(ierr /= MPI_SUCCESS, 'the error of a split of nothing')
    call expect(half == 4711, 'the communicator that was not made')
    done = 2
    indices = 7
    requests = MPI_REQUEST_NULL
    call MPI_Waitsome(-1, requests, done, indices, statuses, ierr)
    call expect(ierr /= MPI_SUCCESS, 'the error of a negative count')
    call MPI_Get_library_version(version, length, ierr)  ! MPICH 4.0.2's own binding counts them up
    call expect(all(indices == 7) .or. version(1:5) == 'MPICH', 'indices that were not set')
    allocate(words(ranks), counts(ranks), places(ranks), types(ranks))
    words = [(rank * 100 + k, k = 0, ranks - 1)]
    counts = 1
    places = [(4 * k, k = 0, ranks - 1)]
    types = MPI_INTEGER
    unused = i
    call MPI_Alltoallw(MPI_IN_PLACE, [unused], [unused], [unused], words, counts, places, types, &
                       MPI_COMM_WORLD, ierr)
    call expect(ierr == MPI_SUCCESS, 'an exchange in place')
    call expect(all(words == [(k * 100 + rank, k = 0, ranks - 1)]), 'what was exchanged in place')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
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
  integer :: ierr
  call MPI_Init(ierr)
  call in_units(c_funloc(exchange), many)
  call in_units(c_funloc(waits), 20)
  call in_units(c_funloc(collectives), 1)
  call in_units(c_funloc(failures), 1)
  call MPI_Finalize(ierr)
end program
