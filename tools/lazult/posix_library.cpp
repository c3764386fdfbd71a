// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/posix_library.hpp"

#include "tools/lazult/child_process.hpp"
#include "tools/lazult/elf_file.hpp"
#include "tools/lazult/failure.hpp"
#include "tools/lazult/openmp_folder.hpp"

namespace lazult::tool {

void export_posix(const std::string& program) {
    const std::string ours = library_path("posix/liblazult-posix.so");
    if (ours.empty()) {
        throw usage_error("option --posix", "there is no liblazult-posix.so beside this command",
                          "build or install the POSIX door");
    }
    const elf_file file(find_program(program));
    if (file.is_program() && file.loader().empty()) {
        throw usage_error(
            "option --posix",
            "\"" + program + "\" is linked statically, so nothing can stand before its calls",
            "link it with shared libraries");
    }
    put_first("LD_PRELOAD", ours);
}

}  // namespace lazult::tool
