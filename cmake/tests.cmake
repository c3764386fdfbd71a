# SPDX-License-Identifier: BSD-3-Clause
# tests/<floor>/**/*.cpp becomes <floor>_test, every GoogleTest case a ctest of its own;
# examples/*.cpp are programs that must exit 0; tests/**/*_test.py are scripts that must.

include(GoogleTest)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

if(LAZULT_GTEST_SOURCE)
    # Cross-compiled: the archive that Debian ships would not fit.
    set(INSTALL_GTEST OFF)
    set(gtest_disable_pthreads OFF)
    add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
    set(lazult_gtest gmock gtest_main)
else()
    lazult_require(GTest "libgtest-dev libgmock-dev" LAZULT_TESTS)
    if(NOT TARGET GTest::gmock)
        message(FATAL_ERROR "GTest is there without gmock, which LAZULT_TESTS needs: "
            "install it (Debian: libgmock-dev), or configure with -DLAZULT_TESTS=OFF")
    endif()
    set(lazult_gtest GTest::gmock GTest::gtest_main)
endif()

find_program(LAZULT_SYMBOLIZER NAMES llvm-symbolizer-19 llvm-symbolizer)
mark_as_advanced(LAZULT_SYMBOLIZER)
if(LAZULT_SYMBOLIZER)
    set(lazult_symbolizer ":external_symbolizer_path=${LAZULT_SYMBOLIZER}")
endif()
if(LAZULT_SANITIZE STREQUAL "address")
    set(lazult_test_environment
        "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_init_order=1${lazult_symbolizer}"
        "UBSAN_OPTIONS=print_stacktrace=1${lazult_symbolizer}")
elseif(LAZULT_SANITIZE STREQUAL "thread")
    # Left to itself, it sleeps for a second at the exit of a process that has other threads, lest
    # it miss what they still do: that is most of the time of most tests. And it takes no note of
    # synchronisation in a child process whose parent had several threads, among which it counts
    # stacks: what is expected to die is a process begun anew.
    string(CONCAT lazult_test_environment
        "TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=50:second_deadlock_stack=1"
        ":suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp${lazult_symbolizer}")
    set(lazult_death_style ENVIRONMENT_MODIFICATION GTEST_DEATH_TEST_STYLE=set:threadsafe)
elseif(LAZULT_SANITIZE STREQUAL "checker")
    # With two, ULTs would be sent to main's stream, which some tests block.
    set(lazult_test_environment LAZULT_STREAMS=3)
endif()

# MPI libraries leak a little, and unload the modules that did, so that nobody can tell whose leaks
# they are; what UCX does to the functions that sanitizers replace ends in a crash. ThreadSanitizer
# does not see how they synchronise.
set(lazult_mpi_test_environment ${lazult_mpi_environment} ${lazult_test_environment})
if(LAZULT_SANITIZE STREQUAL "address")
    list(TRANSFORM lazult_mpi_test_environment REPLACE "^(ASAN_OPTIONS=)" "\\1detect_leaks=0:")
elseif(LAZULT_SANITIZE STREQUAL "thread")
    list(TRANSFORM lazult_mpi_test_environment
        REPLACE "^(TSAN_OPTIONS=)" "\\1ignore_noninstrumented_modules=1:")
endif()
if(LAZULT_SANITIZE)
    list(APPEND lazult_mpi_test_environment
        UCX_MEM_EVENTS=no UCX_MEM_MMAP_HOOK_MODE=none UCX_HANDLE_ERRORS=none)
endif()

add_library(lazult_test_base INTERFACE)
target_link_libraries(lazult_test_base INTERFACE
    lazult_internal lazult_test_warnings ${lazult_gtest})
# The tests are programs of users then: docs/thread-locals.md. The library is as ever.
if(LAZULT_SANITIZE STREQUAL "checker")
    target_link_libraries(lazult_test_base INTERFACE
        checker_objects $<TARGET_OBJECTS:checker_objects>)
    target_compile_options(lazult_test_base INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread;-DLAZULT_TSAN=0>)
endif()

lazult_precompile_for(lazult_test_precompiled "<gtest/gtest.h>;${lazult_common_internal}"
    lazult_test_base ${lazult_light_optimisation})
# Tests of what users write, and those that run for long.
set(lazult_usual_floors api model stress)
lazult_precompile_for(lazult_usual_test_precompiled "<gtest/gtest.h>;${lazult_common_internal}"
    lazult_test_base ${lazult_usual_optimisation})
