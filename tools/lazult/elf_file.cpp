// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/elf_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace lazult::tool {

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

void put_first(const char* variable, const std::string& entry) {
    const char* const before = std::getenv(variable);
    const bool has_more = before != nullptr && *before != '\0';
    ::setenv(variable, (has_more ? entry + ':' + before : entry).c_str(), 1);
}

template <class T>
bool elf_file::read(std::uint64_t offset, T& into) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof into) {
        return false;
    }
    std::memcpy(&into, bytes_.data() + offset, sizeof into);
    return true;
}

elf_file::elf_file(const std::filesystem::path& path) {
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

std::vector<std::string> elf_file::needed() const {
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

std::string elf_file::loader() const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type == PT_INTERP) {
            return text_at(segment.p_offset);
        }
    }
    return {};
}

std::string elf_file::interpreter() const {
    if (bytes_.size() < 2 || bytes_[0] != '#' || bytes_[1] != '!') {
        return {};
    }
    std::istringstream line(
        std::string(bytes_.begin() + 2, std::find(bytes_.begin(), bytes_.end(), '\n')));
    std::string program;
    std::string argument;
    line >> program >> argument;
    const bool is_named_by_argument =
        std::filesystem::path(program).filename() == "env" && !argument.empty();
    return is_named_by_argument ? argument : program;
}

std::vector<Elf64_Dyn> elf_file::dynamic() const {
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

std::uint64_t elf_file::file_offset(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz) {
            return address - segment.p_vaddr + segment.p_offset;
        }
    }
    return bytes_.size();
}

std::string elf_file::text_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) {
        return {};
    }
    const char* const begin = bytes_.data() + offset;
    return {begin, ::strnlen(begin, bytes_.size() - offset)};
}

}  // namespace lazult::tool
