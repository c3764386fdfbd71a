# SPDX-License-Identifier: BSD-3-Clause
# The MPI libraries that are here: Open MPI and MPICH, side by side if both are. What uses MPI is
# built once for each, as handles differ:
#   lazult_mpis                the names of those that were found: openmpi, mpich
#   lazult_mpi_<name>          an INTERFACE target: where mpi.h is, and what to link
#   lazult_mpi_<name>_launch   starts a program with the number of ranks that is appended; empty
#                              without a launcher
#   lazult_mpi_launchers       all of them in one word: "openmpi=words of its launcher|mpich=..."
#   lazult_mpi_environment     for tests

option(LAZULT_MPI "Build what needs MPI, once for each MPI that is found" ON)
set(lazult_mpis "")
set(lazult_mpi_launchers "")
# Open MPI refuses to run as root, as containers do, unless it is told so twice.
set(lazult_mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
# More ranks than processors, which then must give way; one-sided calls through shared memory.
set(lazult_mpi_openmpi_options
    --oversubscribe --bind-to none --mca osc sm --mca mpi_yield_when_idle 1)
set(lazult_mpi_mpich_options "")

# lazult_find_mpi_family(RESULT WRAPPER): what its mpi.h says; nothing for an MPI that is neither.
function(lazult_find_mpi_family result wrapper)
    set(source ${PROJECT_BINARY_DIR}/mpi_family.c)
    file(WRITE ${source} "#include <mpi.h>\n")
    execute_process(COMMAND ${wrapper} -E -dM ${source}
        OUTPUT_VARIABLE macros RESULT_VARIABLE failed ERROR_QUIET)
    set(${result} "" PARENT_SCOPE)
    if(NOT failed AND macros MATCHES "#define OPEN_MPI ")
        set(${result} openmpi PARENT_SCOPE)
    elseif(NOT failed AND macros MATCHES "#define MPICH_VERSION ")
        set(${result} mpich PARENT_SCOPE)
    endif()
endfunction()

# lazult_find_mpi_launcher(NAME WRAPPER PROGRAM...): beside its compiler first.
function(lazult_find_mpi_launcher name wrapper)
    string(TOUPPER ${name} upper)
    cmake_path(GET wrapper PARENT_PATH folder)
    find_program(LAZULT_MPIEXEC_${upper} NAMES ${ARGN} NAMES_PER_DIR HINTS ${folder}
        DOC "Starts programs of ${name}; NO for none")
    mark_as_advanced(LAZULT_MPIEXEC_${upper})
    set(launch "")
    if(LAZULT_MPIEXEC_${upper})
        set(launch ${LAZULT_MPIEXEC_${upper}} ${lazult_mpi_${name}_options} -n)
        list(JOIN launch " " words)
        set(lazult_mpi_launchers "${lazult_mpi_launchers}${name}=${words}|" PARENT_SCOPE)
    else()
        message(STATUS "MPI: ${name} has no launcher (LAZULT_MPIEXEC_${upper}): "
            "its tests and benchmarks are left out")
    endif()
    set(lazult_mpi_${name}_launch ${launch} PARENT_SCOPE)
endfunction()

# lazult_find_mpi_folders(RESULT -L... -l...): those of its libraries where the loader does not look
# by itself. What is installed for the linker may be links to them.
function(lazult_find_mpi_folders result)
    set(folders ${ARGN})
    list(FILTER folders INCLUDE REGEX "^-L")
    list(TRANSFORM folders REPLACE "^-L" "")
    set(names ${ARGN})
    list(FILTER names INCLUDE REGEX "^-l")
    list(TRANSFORM names REPLACE "^-l" "")
    set(found "")
    foreach(name IN LISTS names)
        find_library(library ${name} PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
        if(library)
            file(REAL_PATH ${library} library)
            cmake_path(GET library PARENT_PATH folder)
            list(APPEND found ${folder})
        endif()
        unset(library)
    endforeach()
    list(REMOVE_DUPLICATES found)
    list(REMOVE_ITEM found ${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES})
    set(${result} "${found}" PARENT_SCOPE)
endfunction()

# lazult_add_mpi(NAME WRAPPER LAUNCHER...): the wrapper prints the compiler's command line when it
# is told -show.
function(lazult_add_mpi name wrapper)
    execute_process(COMMAND ${wrapper} -show
        OUTPUT_VARIABLE line RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed)
        message(STATUS "MPI: ${wrapper} -show fails: ${name} is left out")
        return()
    endif()
    separate_arguments(includes UNIX_COMMAND "${line}")
    set(links ${includes})
    list(FILTER includes INCLUDE REGEX "^-I")
    list(TRANSFORM includes REPLACE "^-I" "")
    list(FILTER links INCLUDE REGEX "^-[lL]")
    lazult_find_mpi_folders(folders ${links})
    add_library(lazult_mpi_${name} INTERFACE)
    target_include_directories(lazult_mpi_${name} SYSTEM INTERFACE ${includes})
    target_link_libraries(lazult_mpi_${name} INTERFACE ${links})
    target_link_options(lazult_mpi_${name} INTERFACE
        "$<$<BOOL:${folders}>:LINKER:-rpath,$<JOIN:${folders},:>>")
    # The C bindings only.
    target_compile_definitions(lazult_mpi_${name} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
    lazult_find_mpi_launcher(${name} ${wrapper} ${ARGN})
    set(lazult_mpi_${name}_launch ${lazult_mpi_${name}_launch} PARENT_SCOPE)
    set(lazult_mpi_launchers ${lazult_mpi_launchers} PARENT_SCOPE)
    set(lazult_mpis ${lazult_mpis} ${name} PARENT_SCOPE)
    message(STATUS "MPI: ${name} (${wrapper})")
endfunction()

set(lazult_mpi_wanted FALSE)
if(LAZULT_MPI AND NOT CMAKE_CROSSCOMPILING AND (LAZULT_DOORS OR LAZULT_APPS OR LAZULT_TOOLS))
    set(lazult_mpi_wanted TRUE)
endif()
if(lazult_mpi_wanted)
    find_program(LAZULT_MPICC_OPENMPI mpicc.openmpi DOC "Open MPI's C compiler; NO for none")
    find_program(LAZULT_MPICC_MPICH mpicc.mpich DOC "MPICH's C compiler; NO for none")
    find_program(LAZULT_MPICC mpicc
        DOC "A C compiler of one of the two, where they have no names of their own; NO for none")
    mark_as_advanced(LAZULT_MPICC_OPENMPI LAZULT_MPICC_MPICH LAZULT_MPICC)
    if(LAZULT_MPICC AND NOT LAZULT_MPICC_OPENMPI AND NOT LAZULT_MPICC_MPICH)
        lazult_find_mpi_family(family ${LAZULT_MPICC})
        if(family)
            string(TOUPPER ${family} upper)
            set(LAZULT_MPICC_${upper} ${LAZULT_MPICC})
        else()
            message(STATUS
                "MPI: ${LAZULT_MPICC} compiles for neither Open MPI nor MPICH: it is left out")
        endif()
    endif()
    if(LAZULT_MPICC_OPENMPI)
        lazult_add_mpi(openmpi ${LAZULT_MPICC_OPENMPI} mpiexec.openmpi mpiexec mpirun)
    endif()
    if(LAZULT_MPICC_MPICH)
        lazult_add_mpi(mpich ${LAZULT_MPICC_MPICH} mpiexec.mpich mpiexec.hydra mpiexec)
    endif()
endif()
if(lazult_mpi_wanted AND NOT lazult_mpis)
    message(STATUS "MPI: none found: what needs it is left out")
endif()

# lazult_skip_mpi_tests(LABEL): a test that says why there are no others.
function(lazult_skip_mpi_tests label)
    string(CONCAT reason "skipped: this build found no MPI with a launcher; install "
        "openmpi-bin libopenmpi-dev or mpich libmpich-dev, configure again")
    add_test(NAME ${label}.skipped COMMAND ${CMAKE_COMMAND} -E echo "${reason}")
    set_tests_properties(${label}.skipped PROPERTIES
        LABELS ${label} SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