# Of tests that see what users see.
lazult_precompile_for(lazult_user_test_precompiled "<gtest/gtest.h>;${lazult_common_public}"
    "lazult;lazult_test_warnings;${lazult_gtest}" ${lazult_light_optimisation})
# They set for themselves what headers ask for.
set_source_files_properties(tests/base/misuse_test.cpp tests/base/release_assert_test.cpp PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)

# Ordinary code: compiled as the page that it tests says, and not as the rest of the build.
set_source_files_properties(
    tests/api/errno_test.cpp tests/api/staying_pool_test.cpp
    tests/api/started_units_stay_test.cpp PROPERTIES
    COMPILE_OPTIONS -O2
    SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)

# A test that has two streams of its own asks for two processors, lest its neighbours disturb what
# it measures.
set(lazult_parallel_floors watch sched sync io api stress conformance apps argobots)
set(lazult_long_floors model stress conformance)

function(lazult_time_limit floor result)
    set(times 1)
    if(floor IN_LIST lazult_long_floors)
        set(times 4)
    endif()
    math(EXPR seconds "${times} * ${LAZULT_TEST_SECONDS} * ${LAZULT_TEST_TIMEOUT_FACTOR}")
    set(${result} ${seconds} PARENT_SCOPE)
endfunction()

# lazult_add_shards(TARGET FLOOR FILTER): what the emulator takes to start a program is most of what
# hundreds of short cases of one suite take, so there they share four processes.
function(lazult_add_shards target floor filter)
    lazult_time_limit(${floor} limit)
    string(REGEX REPLACE "[^a-z_]" "" suite ${filter})
    foreach(shard RANGE 3)
        set(test ${floor}.${suite}_shard_${shard})
        add_test(NAME ${test} COMMAND ${target} --gtest_filter=${filter})
        set(environment GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=${shard} ${lazult_test_environment})
        set_tests_properties(${test} PROPERTIES
            LABELS ${floor} TIMEOUT ${limit} ENVIRONMENT "${environment}")
    endforeach()
endfunction()

# Of the model checker's, each of a minute or two: in `make test-deep` only.
set(lazult_deep_models push_places_model.needs_every_order team_barrier_model.needs_every_order
    sync_mutex_model.a_loser_leaves_no_wake_up_behind)

# lazult_discover(TARGET FLOOR): each of its GoogleTest cases becomes a ctest.
function(lazult_discover target floor)
    if(floor IN_LIST lazult_usual_floors)
        target_compile_options(${target} PRIVATE ${lazult_usual_optimisation})
    else()
        target_compile_options(${target} PRIVATE ${lazult_light_optimisation})
    endif()
    lazult_time_limit(${floor} limit)
    set(processors 1)
    if(floor IN_LIST lazult_parallel_floors)
        set(processors 2)
    endif()
    set(chosen "")
    if(CMAKE_CROSSCOMPILING AND floor STREQUAL "core")
        set(chosen TEST_FILTER -*/technique_test.*)
        lazult_add_shards(${target} ${floor} */technique_test.*)
    endif()
    if(floor STREQUAL "model")
        list(JOIN lazult_deep_models : slow)
        set(chosen TEST_FILTER -${slow})
    endif()
    # PRE_TEST: a program that crashes when it lists its tests must fail the tests and not the
    # build.
    gtest_discover_tests(${target}
        ${chosen}
        TEST_PREFIX ${floor}.
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        PROPERTIES
            LABELS ${floor}
            TIMEOUT ${limit}
            PROCESSORS ${processors}
            ${lazult_death_style}
            ENVIRONMENT "${lazult_test_environment}")
endfunction()

