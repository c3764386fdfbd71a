# SPDX-License-Identifier: BSD-3-Clause
# Public headers, the library, find_package(lazult), pkg-config lazult, the command. Internal headers stay here.

include(CMakePackageConfigHelpers)

set(lazult_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lazult)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lazult
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    OPTIONAL
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

set(lazult_installed lazult)
if(TARGET lazult_static)
    list(APPEND lazult_installed lazult_static)
endif()
install(TARGETS ${lazult_installed} EXPORT lazult_targets)
install(EXPORT lazult_targets
    FILE lazultTargets.cmake
    NAMESPACE lazult::
    DESTINATION ${lazult_package_dir})
if(TARGET lazult_command)
    install(TARGETS lazult_command)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lazultConfig.cmake.in
    ${PROJECT_BINARY_DIR}/lazultConfig.cmake
    INSTALL_DESTINATION ${lazult_package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lazultConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/lazultConfig.cmake
    ${PROJECT_BINARY_DIR}/lazultConfigVersion.cmake
    DESTINATION ${lazult_package_dir})

set(lazult_pc_private "-pthread")
if(lazult_hwloc_found)
    string(PREPEND lazult_pc_private "-lhwloc ")
endif()
# Relative to the .pc file, so that an installed tree may be moved and `cmake --install --prefix` is honoured.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE lazult_pc_libdir)
string(REGEX REPLACE "[^/]+" ".." lazult_pc_up "${lazult_pc_libdir}/pkgconfig")
configure_file(${PROJECT_SOURCE_DIR}/cmake/lazult.pc.in ${PROJECT_BINARY_DIR}/lazult.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lazult.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# gdb loads a script that stands beside a library and is called after it, where its auto-load safe-path allows that.
set(lazult_gdb_script ${PROJECT_SOURCE_DIR}/tools/gdb/lazult_gdb.py)
install(FILES ${lazult_gdb_script}
    DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RENAME liblazult.so.${PROJECT_VERSION}-gdb.py)
file(COPY_FILE ${lazult_gdb_script} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/liblazult.so.${PROJECT_VERSION}-gdb.py ONLY_IF_DIFFERENT)
