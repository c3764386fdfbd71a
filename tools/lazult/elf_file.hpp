// SPDX-License-Identifier: BSD-3-Clause
// What the file of a program says about the libraries that it needs, and the variables that choose
// these.
#pragma once

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lazult::tool {

// As a shell finds it: in PATH when the name has no slash.
std::filesystem::path find_program(const std::string& program);

// The variable is a list with colons: the entry comes before all others.
void put_first(const char* variable, const std::string& entry);

// A file in the format of the System V ABI, of this machine's word size. Whatever is out of bounds
// is not there.
class elf_file {
public:
    explicit elf_file(const std::filesystem::path& path);

    bool is_program() const noexcept { return !segments_.empty(); }
    // The names of the libraries that it is linked with.
    std::vector<std::string> needed() const;
    // The program that loads these; "" of a program that is linked statically.
    std::string loader() const;
    // Of a script: the program behind `#!`. "": it is none.
    std::string interpreter() const;

private:
    template <class T>
    bool read(std::uint64_t offset, T& into) const;
    std::vector<Elf64_Dyn> dynamic() const;
    std::uint64_t file_offset(std::uint64_t address) const;
    std::string text_at(std::uint64_t offset) const;

    std::vector<char> bytes_;
    std::vector<Elf64_Phdr> segments_;
};

}  // namespace lazult::tool