function(lazult_add_floor_test floor)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/tests/${floor}/*.cpp
        ${PROJECT_SOURCE_DIR}/tests/${floor}/*.S)
    if(floor STREQUAL "core")  # what holds registers in the tests of arch holds them here
        file(GLOB held CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/arch/*/registers.S)
        list(APPEND sources ${held})
    endif()
    # operator new that refuses what a test wants refused. The library of ThreadSanitizer lets
    # nobody replace its own.
    if(floor MATCHES "^(core|watch|sched)$")
        if(LAZULT_SANITIZE STREQUAL "thread")
            list(FILTER sources EXCLUDE REGEX "/out_of_memory_test\\.cpp$")
        else()
            list(APPEND sources ${PROJECT_SOURCE_DIR}/tests/support/scarce_new.cpp)
            # A compiler that saw it beside a test would put free() in place of delete, and warn
            # that new and free() do not match.
            set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/support/scarce_new.cpp
                PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        endif()
    endif()
    lazult_drop_other_architectures(sources)
    if(NOT sources)
        return()
    endif()
    set(target ${floor}_test)
    add_executable(${target} ${sources})
    target_link_libraries(${target} PRIVATE lazult_test_base)
    if(TARGET ${floor}_test_in_c)
        target_link_libraries(${target} PRIVATE ${floor}_test_in_c)
    endif()
    if(floor STREQUAL "model")  # the templates of a door's rooms
        target_include_directories(${target} PRIVATE
            ${PROJECT_SOURCE_DIR}/doors/concert/src ${PROJECT_SOURCE_DIR}/doors/posix/src)
    else()  # models of different structures have the same names
        lazult_unite(${target})
    endif()
    # ThreadSanitizer looks into ds in this program alone, so its flags are others.
    if(LAZULT_SANITIZE STREQUAL "thread" AND floor STREQUAL "ds")
        lazult_precompile(${target} <gtest/gtest.h> ${lazult_common_internal})
    elseif(floor IN_LIST lazult_usual_floors)
        lazult_reuse_precompiled(${target} lazult_usual_test_precompiled)
    else()
        lazult_reuse_precompiled(${target} lazult_test_precompiled)
    endif()
    lazult_discover(${target} ${floor})
endfunction()

