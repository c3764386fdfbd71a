# SPDX-License-Identifier: BSD-3-Clause
# Headers that are read once for many files. Most of what a build from nothing costs is reading the
# same headers again; none of it changes what is compiled. ccache, where it has seen the files
# before, does better still, and does not like precompiled headers. Compilers do not warn about what
# is in them, as if they were the system's: tree.headers does, with all warnings.

# What most internal files include. Not the public interface: what begins with `using namespace
# lazult::core` must not see it.
set(lazult_common_internal
    <algorithm> <chrono> <cstdio> <cstdlib> <cstring> <exception> <functional> <future> <memory>
    <mutex> <optional> <set> <stdexcept> <string> <thread> <vector>
    ${PROJECT_SOURCE_DIR}/lazult/sync/sync.hpp)
set(lazult_common_public
    <algorithm> <atomic> <chrono> <cstdio> <cstdlib> <cstring> <functional> <memory> <mutex>
    <string> <thread> <vector>
    ${PROJECT_SOURCE_DIR}/include/lazult/lazult.hpp)

# lazult_precompile(TARGET HEADER...): for all its C++ files.
function(lazult_precompile target)
    if(LAZULT_PRECOMPILE)
        list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>" OUTPUT_VARIABLE headers)
        target_precompile_headers(${target} PRIVATE ${headers})
    endif()
endfunction()

# lazult_precompile_once(GROUP TARGET HEADER...): the first of the group reads them, for the others
# too: those have the same flags.
function(lazult_precompile_once group target)
    if(LAZULT_PRECOMPILE)
        # A macro with the target's name would tell them apart.
        set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
    endif()
    get_property(first GLOBAL PROPERTY lazult_precompiled_${group})
    if(first)
        lazult_reuse_precompiled(${target} ${first})
    else()
        lazult_precompile(${target} ${ARGN})
        set_property(GLOBAL PROPERTY lazult_precompiled_${group} ${target})
    endif()
endfunction()

# lazult_precompile_for(NAME HEADERS LIBRARIES OPTION...): an object library that has the headers,
# for others with the same flags to reuse. The level of optimisation is such a flag: GCC 12 crashes
# where it is higher than it was for the headers.
function(lazult_precompile_for name headers libraries)
    if(LAZULT_PRECOMPILE)
        set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but headers, read once.\n")
        add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
        target_link_libraries(${name} PRIVATE ${libraries})
        target_compile_options(${name} PRIVATE ${ARGN})
        lazult_precompile(${name} ${headers})
    endif()
endfunction()

# lazult_reuse_precompiled(TARGET NAME)
function(lazult_reuse_precompiled target name)
    if(LAZULT_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ${name})
    endif()
endfunction()

# lazult_unite(TARGET): eight of its files at a time are compiled as one. What is in their unnamed
# namespaces is then in one, so names there must differ. Test programs only: a library that ships is
# compiled as its files are. With ccache, too: otherwise two equal names would show on a machine
# without it alone.
function(lazult_unite target)
    if(LAZULT_UNITE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
        # it takes them for headers
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
endfunction()

# lazult_unite_only(TARGET GROUP FILE...): these files of it are compiled as one, and all others as
# they are.
function(lazult_unite_only target group)
    if(LAZULT_UNITE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
        set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
    endif()
endfunction()
