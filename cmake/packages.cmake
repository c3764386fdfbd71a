# SPDX-License-Identifier: BSD-3-Clause
# What is installed of the core: public headers, the library, find_package(lazult), pkg-config
# lazult, the command, the script for gdb. Internal headers stay here. Doors install themselves.

include(CMakePackageConfigHelpers)

# gdb loads a script that stands beside a library and is called after it, where its auto-load
# safe-path allows that.
set(lazult_gdb_script ${PROJECT_SOURCE_DIR}/tools/gdb/lazult_gdb.py)
set(lazult_gdb_name liblazult.so.${PROJECT_VERSION}-gdb.py)
configure_file(${lazult_gdb_script} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${lazult_gdb_name} COPYONLY)

if(NOT LAZULT_INSTALL)
    return()
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lazult
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT core
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

set(lazult_installed lazult)
if(TARGET lazult_static)
    list(APPEND lazult_installed lazult_static)
endif()
install(TARGETS ${lazult_installed} EXPORT lazult_targets COMPONENT core)
lazult_dump_interface(liblazult lazult)
install(EXPORT lazult_targets
    FILE lazultTargets.cmake
    NAMESPACE lazult::
    DESTINATION ${lazult_package_dir}
    COMPONENT core)
if(TARGET lazult_command)
    install(TARGETS lazult_command COMPONENT tools)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lazultConfig.cmake.in
    ${PROJECT_BINARY_DIR}/lazultConfig.cmake
    INSTALL_DESTINATION ${lazult_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lazultConfigVersion.cmake
    COMPATIBILITY ${lazult_compatibility})
install(FILES
    ${PROJECT_BINARY_DIR}/lazultConfig.cmake
    ${PROJECT_BINARY_DIR}/lazultConfigVersion.cmake
    DESTINATION ${lazult_package_dir}
    COMPONENT core)
lazult_install_pc(lazult ${PROJECT_SOURCE_DIR}/cmake/lazult.pc.in core)

# Where gdb looks for the script of a library: the library's own path below gdb/auto-load. The
# prefix is known at installation only. The other copy is for `source`, wherever the prefix went
# later.
install(FILES ${lazult_gdb_script} DESTINATION ${CMAKE_INSTALL_DATADIR}/lazult COMPONENT core)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(lazult_gdb_libdir ${CMAKE_INSTALL_LIBDIR})
else()
    set(lazult_gdb_libdir "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}")
endif()
install(CODE "
    get_filename_component(CMAKE_INSTALL_PREFIX \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
    file(INSTALL DESTINATION
        \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/gdb/auto-load${lazult_gdb_libdir}\"
        TYPE FILE RENAME ${lazult_gdb_name} FILES \"${lazult_gdb_script}\")"
    COMPONENT core)
