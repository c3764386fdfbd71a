# SPDX-License-Identifier: BSD-3-Clause
# Interface targets that carry flags: what every internal file sees, how strictly the library is
# compiled, how tests are.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

# Sanitizers concern GoogleTest too, so they are set for the directory and not for a target.
if(LAZULT_SANITIZE STREQUAL "address")
    set(lazult_sanitizer_flags
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(LAZULT_SANITIZE STREQUAL "thread")
    # What the switching floors define in headers is left out wherever it is compiled; see the
    # lists. Only the tests of ds look into its structures.
    set(lazult_ignorelist -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/tsan_ignored)
    set(lazult_is_ds_test $<STREQUAL:$<TARGET_PROPERTY:NAME>,ds_test>)
    set(lazult_sanitizer_flags
        -fsanitize=thread -fno-omit-frame-pointer -DLAZULT_INLINES_FOR_SPEED=0
        ${lazult_ignorelist}.txt
        $<$<NOT:${lazult_is_ds_test}>:${lazult_ignorelist}_ds.txt>)
elseif(LAZULT_SANITIZE AND NOT LAZULT_SANITIZE STREQUAL "checker")
    message(FATAL_ERROR "LAZULT_SANITIZE is '${LAZULT_SANITIZE}': "
        "give nothing, address, thread or checker")
endif()
if(lazult_sanitizer_flags)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${lazult_sanitizer_flags}>")
    add_link_options(${lazult_sanitizer_flags})
endif()

# What a process has counted lies in a file that it maps: those count too that end by a signal, as
# tests of misuse do.
if(LAZULT_COVERAGE)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "LAZULT_COVERAGE wants clang, not ${CMAKE_CXX_COMPILER_ID}: "
            "use the preset coverage")
    endif()
    set(lazult_coverage_flags -fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic
        "SHELL:-mllvm -runtime-counter-relocation")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${lazult_coverage_flags}>")
    add_link_options(-fprofile-instr-generate)
endif()

# Not -fsanitize=fuzzer-no-link: it would also follow the depth of stacks, of which there are many
# here.
if(LAZULT_FUZZ)
    set(lazult_fuzz_flags -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${lazult_fuzz_flags}>")
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED GLOBAL)  # a project around this one links it with the library

set(lazult_hwloc_found FALSE)
if(LAZULT_HWLOC)
    find_package(PkgConfig)
    if(PkgConfig_FOUND)
        pkg_check_modules(LAZULT_FOUND_HWLOC QUIET IMPORTED_TARGET GLOBAL hwloc>=2.1)
        set(lazult_hwloc_found ${LAZULT_FOUND_HWLOC_FOUND})
    endif()
    if(NOT lazult_hwloc_found)
        message(STATUS "hwloc 2.1 not found: streams see a flat machine")
    endif()
endif()
set(lazult_uring_found FALSE)
if(LAZULT_URING)
    find_package(PkgConfig)
    if(PkgConfig_FOUND)
        pkg_check_modules(LAZULT_FOUND_URING QUIET IMPORTED_TARGET GLOBAL liburing>=2.2)
        set(lazult_uring_found ${LAZULT_FOUND_URING_FOUND})
    endif()
    if(NOT lazult_uring_found)
        message(STATUS "liburing 2.2 not found: helper threads read and write files")
    endif()
endif()
set(lazult_pc_requires_private "")
set(lazult_private_libraries "")  # the same, as the linker calls them
if(lazult_hwloc_found)
    list(APPEND lazult_pc_requires_private hwloc)
    list(APPEND lazult_private_libraries hwloc)
endif()
if(lazult_uring_found)
    list(APPEND lazult_pc_requires_private liburing)
    list(APPEND lazult_private_libraries uring)
endif()
list(JOIN lazult_pc_requires_private " " lazult_pc_requires_private)

add_library(lazult_flags INTERFACE)
string(TOUPPER ${lazult_arch} lazult_arch_upper)
target_compile_definitions(lazult_flags INTERFACE
    LAZULT_ARCH_${lazult_arch_upper}=1
    LAZULT_HAVE_HWLOC=$<BOOL:${lazult_hwloc_found}>
    LAZULT_HAVE_LIBURING=$<BOOL:${lazult_uring_found}>
    LAZULT_VERSION="${PROJECT_VERSION}"
    $<$<BOOL:${LAZULT_ASSERTIONS}>:LAZULT_ASSERTIONS=1>
    $<$<BOOL:${LAZULT_CHAOS}>:LAZULT_CHAOS=1>)
target_include_directories(lazult_flags INTERFACE
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(lazult_flags INTERFACE Threads::Threads)
if(lazult_hwloc_found)
    target_link_libraries(lazult_flags INTERFACE PkgConfig::LAZULT_FOUND_HWLOC)
endif()
if(lazult_uring_found)
    target_link_libraries(lazult_flags INTERFACE PkgConfig::LAZULT_FOUND_URING)
endif()

set(lazult_werror $<$<BOOL:${LAZULT_WERROR}>:-Werror>)

# GCC 12 sees overlaps in `"text" + std::string` that are not there (GCC bug 105651); clang blames
# std::stable_sort on its user, because libstdc++ 12 sorts with a function that it calls deprecated.
set(lazult_gcc12 $<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
set(lazult_false_alarms_of_gcc12
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized)
string(CONCAT lazult_false_alarms
    "$<${lazult_gcc12}:${lazult_false_alarms_of_gcc12}>"
    "$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>")

add_library(lazult_warnings INTERFACE)
set(lazult_strict -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
target_compile_options(lazult_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${lazult_strict};${lazult_false_alarms};${lazult_werror}>")

# For code whose speed nobody notices, in builds that are optimised: -O3 would take nearly twice as
# long to compile it. As a source's COMPILE_OPTIONS or a target's.
set(lazult_light_optimisation $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:RelWithDebInfo>>:-O1>)
# As most users compile theirs.
set(lazult_usual_optimisation $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:RelWithDebInfo>>:-O2>)

# Tests are much code that runs once: line numbers are enough for who debugs them, and a fifth of
# their compilation less.
add_library(lazult_test_warnings INTERFACE)
target_compile_options(lazult_test_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-g1;${lazult_false_alarms};${lazult_werror}>")
