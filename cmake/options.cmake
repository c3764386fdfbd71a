# SPDX-License-Identifier: BSD-3-Clause
# Every switch of the build, in one place.

include(GNUInstallDirs)

set(LAZULT_ARCH "auto" CACHE STRING "Context switch: auto, x86_64, aarch64, or generic (ucontext)")
set_property(CACHE LAZULT_ARCH PROPERTY STRINGS auto x86_64 aarch64 generic)
# checker: not of the whole build, but of its tests, by doors/checker.
set(LAZULT_SANITIZE ""
    CACHE STRING "Sanitizers of the whole build: empty, address (with undefined), thread, checker")
set_property(CACHE LAZULT_SANITIZE PROPERTY STRINGS "" address thread checker)
option(LAZULT_ASSERTIONS "Compile LAZULT_ASSERT in" OFF)
option(LAZULT_CHAOS "Seeded random preemption points and tiny queues" OFF)
option(LAZULT_COVERAGE "Count which branches are taken (clang)" OFF)
option(LAZULT_URING "Read and write files by io_uring when liburing is there" ON)
option(LAZULT_HWLOC "Read the topology through hwloc when it is there" ON)
option(LAZULT_USDT "Static probes for perf and its like, where <sys/sdt.h> is there" ON)
option(LAZULT_STATIC "Also build and install liblazult.a" OFF)
# A project that adds this folder to its own gets the library alone, unless it asks for more.
option(LAZULT_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
option(LAZULT_TOOLS "Build the lazult command" ${PROJECT_IS_TOP_LEVEL})
option(LAZULT_DOORS "Build the doors" ${PROJECT_IS_TOP_LEVEL})
option(LAZULT_INSTALL "Install what is built" ${PROJECT_IS_TOP_LEVEL})
option(LAZULT_APPS "Build apps/ and bench/" OFF)
option(LAZULT_TESTS "Build the tests" OFF)
option(LAZULT_CHECKS "Register the checks of the source tree and of the installation as tests"
    ${PROJECT_IS_TOP_LEVEL})
option(LAZULT_FUZZ
    "Build the fuzzers of tests/fuzz with libFuzzer, and everything with counters (clang)" OFF)
option(LAZULT_GTEST_SOURCE
    "Compile GoogleTest from /usr/src/googletest: Debian has no archive for every target" OFF)
option(LAZULT_LONE_TESTS
    "Also make a program of each test file of core, ds and so on, for tools/ci/mutants.py" OFF)
set(LAZULT_TEST_FLOORS
    base os probe ds topo arch core watch sched sync io api model stress fuzz conformance examples
    concert
    CACHE STRING "Folders of tests/ to build")
set(LAZULT_TEST_SECONDS 60
    CACHE STRING "Time limit of a test; one of model, stress or conformance has four times as much")
set(LAZULT_TEST_TIMEOUT_FACTOR 1 CACHE STRING "Multiplies the time limit of every test")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

if(LAZULT_ARCH STREQUAL "auto")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
        set(lazult_arch x86_64)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        set(lazult_arch aarch64)
    else()
        set(lazult_arch generic)
    endif()
elseif(LAZULT_ARCH MATCHES "^(x86_64|aarch64|generic)$")
    set(lazult_arch ${LAZULT_ARCH})
else()
    message(FATAL_ERROR "LAZULT_ARCH is '${LAZULT_ARCH}': give auto, x86_64, aarch64 or generic")
endif()

# Another project chooses its launcher itself.
if(PROJECT_IS_TOP_LEVEL)
    find_program(LAZULT_CCACHE ccache)
    mark_as_advanced(LAZULT_CCACHE)
    if(LAZULT_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${LAZULT_CCACHE})
    endif()
endif()
# Compilers treat what is precompiled as headers of the system: branches in them would not be
# counted.
if(CMAKE_CXX_COMPILER_LAUNCHER OR LAZULT_COVERAGE)
    set(lazult_precompile OFF)
else()
    set(lazult_precompile ON)
endif()
if(LAZULT_COVERAGE)
    set(lazult_unite OFF)
else()
    set(lazult_unite ON)
endif()
option(LAZULT_PRECOMPILE
    "Read common headers once for many files: by default where there is no ccache"
    ${lazult_precompile})
option(LAZULT_UNITE
    "Compile test files eight at a time: by default where branches are not counted"
    ${lazult_unite})

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# The number in the SONAMEs of our own libraries, and the versions that find_package takes for the
# one that is asked for: docs/abi.md. Before 1.0 a minor version may break its users.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(lazult_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    set(lazult_compatibility SameMinorVersion)
else()
    set(lazult_soversion ${PROJECT_VERSION_MAJOR})
    set(lazult_compatibility SameMajorVersion)
endif()

# Of programs that this project's own commands start, and users do not: the build has them where the
# installation has them.
set(lazult_libexec_folder ${CMAKE_INSTALL_LIBEXECDIR}/lazult)
set(lazult_libexec_output ${PROJECT_BINARY_DIR}/${lazult_libexec_folder})
set(lazult_data_folder ${CMAKE_INSTALL_DATADIR}/lazult)

# lazult_require(PACKAGE DEBIAN_PACKAGE OPTION): find_package, and where there is none a message
# that says what to do.
macro(lazult_require package debian option)
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
        message(FATAL_ERROR "${package} is not there, which ${option} needs: "
            "install it (Debian: ${debian}), or configure with -D${option}=OFF")
    endif()
endmacro()
