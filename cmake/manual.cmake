# SPDX-License-Identifier: BSD-3-Clause
# The manual page of the command and its completions for shells. The command itself writes them,
# from its options.

# lazult_generate(FORMAT FOLDER NAME): the build has the file where the installation has it.
function(lazult_generate format folder name)
    set(below ${folder})
    if(IS_ABSOLUTE ${folder})
        set(below generated/${format})
    endif()
    set(file ${PROJECT_BINARY_DIR}/${below}/${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${below})
    # The build of another machine's program runs it under CMAKE_CROSSCOMPILING_EMULATOR.
    add_custom_command(OUTPUT ${file}
        COMMAND lazult_command generate ${format} --to ${file}
        DEPENDS lazult_command
        VERBATIM)
    set_property(TARGET lazult_manual APPEND PROPERTY lazult_files ${file})
    lazult_install(FILES ${file} DESTINATION ${folder} COMPONENT tools)
endfunction()

if(NOT TARGET lazult_command)
    return()
endif()
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "The manual page and the completions are left out: lazult writes them, and does "
        "not run on this machine. Set CMAKE_CROSSCOMPILING_EMULATOR, or run `lazult generate` on "
        "the other")
    return()
endif()
add_custom_target(lazult_manual ALL DEPENDS $<TARGET_PROPERTY:lazult_manual,lazult_files>)
lazult_generate(man ${CMAKE_INSTALL_MANDIR}/man1 lazult.1)
lazult_generate(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions lazult)
lazult_generate(zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions _lazult)
lazult_generate(fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d lazult.fish)
