# SPDX-License-Identifier: BSD-3-Clause
# One set of objects, linked twice: as the shared library that is installed, whose internal symbols
# only our own doors see (lazult/liblazult.map), and as an archive through which the tests reach
# those symbols.

set(lazult_architectures x86_64 aarch64 generic)

# lazult_drop_other_architectures(LIST): drops files inside arch/<one that is not being built>/.
function(lazult_drop_other_architectures list_name)
    foreach(architecture IN LISTS lazult_architectures)
        if(NOT architecture STREQUAL lazult_arch)
            list(FILTER ${list_name} EXCLUDE REGEX "/arch/${architecture}/")
        endif()
    endforeach()
    set(${list_name} ${${list_name}} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE lazult_sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lazult/*.cpp
    ${PROJECT_SOURCE_DIR}/lazult/*.S)
lazult_drop_other_architectures(lazult_sources)

add_library(lazult_objects OBJECT ${lazult_sources})
function(lazult_set_flags target)
    set_target_properties(${target} PROPERTIES
        POSITION_INDEPENDENT_CODE ON
        VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${target} PUBLIC lazult_flags PRIVATE lazult_warnings)
    # initial-exec: thread-local reads are on the fast path, and the library is loaded at start, not
    # by dlopen.
    target_compile_options(${target} PRIVATE
        # Two fields stored as one vector cost the latency of going through a vector register, on
        # every push and pop.
        $<$<COMPILE_LANGUAGE:CXX>:-fno-plt;-ftls-model=initial-exec;-fno-tree-slp-vectorize>
        # The library calls itself directly (below), so its functions may be inlined although the
        # linker script shows them.
        $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
    target_compile_definitions(${target} PRIVATE LAZULT_BUILDING=1)
    if(LAZULT_USDT)
        include(CheckIncludeFileCXX)
        check_include_file_cxx(sys/sdt.h LAZULT_HAVE_SDT)
        if(LAZULT_HAVE_SDT)
            target_compile_definitions(${target} PRIVATE LAZULT_USDT=1)
        endif()
    endif()
endfunction()
lazult_set_flags(lazult_objects)
lazult_precompile(lazult_objects ${lazult_common_internal})

if(LAZULT_SANITIZE STREQUAL thread)
    # The switching floors announce their edges by hand: see lazult/probe/sanitizers.hpp.
    set(lazult_annotated ${lazult_sources})
    list(FILTER lazult_annotated INCLUDE
        REGEX "/lazult/((arch|core|watch|sched)/.*|probe/sanitizers)\\.cpp$")
    set(lazult_annotated_flags -fno-sanitize=thread -DLAZULT_TSAN=1)
    if(LAZULT_PRECOMPILE)  # their flags are not the target's, so they take what another has read
        lazult_precompile_for(lazult_annotated_precompiled "${lazult_common_internal}" lazult_flags)
        lazult_set_flags(lazult_annotated_precompiled)
        target_compile_options(lazult_annotated_precompiled PRIVATE ${lazult_annotated_flags})
        cmake_path(APPEND PROJECT_BINARY_DIR CMakeFiles lazult_annotated_precompiled.dir
            cmake_pch.hxx.pch OUTPUT_VARIABLE lazult_annotated_headers)
        set_source_files_properties(${lazult_annotated} PROPERTIES
            OBJECT_DEPENDS ${lazult_annotated_headers})
        list(APPEND lazult_annotated_flags -include-pch ${lazult_annotated_headers})
    endif()
    set_source_files_properties(${lazult_annotated} PROPERTIES
        COMPILE_OPTIONS "${lazult_annotated_flags}"
        SKIP_PRECOMPILE_HEADERS ON)
endif()

add_library(lazult SHARED)
add_library(lazult::lazult ALIAS lazult)
target_link_libraries(lazult PRIVATE $<BUILD_INTERFACE:lazult_objects> PUBLIC Threads::Threads)
target_compile_features(lazult PUBLIC cxx_std_20)
target_include_directories(lazult PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(lazult PROPERTIES
    LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    SOVERSION ${lazult_soversion}
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/lazult/liblazult.map)
# nodelete: streams and the threads of timers outlive the last dlclose().
target_link_options(lazult PRIVATE
    -Wl,-Bsymbolic-functions
    -Wl,-z,nodelete
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/lazult/liblazult.map)
if(NOT LAZULT_SANITIZE AND NOT LAZULT_FUZZ)
    # A sanitizer's own symbols come from the executable only.
    target_link_options(lazult PRIVATE -Wl,-z,defs)
endif()

if(LAZULT_TOOLS OR LAZULT_TESTS)
    add_library(lazult_internal STATIC)
    target_link_libraries(lazult_internal PUBLIC lazult_objects)
    set_target_properties(lazult_internal PROPERTIES LINKER_LANGUAGE CXX)
endif()

# Programs of users of the shared library.
if(LAZULT_APPS OR LAZULT_TESTS)
    lazult_precompile_for(lazult_user_precompiled "${lazult_common_public}"
        "lazult;lazult_test_warnings")
endif()

if(LAZULT_STATIC)
    add_library(lazult_static STATIC)
    add_library(lazult::static ALIAS lazult_static)
    set(lazult_static_needs ${lazult_private_libraries} ${lazult_static_libraries})
    target_link_libraries(lazult_static
        PRIVATE $<BUILD_INTERFACE:lazult_objects> "$<INSTALL_INTERFACE:${lazult_static_needs}>"
        PUBLIC Threads::Threads)
    target_compile_features(lazult_static PUBLIC cxx_std_20)
    target_include_directories(lazult_static PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(lazult_static PROPERTIES
        LINKER_LANGUAGE CXX
        OUTPUT_NAME lazult
        EXPORT_NAME static)
endif()
