// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/local_symbols.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lazult::os {
namespace {

// A file in memory. What is out of bounds is not there.
class mapped_file {
public:
    explicit mapped_file(const char* path) noexcept {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        struct stat about{};
        if (file >= 0 && ::fstat(file, &about) == 0 && about.st_size > 0) {
            bytes_ = static_cast<std::size_t>(about.st_size);
            memory_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
        }
        if (file >= 0) {
            ::close(file);
        }
        if (memory_ == MAP_FAILED) {
            bytes_ = 0;
        }
    }
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;
    ~mapped_file() {
        if (bytes_ != 0) {
            ::munmap(memory_, bytes_);
        }
    }

    template <class T>
    bool read(std::uint64_t offset, T& into) const noexcept {
        if (offset > bytes_ || bytes_ - offset < sizeof(T)) {
            return false;
        }
        std::memcpy(&into, static_cast<const char*>(memory_) + offset, sizeof(T));
        return true;
    }
    std::string text_at(std::uint64_t offset) const {
        if (offset >= bytes_) {
            return {};
        }
        const char* const text = static_cast<const char*>(memory_) + offset;
        return {text, ::strnlen(text, bytes_ - offset)};
    }

private:
    void* memory_ = MAP_FAILED;
    std::size_t bytes_ = 0;
};

// The symbol table of a file, for addresses as the file has them.
class symbol_table {
public:
    explicit symbol_table(const mapped_file& file) noexcept : file_(file) {
        is_whole_ = file.read(0, head_) && std::memcmp(head_.e_ident, ELFMAG, SELFMAG) == 0 &&
                    sizeof(void*) == (head_.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4);
    }

    // Returns where the file wants to be loaded.
    std::uint64_t first_address() const noexcept {
        std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
        ElfW(Phdr) segment{};
        for (unsigned i = 0; is_whole_ && i != head_.e_phnum; ++i) {
            if (file_.read(head_.e_phoff + std::uint64_t{i} * sizeof(segment), segment) &&
                segment.p_type == PT_LOAD) {
                const std::uint64_t unit = std::max<std::uint64_t>(segment.p_align, 1);
                first = std::min(first, segment.p_vaddr - segment.p_vaddr % unit);
            }
        }
        return first;
    }

    // Returns the name of the first symbol for which `is_it` is true, in a table of this type.
    template <class IsIt>
    std::string first(unsigned type, IsIt is_it) const {
        ElfW(Shdr) section{};
        for (unsigned i = 0; is_whole_ && i != head_.e_shnum; ++i) {
            if (read_section(i, section) && section.sh_type == type) {
                return first_in(section, is_it);
            }
        }
        return {};
    }

private:
    bool read_section(std::uint64_t index, ElfW(Shdr) & into) const noexcept {
        return file_.read(head_.e_shoff + index * sizeof(into), into);
    }

    template <class IsIt>
    std::string first_in(const ElfW(Shdr) & section, IsIt is_it) const {
        ElfW(Shdr) names{};
        ElfW(Sym) symbol{};
        if (!read_section(section.sh_link, names)) {
            return {};
        }
        for (std::uint64_t at = 0; at + sizeof(symbol) <= section.sh_size; at += sizeof(symbol)) {
            if (!file_.read(section.sh_offset + at, symbol)) {
                return {};
            }
            if (is_it(symbol)) {
                return file_.text_at(names.sh_offset + symbol.st_name);
            }
        }
        return {};
    }

    const mapped_file& file_;
    ElfW(Ehdr) head_ {};
    bool is_whole_ = false;
};

mapped_file file_at(const char* path) noexcept {
    const bool is_program = path == nullptr || *path == '\0';
    return mapped_file(is_program ? "/proc/self/exe" : path);
}

}  // namespace

std::string local_function_name(const void* entry) {
    Dl_info found{};
    void* about = nullptr;
    if (::dladdr1(entry, &found, &about, RTLD_DL_LINKMAP) == 0 || about == nullptr) {
        return {};
    }
    const mapped_file file = file_at(static_cast<const link_map*>(about)->l_name);
    const symbol_table symbols(file);
    const auto offset =
        reinterpret_cast<std::uintptr_t>(entry) - reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    const std::uint64_t address = symbols.first_address() + offset;
    return symbols.first(SHT_SYMTAB, [address](const ElfW(Sym) & s) {
        return s.st_value == address && ELF64_ST_TYPE(s.st_info) == STT_FUNC;
    });
}

// A stripped file still has the symbols that the dynamic linker needs.
std::string thread_local_name(const char* path, std::uint64_t offset, std::uint64_t& begin) {
    const mapped_file file = file_at(path);
    const symbol_table symbols(file);
    const auto has_offset = [offset, &begin](const ElfW(Sym) & s) {
        begin = s.st_value;
        return ELF64_ST_TYPE(s.st_info) == STT_TLS && s.st_shndx != SHN_UNDEF &&
               offset >= s.st_value && offset - s.st_value < s.st_size;
    };
    const std::string name = symbols.first(SHT_SYMTAB, has_offset);
    return name.empty() ? symbols.first(SHT_DYNSYM, has_offset) : name;
}

}  // namespace lazult::os
