# SPDX-License-Identifier: BSD-3-Clause
# Every MPI that has a compiler wrapper here: lazult_mpis lists their names, lazult_mpi_<name> carries what a program needs,
# and lazult_mpi_<name>_launch starts one with the number of ranks that is appended. Types differ between MPIs, so what
# uses one is built once for each.

option(LAZULT_MPI "Build what needs MPI, once for each MPI that is found" ON)

set(lazult_mpis "")

# lazult_find_mpi(NAME WRAPPER LAUNCHER...): the wrapper prints the compiler's command line when it is told -show.
function(lazult_find_mpi name wrapper launcher)
    find_program(LAZULT_MPICC_${name} ${wrapper})
    find_program(LAZULT_MPIEXEC_${name} ${launcher})
    mark_as_advanced(LAZULT_MPICC_${name} LAZULT_MPIEXEC_${name})
    if(NOT LAZULT_MPICC_${name} OR NOT LAZULT_MPIEXEC_${name})
        return()
    endif()
    execute_process(COMMAND ${LAZULT_MPICC_${name}} -show
        OUTPUT_VARIABLE line RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed)
        message(STATUS "${wrapper} -show fails: ${name} is left out")
        return()
    endif()
    separate_arguments(words UNIX_COMMAND "${line}")
    set(includes ${words})
    list(FILTER includes INCLUDE REGEX "^-I")
    list(TRANSFORM includes REPLACE "^-I" "")
    set(links ${words})
    list(FILTER links INCLUDE REGEX "^-[lL]")
    add_library(lazult_mpi_${name} INTERFACE)
    target_include_directories(lazult_mpi_${name} SYSTEM INTERFACE ${includes})
    target_link_libraries(lazult_mpi_${name} INTERFACE ${links})
    # The C bindings only.
    target_compile_definitions(lazult_mpi_${name} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
    set(lazult_mpi_${name}_launch ${LAZULT_MPIEXEC_${name}} ${ARGN} -n PARENT_SCOPE)
    set(lazult_mpis ${lazult_mpis} ${name} PARENT_SCOPE)
    message(STATUS "MPI: ${name} (${LAZULT_MPICC_${name}})")
endfunction()

if(LAZULT_MPI)
    # More ranks than processors, which then must give way; one-sided calls through shared memory.
    lazult_find_mpi(openmpi mpicc.openmpi mpiexec.openmpi
        --oversubscribe --bind-to none --mca osc sm --mca mpi_yield_when_idle 1)
    lazult_find_mpi(mpich mpicc.mpich mpiexec.mpich)
endif()
# Open MPI refuses to run as root, as containers do, unless it is told so twice.
set(lazult_mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
