// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/mpi_family.hpp"

#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

constexpr const char* families[] = {"openmpi", "mpich"};
constexpr const char* library_name = "liblazult-mpi.so";

std::filesystem::path find_program(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return program;
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    std::error_code bad;
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path here = std::filesystem::path(folder) / program;
        if (std::filesystem::is_regular_file(here, bad)) {
            return here;
        }
    }
    return program;
}

// A file in the format of the System V ABI, of this machine's word size. Whatever is out of bounds is not there.
class elf_file {
public:
    explicit elf_file(const std::filesystem::path& path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
        Elf64_Ehdr head;
        if (!read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
            head.e_ident[EI_CLASS] != ELFCLASS64) {
            return;
        }
        for (unsigned i = 0; i < head.e_phnum; ++i) {
            Elf64_Phdr segment;
            if (read(head.e_phoff + i * sizeof segment, segment)) {
                segments_.push_back(segment);
            }
        }
    }

    std::vector<std::string> needed() const {
        std::vector<std::uint64_t> names;
        std::uint64_t strings = 0;
        for (const Elf64_Dyn& each : dynamic()) {
            if (each.d_tag == DT_NEEDED) {
                names.push_back(each.d_un.d_val);
            } else if (each.d_tag == DT_STRTAB) {
                strings = file_offset(each.d_un.d_ptr);
            }
        }
        std::vector<std::string> result;
        for (const std::uint64_t name : names) {
            result.push_back(text_at(strings + name));
        }
        return result;
    }

private:
    template <class T>
    bool read(std::uint64_t offset, T& into) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof into) {
            return false;
        }
        std::memcpy(&into, bytes_.data() + offset, sizeof into);
        return true;
    }

    std::vector<Elf64_Dyn> dynamic() const {
        std::vector<Elf64_Dyn> all;
        for (const Elf64_Phdr& segment : segments_) {
            for (std::uint64_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz;
                 at += sizeof(Elf64_Dyn)) {
                Elf64_Dyn entry;
                if (!read(segment.p_offset + at, entry) || entry.d_tag == DT_NULL) {
                    break;
                }
                all.push_back(entry);
            }
        }
        return all;
    }

    std::uint64_t file_offset(std::uint64_t address) const {
        for (const Elf64_Phdr& segment : segments_) {
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                address - segment.p_vaddr < segment.p_filesz) {
                return address - segment.p_vaddr + segment.p_offset;
            }
        }
        return bytes_.size();
    }

    std::string text_at(std::uint64_t offset) const {
        if (offset >= bytes_.size()) {
            return {};
        }
        const char* const begin = bytes_.data() + offset;
        return {begin, ::strnlen(begin, bytes_.size() - offset)};
    }

    std::vector<char> bytes_;
    std::vector<Elf64_Phdr> segments_;
};

// MPICH's own name for its library is libmpi.so.12, which Debian calls libmpich.so.12; Open MPI's numbers begin at 20.
std::string family_of_library(const std::string& name) {
    if (name.starts_with("libmpich") || name.starts_with("libmpi.so.12") ||
        name.starts_with("libmpifort.so.12")) {
        return "mpich";
    }
    return name.starts_with("libmpi.so.") || name.starts_with("libmpi_") ? "openmpi" : "";
}

}  // namespace

std::string mpi_family_of(const std::string& program) {
    for (const std::string& name : elf_file(find_program(program)).needed()) {
        if (const std::string family = family_of_library(name); !family.empty()) {
            return family;
        }
    }
    return {};
}

std::filesystem::path mpi_folder(const std::string& family) {
    std::error_code bad;
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", bad).parent_path();
    for (const char* libraries : {"../lib", "../" LAZULT_LIBRARY_FOLDER}) {
        const std::filesystem::path folder =
            (here / libraries / "lazult" / "mpi" / family).lexically_normal();
        if (std::filesystem::exists(folder / library_name, bad)) {
            return folder;
        }
    }
    return {};
}

std::vector<std::string> mpi_families() {
    std::vector<std::string> found;
    for (const char* family : families) {
        if (!mpi_folder(family).empty()) {
            found.emplace_back(family);
        }
    }
    return found;
}

void export_mpi(const std::string& program, const std::string& family) {
    const std::string chosen = family.empty() ? mpi_family_of(program) : family;
    if (chosen.empty()) {
        throw usage_error(
            "option --mpi", "\"" + program + "\" is not linked with Open MPI or MPICH",
            "give --mpi-family openmpi or mpich, or write `mpirun ... lazult run --mpi -- PROGRAM` "
            "if this is a launcher");
    }
    const std::filesystem::path folder = mpi_folder(chosen);
    if (folder.empty()) {
        throw usage_error(
            "option --mpi",
            "there is no " + std::string(library_name) + " for " + chosen + " beside this command",
            "build or install the MPI door with that MPI's compiler wrapper");
    }
    const std::string library = (folder / library_name).string();
    const char* const before = std::getenv("LD_PRELOAD");
    const bool has_more = before != nullptr && *before != '\0';
    ::setenv("LD_PRELOAD", (has_more ? library + ':' + before : library).c_str(), 1);
}

}  // namespace lazult::tool
