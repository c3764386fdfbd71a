# SPDX-License-Identifier: BSD-3-Clause
# lazult_add_concert_app(NAME PROGRAM CORE SOURCE...): the version over ranks of a program, once for
# each MPI: bin/openmpi/PROGRAM, bin/mpich/PROGRAM. It is made of the folder's files and of CORE.
# SOURCE... call MPI. All else is compiled once.
function(lazult_add_concert_app name program core)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE on_ranks)
    list(REMOVE_ITEM sources ${on_ranks})
    set(libraries ${core} lazult_test_warnings fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
    add_library(${name}_common OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${name}_common PRIVATE concert_headers ${libraries})
    lazult_reuse_precompiled(${name}_common lazult_user_precompiled)
    set_source_files_properties(main.cpp PROPERTIES  # the command line
        COMPILE_OPTIONS "-g1;${lazult_light_optimisation}"
        SKIP_PRECOMPILE_HEADERS ON)
    foreach(mpi IN LISTS lazult_mpis)
        set(target ${name}_${mpi})
        add_executable(${target} ${on_ranks} $<TARGET_OBJECTS:${name}_common>)
        set_target_properties(${target} PROPERTIES
            OUTPUT_NAME ${program}
            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${mpi})
        target_link_libraries(${target} PRIVATE concert_${mpi} lazult_mpi_${mpi} ${libraries})
        lazult_reuse_precompiled(${target} lazult_user_precompiled)
    endforeach()
endfunction()
