# SPDX-License-Identifier: BSD-3-Clause
# The lazult command, the doors, and the programs of apps/ and bench/. Each is built once its folder
# exists.

# `lazult bench peers` compiles its programs when it runs: the build has their sources where the
# installation has them.
function(lazult_install_peers)
    set(folder ${PROJECT_BINARY_DIR}/${lazult_data_folder})
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/bench ${folder}/bench SYMBOLIC)
    lazult_install(FILES ${PROJECT_SOURCE_DIR}/bench/driver.h
        DESTINATION ${lazult_data_folder}/bench COMPONENT tools)
    lazult_install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/peers ${PROJECT_SOURCE_DIR}/bench/argobots
        DESTINATION ${lazult_data_folder}/bench COMPONENT tools
        FILES_MATCHING REGEX "\\.(py|c|cpp|h|hpp|go)$" PATTERN "__pycache__" EXCLUDE)
endfunction()

if(LAZULT_TOOLS)
    file(GLOB_RECURSE lazult_command_sources CONFIGURE_DEPENDS
        ${PROJECT_SOURCE_DIR}/tools/lazult/*.cpp)
    if(lazult_command_sources)
        lazult_require(CLI11 libcli11-dev LAZULT_TOOLS)
        lazult_require(fmt libfmt-dev LAZULT_TOOLS)
        lazult_require(nlohmann_json nlohmann-json3-dev LAZULT_TOOLS)
        # What is measured is compiled as the library is. Nobody waits for words and tables.
        set(lazult_measured ${lazult_command_sources})
        string(CONCAT lazult_measured_names "condvar|create_latency|fib|floors|fork_join|idle"
            "|measure|memory|mpi|mutex|runtime_session|tracing|wake|yield")
        list(FILTER lazult_measured INCLUDE REGEX "/bench/(${lazult_measured_names})\\.cpp$")
        list(REMOVE_ITEM lazult_command_sources ${lazult_measured})
        add_library(lazult_measured OBJECT ${lazult_measured})
        target_link_libraries(lazult_measured PRIVATE
            lazult_internal lazult_test_warnings fmt::fmt nlohmann_json::nlohmann_json)
        lazult_precompile(lazult_measured <fmt/core.h> ${lazult_common_internal})
        add_executable(lazult_command ${lazult_command_sources} $<TARGET_OBJECTS:lazult_measured>)
        set_target_properties(lazult_command PROPERTIES OUTPUT_NAME lazult)
        target_compile_definitions(lazult_command PRIVATE
            LAZULT_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}"
            LAZULT_LIBEXEC_FOLDER="${lazult_libexec_folder}"
            LAZULT_DATA_FOLDER="${lazult_data_folder}")
        set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/lazult/mpi_launcher.cpp PROPERTIES
            COMPILE_DEFINITIONS "LAZULT_MPI_LAUNCHERS=\"${lazult_mpi_launchers}\"")
        set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/lazult/mpi_family.cpp PROPERTIES
            COMPILE_DEFINITIONS "LAZULT_SOVERSION=\"${lazult_soversion}\"")
        # The benchmarks measure the core itself, so they need what the shared library hides.
        target_link_libraries(lazult_command PRIVATE
            lazult_internal lazult_test_warnings CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
        # Whoever includes CLI11 compiles its validators, which takes longer than anything of ours:
        # so not all files do, and those that must, together.
        set(lazult_tool ${PROJECT_SOURCE_DIR}/tools/lazult)
        lazult_unite_only(lazult_command words
            ${lazult_tool}/main.cpp ${lazult_tool}/info.cpp ${lazult_tool}/run.cpp
            ${lazult_tool}/soak/soak.cpp ${lazult_tool}/generate/command_tree.cpp
            ${lazult_tool}/generate/generate.cpp)
        lazult_unite_only(lazult_command bench_words
            ${lazult_tool}/bench/bench.cpp ${lazult_tool}/bench/options.cpp
            ${lazult_tool}/bench/messages.cpp ${lazult_tool}/bench/openmp/openmp.cpp
            ${lazult_tool}/bench/peers.cpp ${lazult_tool}/bench/concert.cpp)
        target_compile_options(lazult_command PRIVATE ${lazult_light_optimisation})
        lazult_precompile(lazult_command <fmt/core.h> ${lazult_common_internal})
        lazult_install_peers()
    endif()
endif()

if(LAZULT_DOORS)
    file(GLOB lazult_doors CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/doors/*/CMakeLists.txt)
    foreach(door IN LISTS lazult_doors)
        cmake_path(GET door PARENT_PATH door_folder)
        add_subdirectory(${door_folder})
    endforeach()
elseif(LAZULT_SANITIZE STREQUAL "checker")  # it checks the tests of the library
    add_subdirectory(${PROJECT_SOURCE_DIR}/doors/checker)
endif()

# apps/<name>/ is one program named <name>, unless it has its own CMakeLists.txt.
function(lazult_add_app folder)
    cmake_path(GET folder FILENAME name)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    if(EXISTS ${folder}/CMakeLists.txt)
        add_subdirectory(${folder})
    elseif(sources)
        add_executable(${name} ${sources})
        target_link_libraries(${name} PRIVATE lazult lazult_test_warnings)
        if(OpenMP_CXX_FOUND)
            target_link_libraries(${name} PRIVATE OpenMP::OpenMP_CXX)
        endif()
    endif()
endfunction()

if(LAZULT_APPS)
    # How apps/demo/mpi.py starts programs on ranks.
    file(WRITE ${PROJECT_BINARY_DIR}/mpi_launchers.txt "${lazult_mpi_launchers}\n")
    find_package(OpenMP COMPONENTS CXX)
    file(GLOB lazult_app_folders CONFIGURE_DEPENDS
        LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/apps/*)
    foreach(folder IN LISTS lazult_app_folders)
        if(IS_DIRECTORY ${folder})
            lazult_add_app(${folder})
        endif()
    endforeach()
    if(EXISTS ${PROJECT_SOURCE_DIR}/bench/CMakeLists.txt)
        add_subdirectory(${PROJECT_SOURCE_DIR}/bench)
    endif()
endif()

# Of the command's benchmarks, but on ranks.
if(LAZULT_TOOLS AND LAZULT_DOORS AND lazult_mpis AND TARGET lazult_command)
    add_subdirectory(${PROJECT_SOURCE_DIR}/bench/messages)
    add_subdirectory(${PROJECT_SOURCE_DIR}/bench/concert)
endif()

# What `lazult soak` starts.
if(LAZULT_TOOLS)
    add_subdirectory(${PROJECT_SOURCE_DIR}/tools/soak)
endif()