# lazult_add_part_in_c(FLOOR): its files in C, for users of that language. A library of its own,
# because the precompiled headers of the others are C++.
function(lazult_add_part_in_c floor)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${floor}/*.c)
    add_library(${floor}_test_in_c STATIC ${sources})
    target_include_directories(${floor}_test_in_c PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(${floor}_test_in_c PRIVATE -Wall -Wextra -Wpedantic ${lazult_werror})
    set_target_properties(${floor}_test_in_c PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
endfunction()

# tests/apps/*.cpp tests the libraries of apps/ as a user would: on the shared library.
function(lazult_add_app_tests)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/apps/*.cpp)
    if(NOT sources OR NOT TARGET kmeans_core OR NOT TARGET cedar_core)
        return()
    endif()
    add_executable(apps_test ${sources})
    target_link_libraries(apps_test PRIVATE
        kmeans_core radiosity_core cedar_core lazult lazult_test_warnings ${lazult_gtest})
    lazult_reuse_precompiled(apps_test lazult_user_test_precompiled)
    lazult_discover(apps_test apps)
endfunction()

# lazult_add_program_test(NAME TARGET LABEL): runs a built program, under the emulator where there
# is one.
function(lazult_add_program_test name target label)
    add_test(NAME ${name} COMMAND ${target})
    lazult_time_limit(${label} limit)
    set_tests_properties(${name} PROPERTIES
        LABELS ${label}
        TIMEOUT ${limit}
        PROCESSORS 2
        ENVIRONMENT "${lazult_test_environment}")
endfunction()

function(lazult_add_example name source)
    add_executable(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(example_${name} PRIVATE lazult lazult_test_warnings)
    lazult_reuse_precompiled(example_${name} lazult_user_precompiled)
    lazult_add_program_test(examples.${name} example_${name} examples)
endfunction()

function(lazult_add_examples)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM name)
        lazult_add_example(${name} ${source})
    endforeach()
    if(EXISTS ${PROJECT_SOURCE_DIR}/README.md)
        set(extracted ${PROJECT_BINARY_DIR}/examples/readme.cpp)
        add_custom_command(OUTPUT ${extracted}
            COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/checks/readme.py
                ${PROJECT_SOURCE_DIR}/README.md ${extracted}
            DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/tools/checks/readme.py
            COMMENT "Taking the example out of README.md")
        lazult_add_example(readme ${extracted})
    endif()
endfunction()

# tests/fuzz/NAME_fuzzer.cpp: with LAZULT_FUZZ the program fuzz_NAME makes up inputs until it is
# told to stop; else it tries those that are kept in tests/fuzz/corpus/NAME, which is a test.
function(lazult_add_fuzzer name)
    set(folder ${PROJECT_SOURCE_DIR}/tests/fuzz)
    add_executable(fuzz_${name} ${folder}/${name}_fuzzer.cpp ${ARGN})
    target_link_libraries(fuzz_${name} PRIVATE lazult_test_warnings)
    if(LAZULT_FUZZ)
        target_sources(fuzz_${name} PRIVATE ${folder}/libfuzzer.cpp)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        return()
    endif()
    target_sources(fuzz_${name} PRIVATE ${folder}/replay.cpp)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${folder}/corpus/${name})
    lazult_time_limit(stress limit)
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT ${limit} PROCESSORS 2
        ENVIRONMENT "${lazult_test_environment}")
endfunction()

function(lazult_add_fuzzers)
    lazult_add_fuzzer(settings)
    target_link_libraries(fuzz_settings PRIVATE lazult_internal)
    lazult_add_fuzzer(program ${PROJECT_SOURCE_DIR}/tests/fuzz/program.cpp)
    list(TRANSFORM lazult_gtest REPLACE "gtest_main" "gtest" OUTPUT_VARIABLE gtest_without_main)
    target_link_libraries(fuzz_program PRIVATE lazult_internal ${gtest_without_main})
    target_compile_options(fuzz_program PRIVATE ${lazult_light_optimisation})
    lazult_reuse_precompiled(fuzz_program lazult_test_precompiled)
    if(NOT LAZULT_FUZZ AND NOT LAZULT_SANITIZE)
        foreach(mistake runs_twice forgets_a_sum forgets_a_child)
            add_test(NAME fuzz.program_finds_${mistake}
                COMMAND ${CMAKE_COMMAND} -E env LAZULT_FUZZ_PLANT=${mistake}
                    $<TARGET_FILE:fuzz_program> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/program)
            set_tests_properties(fuzz.program_finds_${mistake} PROPERTIES
                LABELS fuzz TIMEOUT 60 WILL_FAIL TRUE)
        endforeach()
    endif()
    if(TARGET omp_objects)
        lazult_add_fuzzer(openmp_environment)
        target_link_libraries(fuzz_openmp_environment PRIVATE omp_objects)
    endif()
endfunction()

# Its judgement, over figures that the test makes up.
function(lazult_add_soak_figures_test)
    add_executable(soak_figures_test ${PROJECT_SOURCE_DIR}/tests/tools/soak_figures_test.cpp
        ${PROJECT_SOURCE_DIR}/tools/lazult/soak/figures.cpp)
    target_link_libraries(soak_figures_test PRIVATE
        lazult_test_base fmt::fmt nlohmann_json::nlohmann_json)
    lazult_discover(soak_figures_test tools)
endfunction()

# The short one is a script, tests/tools/soak_test.py: these are long enough for memory to be
# judged.
function(lazult_add_soak_tests)
    add_test(NAME tools.soak.minute COMMAND lazult_command soak --minutes 1 --interval 2)
    set(soak lazult_command soak --minutes 0.75 --interval 1 --doors native)
    add_test(NAME tools.soak.leak COMMAND ${soak} --plant leak)
    add_test(NAME tools.soak.stack_leak COMMAND ${soak} --plant stack)
    set_tests_properties(tools.soak.leak PROPERTIES
        PASS_REGULAR_EXPRESSION "resident memory rose by")
    set_tests_properties(tools.soak.stack_leak PROPERTIES
        PASS_REGULAR_EXPRESSION "stacks taken rose by")
    set_tests_properties(tools.soak.minute tools.soak.leak tools.soak.stack_leak PROPERTIES
        LABELS "tools;deep" TIMEOUT 240 RUN_SERIAL ON ENVIRONMENT "${lazult_mpi_environment}")
endfunction()

# Scripts find what was built through LAZULT_BUILD_DIR and LAZULT_BIN_DIR. Those of tests/checks,
# tests/install and tests/spin look at the tree and the installation, the others at the programs of
# this build.
function(lazult_add_script_tests)
    file(GLOB_RECURSE scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.py)
    if(NOT LAZULT_CHECKS)
        list(FILTER scripts EXCLUDE REGEX "/tests/(checks|install|spin)/")
    endif()
    if(NOT LAZULT_TOOLS)
        list(FILTER scripts INCLUDE REGEX "/tests/(checks|install|spin)/")
    endif()
    if(NOT LAZULT_APPS)
        list(FILTER scripts EXCLUDE REGEX "/tests/apps/")
    endif()
    if(NOT TARGET abt)
        list(FILTER scripts EXCLUDE REGEX "/tests/doors/argobots/")
    endif()
    if(NOT LAZULT_DOORS OR NOT lazult_mpi_launchers OR LAZULT_SANITIZE)
        list(FILTER scripts EXCLUDE REGEX "/tests/doors/concert/")
    endif()
    if(NOT TARGET omp)
        list(FILTER scripts EXCLUDE REGEX "/tests/doors/openmp/")
    endif()
    if(NOT TARGET posix)
        list(FILTER scripts EXCLUDE REGEX "/tests/doors/posix/")
    endif()
    if(NOT TARGET checker)
        list(FILTER scripts EXCLUDE REGEX "/tests/doors/checker/")
    endif()
    # what is preloaded would come before the sanitizer
    if(NOT LAZULT_DOORS OR NOT lazult_mpi_launchers OR LAZULT_SANITIZE)
        list(FILTER scripts EXCLUDE REGEX "/tests/doors/mpi/")
    endif()
    if(NOT TARGET omp_bench)
        list(FILTER scripts EXCLUDE REGEX "/tests/bench/")
    endif()
    # gcc's tests come without the sanitizer's run-time library, which does not like a debugger, and
    # makes frames larger
    if(LAZULT_SANITIZE)
        string(CONCAT unlike "/tests/(doors/openmp/suite|doors/argobots/stack_use"
            "|tools/(gdb|watch|soak|stacks))_test.py$")
        list(FILTER scripts EXCLUDE REGEX "${unlike}")
    elseif(LAZULT_TOOLS AND NOT CMAKE_CROSSCOMPILING)
        add_executable(gdb_target ${PROJECT_SOURCE_DIR}/tests/tools/gdb/target.cpp)
        target_link_libraries(gdb_target PRIVATE lazult lazult_test_warnings)
        # ENABLE_EXPORTS: so that backtraces know its functions by name.
        add_executable(watch_target ${PROJECT_SOURCE_DIR}/tests/tools/watch/target.cpp)
        set_target_properties(watch_target PROPERTIES ENABLE_EXPORTS ON)
        target_link_libraries(watch_target PRIVATE lazult lazult_test_warnings)
        add_executable(stacks_target ${PROJECT_SOURCE_DIR}/tests/tools/stacks/target.cpp)
        set_target_properties(stacks_target PROPERTIES ENABLE_EXPORTS ON)
        target_link_libraries(stacks_target PRIVATE lazult lazult_test_warnings)
        lazult_add_soak_figures_test()
        lazult_add_soak_tests()
    endif()
    if(LAZULT_TOOLS)
        add_executable(trace_target ${PROJECT_SOURCE_DIR}/tests/tools/trace/target.cpp)
        target_link_libraries(trace_target PRIVATE lazult lazult_test_warnings)
        add_executable(trace_waits ${PROJECT_SOURCE_DIR}/tests/tools/trace/waits.cpp)
        target_link_libraries(trace_waits PRIVATE lazult lazult_test_warnings)
    endif()
    # These have one thread that works at a time, or wait most of it.
    string(CONCAT lone "/tests/(checks/.*|install/(consumer|subproject)"
        "|tools/(gdb|generate|trace|trace_waits|watch)|spin/models)_test.py$")
    set(environment
        LAZULT_SOURCE_DIR=${PROJECT_SOURCE_DIR}
        LAZULT_BUILD_DIR=${PROJECT_BINARY_DIR}
        LAZULT_BIN_DIR=${PROJECT_BINARY_DIR}/bin
        LAZULT_CMAKE=${CMAKE_COMMAND}
        LAZULT_CXX=${CMAKE_CXX_COMPILER}
        "LAZULT_MPI_LAUNCHERS=${lazult_mpi_launchers}"
        ${lazult_test_environment})
    foreach(script IN LISTS scripts)
        set(processors 2)
        if(script MATCHES "${lone}")
            set(processors 1)
        endif()
        cmake_path(GET script STEM stem)
        cmake_path(GET script PARENT_PATH folder)
        cmake_path(GET folder FILENAME folder)
        string(REGEX REPLACE "_test$" "" stem ${stem})
        add_test(NAME ${folder}.${stem} COMMAND Python3::Interpreter ${script})
        lazult_time_limit(stress limit)
        set_tests_properties(${folder}.${stem} PROPERTIES
            LABELS ${folder}
            TIMEOUT ${limit}
            PROCESSORS ${processors}
            SKIP_RETURN_CODE 77
            ENVIRONMENT "${environment}")
    endforeach()
endfunction()

# The short form, install.subproject, builds nothing: this one builds the library in another
# project.
function(lazult_add_deep_install)
    add_test(NAME install.subproject_deep
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/install/subproject_test.py
            --deep in_another_project)
    set(environment
        LAZULT_SOURCE_DIR=${PROJECT_SOURCE_DIR}
        LAZULT_CMAKE=${CMAKE_COMMAND}
        LAZULT_CXX=${CMAKE_CXX_COMPILER})
    set_tests_properties(install.subproject_deep PROPERTIES
        LABELS "install;deep" TIMEOUT 1800 PROCESSORS 2 ENVIRONMENT "${environment}")
endfunction()

function(lazult_add_deep_models)
    add_test(NAME spin.models_deep
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/spin/models_test.py --deep)
    set_tests_properties(spin.models_deep PROPERTIES
        LABELS "spin;deep" TIMEOUT 1800 PROCESSORS 2 SKIP_RETURN_CODE 77)
    # All scenarios with three preemptions. Suites that are not here have no lower bound, or a
    # scenario that was not seen to end: see docs/trust.md.
    if(TARGET model_test)
        foreach(test
                biased_fifo_model.loses_and_doubles_nothing
                concert_auto_model.keeps_the_order_across_both_ways
                concert_pull_model.loses_and_doubles_nothing
                concert_push_model.loses_and_doubles_nothing
                concert_visitors_model.nobody_looks_at_what_is_destroyed
                event_count_model.loses_no_wake_up
                join_word_model.revoked_by_two
                mpmc_queue_model.loses_and_doubles_nothing
                promotion_model.each_thread_runs_once_on_a_stack_of_its_own
                push_places_model.nobody_destroys_a_pool_under_a_pusher
                push_places_model.nor_where_pushes_are_nested_deeper_than_there_are_places
                retire_model.leaves_no_unit_behind
                split_loop_model.loses_and_doubles_nothing
                split_range_model.loses_and_doubles_nothing
                steal_lane_model.loses_and_doubles_nothing
                sync_queue_model.loses_and_makes_no_tokens
                unit_directory_model.finds_what_entered)
            add_test(NAME deep.${test} COMMAND model_test --gtest_filter=${test})
            set_tests_properties(deep.${test} PROPERTIES LABELS "model;deep" TIMEOUT 1800
                ENVIRONMENT "LAZULT_MODEL_PREEMPTIONS=3")
        endforeach()
        foreach(test IN LISTS lazult_deep_models)
            add_test(NAME deep.${test} COMMAND model_test --gtest_filter=${test})
            set_tests_properties(deep.${test} PROPERTIES LABELS "model;deep" TIMEOUT 1800)
        endforeach()
    endif()
endfunction()

# lazult_add_lone_test(FLOOR SOURCE WHAT...): links the program lone_FLOOR_NAME with WHAT.
function(lazult_add_lone_test floor source)
    cmake_path(GET source STEM name)
    add_executable(lone_${floor}_${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(lone_${floor}_${name} PRIVATE lone_${floor} ${ARGN})
endfunction()

# Each test file of the floors that mutants are planted in as a program of its own, lone_FLOOR_NAME:
# then a test can be asked without the rest of its folder. Those of ds, and the models that know
# nothing of sync, do without the library: they have the floors up to ds.
function(lazult_add_lone_tests)
    set(lower ${lazult_sources})
    list(FILTER lower INCLUDE REGEX "/lazult/(base|arch|os|probe|topo|ds)/")
    add_library(lone_lower STATIC EXCLUDE_FROM_ALL ${lower})
    lazult_set_flags(lone_lower)
    target_link_libraries(lone_lower PUBLIC lazult_test_warnings ${lazult_gtest})
    foreach(floor ds model core sched sync io api)
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${floor}/*_test.cpp)
        file(GLOB helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${floor}/*.cpp)
        list(REMOVE_ITEM helpers ${sources})
        if(floor MATCHES "^(core|watch|sched)$")
            list(APPEND helpers ${PROJECT_SOURCE_DIR}/tests/support/scarce_new.cpp)
        endif()
        add_library(lone_${floor} INTERFACE)
        if(TARGET ${floor}_test_in_c)
            target_link_libraries(lone_${floor} INTERFACE ${floor}_test_in_c)
        endif()
        if(helpers)
            add_library(lone_${floor}_helpers OBJECT EXCLUDE_FROM_ALL ${helpers})
            target_link_libraries(lone_${floor}_helpers PRIVATE lazult_test_base)
            target_link_libraries(lone_${floor} INTERFACE $<TARGET_OBJECTS:lone_${floor}_helpers>)
        endif()
        # Those of the doors are on floors without mutants. That of registers needs what is written
        # in assembly.
        list(FILTER sources EXCLUDE REGEX "/(concert_|task_queue_|team_barrier_|registers_)")
        foreach(source IN LISTS sources)
            if(source MATCHES "/(ds|model)/" AND NOT source MATCHES "/(sync_|end_watch_)")
                lazult_add_lone_test(${floor} ${source} lone_lower)
            else()
                lazult_add_lone_test(${floor} ${source} lazult_test_base)
            endif()
        endforeach()
    endforeach()
endfunction()

# Builds the library and its tests again and again, so it is alone on the machine.
function(lazult_add_mutants)
    add_test(NAME deep.mutants
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/ci/mutants.py --ten --at-least 100)
    set_tests_properties(deep.mutants PROPERTIES LABELS "mutants;deep" TIMEOUT 3600 RUN_SERIAL ON)
endfunction()

function(lazult_add_tree_checks)
    set(folder ${PROJECT_SOURCE_DIR}/tools/checks)
    foreach(check floors components sizes atomics memory_model links prose format)
        add_test(NAME tree.${check}
            COMMAND Python3::Interpreter ${folder}/${check}.py ${PROJECT_SOURCE_DIR})
        set_tests_properties(tree.${check} PROPERTIES LABELS tree TIMEOUT 300)
    endforeach()
    add_test(NAME tree.headers
        COMMAND Python3::Interpreter ${folder}/headers.py ${PROJECT_SOURCE_DIR}
            --quick --compiler ${CMAKE_CXX_COMPILER}
            --arch ${lazult_arch}
            -- "-DLAZULT_ARCH_${lazult_arch_upper}=1"
            "-DLAZULT_HAVE_HWLOC=$<BOOL:${lazult_hwloc_found}>")
    set_tests_properties(tree.headers PROPERTIES LABELS tree TIMEOUT 300 PROCESSORS 2)
endfunction()

if("io" IN_LIST LAZULT_TEST_FLOORS)
    enable_language(C)
    lazult_add_part_in_c(io)
endif()
foreach(floor IN LISTS LAZULT_TEST_FLOORS)
    if(floor STREQUAL "examples")
        lazult_add_examples()
    elseif(floor STREQUAL "fuzz")
        lazult_add_fuzzers()
    elseif(floor STREQUAL "concert")
        if(NOT TARGET concert_common)  # without the doors
            add_subdirectory(doors/concert/src)
        endif()
        add_subdirectory(tests/doors/concert/unit)
    else()
        lazult_add_floor_test(${floor})
    endif()
endforeach()
if(LAZULT_LONE_TESTS)
    lazult_add_lone_tests()
endif()
if(LAZULT_APPS)
    lazult_add_app_tests()
    add_subdirectory(tests/apps/ioservice)
endif()
if(TARGET abt)
    add_subdirectory(tests/doors/argobots)
endif()
# ThreadSanitizer does not know what MPI libraries do.
if(LAZULT_DOORS AND NOT LAZULT_SANITIZE STREQUAL "thread")
    add_subdirectory(tests/doors/concert)
    if(LAZULT_APPS)
        add_subdirectory(tests/apps/cedar)
        add_subdirectory(tests/apps/graph500)
        add_subdirectory(tests/apps/poisson2d)
        add_subdirectory(tests/apps/radiosity)
    endif()
endif()
if(TARGET omp)
    add_subdirectory(tests/doors/openmp)
endif()
if(LAZULT_DOORS)
    add_subdirectory(tests/doors/mpi)
endif()
if(TARGET posix)
    add_subdirectory(tests/doors/posix)
endif()
add_subdirectory(tests/debugging)
add_subdirectory(tests/faults)
add_subdirectory(tests/preemption)
lazult_add_script_tests()
if(LAZULT_CHECKS)
    lazult_add_tree_checks()
    add_subdirectory(tests/abi)
    lazult_add_deep_models()
    lazult_add_mutants()
    lazult_add_deep_install()
endif()
