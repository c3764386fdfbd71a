# SPDX-License-Identifier: BSD-3-Clause
# How targets are installed. Each file of the installation belongs to a component, which `cmake
# --install --component` and packagers know: core, tools, and one for each door: argobots, openmp,
# mpi, concert, posix, checker.

set(lazult_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lazult)

# lazult_install(...): install(), where this project is to be installed.
macro(lazult_install)
    if(LAZULT_INSTALL)
        install(${ARGN})
    endif()
endmacro()

# lazult_dump_interface(NAME TARGET): this shared library is installed, and tests/abi has a dump of
# its interface: docs/abi.md.
function(lazult_dump_interface name target)
    set_property(GLOBAL APPEND PROPERTY lazult_interface_targets ${target})
    set_property(GLOBAL APPEND PROPERTY lazult_interfaces "${name}=$<TARGET_FILE:${target}>")
endfunction()

# lazult_install_door(DOOR NAME FOLDER TARGET...): in FOLDER below lib, for find_package(lazult
# COMPONENTS DOOR), which reads lazult-NAME.cmake. Their EXPORT_NAMEs are what users say behind
# lazult::.
function(lazult_install_door door name folder)
    foreach(target IN LISTS ARGN)
        get_target_property(exported ${target} EXPORT_NAME)
        add_library(lazult::${exported} ALIAS ${target})
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "SHARED_LIBRARY")
            get_target_property(file ${target} OUTPUT_NAME)
            if(NOT file)
                set(file ${target})
            endif()
            string(REGEX REPLACE "^${door}" "" family ${name})  # -openmpi, -mpich or nothing
            lazult_dump_interface(lib${file}${family} ${target})
        endif()
    endforeach()
    cmake_path(APPEND CMAKE_INSTALL_LIBDIR ${folder} OUTPUT_VARIABLE destination)
    set(namelink "")
    if(door STREQUAL "openmp")  # lest a linker finds it by accident
        set(namelink NAMELINK_SKIP)
    endif()
    lazult_install(TARGETS ${ARGN} EXPORT lazult_${name}
        LIBRARY DESTINATION ${destination} COMPONENT ${door} ${namelink}
        ARCHIVE DESTINATION ${destination} COMPONENT ${door})
    lazult_install(EXPORT lazult_${name}
        FILE lazult-${name}.cmake NAMESPACE lazult::
        DESTINATION ${lazult_package_dir} COMPONENT ${door})
endfunction()

# lazult_install_program(TARGET FOLDER [LIBRARY_FOLDER...]): a program that our own commands start,
# in FOLDER below libexec/lazult. It looks for libraries in those folders below lib, and in lib.
function(lazult_install_program target folder)
    set(destination ${lazult_libexec_folder}/${folder})
    file(RELATIVE_PATH up /${destination} /)
    set(found "$ORIGIN/${up}${CMAKE_INSTALL_LIBDIR}")
    foreach(libraries IN LISTS ARGN)
        list(PREPEND found "$ORIGIN/${up}${CMAKE_INSTALL_LIBDIR}/${libraries}")
    endforeach()
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${lazult_libexec_output}/${folder}
        INSTALL_RPATH "${found}")
    lazult_install(TARGETS ${target} RUNTIME DESTINATION ${destination} COMPONENT tools)
endfunction()

# A folder of the installation as pkg-config shall see it: below the prefix, unless it was
# configured to be elsewhere.
function(lazult_pc_path result folder)
    if(IS_ABSOLUTE ${folder})
        set(${result} ${folder} PARENT_SCOPE)
    else()
        set(${result} "\${prefix}/${folder}" PARENT_SCOPE)
    endif()
endfunction()

# lazult_install_pc(NAME TEMPLATE COMPONENT): paths in it are relative to the file, so that an
# installed tree may be moved and `cmake --install --prefix` is honoured. The template may say
# @NAME@ for any variable, @pc_libdir@ among them.
function(lazult_install_pc name template component)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
        BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE below)
    string(REGEX REPLACE "[^/]+" ".." up "${below}/pkgconfig")
    set(pc_prefix "\${pcfiledir}/${up}")
    lazult_pc_path(pc_libdir ${CMAKE_INSTALL_LIBDIR})
    lazult_pc_path(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
    configure_file(${template} ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc @ONLY)
    lazult_install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

# What a program needs beside an archive of ours: pkg-config's words, and CMake's. C programs need
# C++'s library named.
set(lazult_static_libraries m ${CMAKE_DL_LIBS})
if(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES MATCHES "(^|;)c\\+\\+(;|$)")
    list(PREPEND lazult_static_libraries c++)
else()
    list(PREPEND lazult_static_libraries stdc++)
endif()
list(TRANSFORM lazult_static_libraries PREPEND "-l" OUTPUT_VARIABLE lazult_pc_libs_private)
list(JOIN lazult_pc_libs_private " " lazult_pc_libs_private)
set(lazult_pc_libs_private "-pthread ${lazult_pc_libs_private}")
