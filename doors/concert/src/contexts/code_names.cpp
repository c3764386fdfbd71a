// SPDX-License-Identifier: BSD-3-Clause
// Names of functions that hold on every rank. Each process loads the same program and libraries,
// but at other addresses. A name is a number for the module, made of the identity that the linker
// gave it, and the function's distance from the module's beginning.
//
// The table of modules is made anew when an address or a module's number is asked for that it does
// not have, as after dlopen(). A table is never changed and never freed, so that a reader needs no
// lock. A library that has methods must not be closed: another one could come to the same address,
// and nothing here would notice.
//
// field   | written by | read by | order
// modules | learn      | all     | release / acquire
#include "lazult/base/base.hpp"
#include "lazult/ds/ds.hpp"

#include <lazult_concert/transfer.hpp>

#include <lazult/error.hpp>

#include <elf.h>
#include <link.h>
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace lazult::concert {
namespace {

// A name: 32 bits of the module's identity above 32 bits of distance.
constexpr unsigned distance_bits = 32;
constexpr std::uint64_t distance_mask = (std::uint64_t{1} << distance_bits) - 1;

struct module {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::uint64_t key;
};

// Sorted by `begin`.
using module_table = std::vector<module>;

// FNV-1a, by Fowler, Noll and Vo.
class hash {
public:
    void add(const void* data, std::size_t bytes) noexcept {
        for (const auto* p = static_cast<const unsigned char*>(data); bytes > 0; --bytes, ++p) {
            value_ = (value_ ^ *p) * 0x100000001b3;
        }
    }
    std::uint64_t folded() const noexcept { return (value_ ^ (value_ >> 32)) & 0xffffffff; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

// Adds the build id in a module's notes. Returns false if there is none.
bool add_build_id(hash& to, const char* notes, std::size_t bytes) noexcept {
    const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        const char* const name = notes + at + sizeof note;
        const char* const content = name + padded(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            std::memcmp(name, "GNU", 4) == 0) {
            to.add(content, note.n_descsz);
            return true;
        }
        at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    }
    return false;
}

// A module without a build id is known by its file's name and the sizes of its parts.
module module_of(const dl_phdr_info& info) noexcept {
    module m{~std::uintptr_t{0}, 0, 0};
    hash parts;
    hash id;
    bool has_id = false;
    for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info.dlpi_phdr[i];
        const std::uintptr_t at = info.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD) {
            m.begin = std::min(m.begin, at);
            m.end = std::max(m.end, at + part.p_memsz);
            parts.add(&part.p_vaddr, sizeof part.p_vaddr);
            parts.add(&part.p_filesz, sizeof part.p_filesz);
        } else if (part.p_type == PT_NOTE && !has_id) {
            has_id = add_build_id(id, reinterpret_cast<const char*>(at), part.p_filesz);
        }
    }
    const std::string_view file(info.dlpi_name);
    const std::string_view name = file.substr(file.rfind('/') + 1);
    parts.add(name.data(), name.size());
    m.key = (has_id ? id : parts).folded();
    return m;
}

constinit ds::default_atomics::atomic<const module_table*> modules{nullptr};

const module_table* learn() {
    static std::mutex one_at_a_time;
    static std::vector<std::unique_ptr<module_table>> all;
    const std::lock_guard hold(one_at_a_time);
    auto table = std::make_unique<module_table>();
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* into) {
            static_cast<module_table*>(into)->push_back(module_of(*info));
            return 0;
        },
        table.get());
    std::sort(table->begin(), table->end(),
              [](const module& a, const module& b) { return a.begin < b.begin; });
    const module_table* const made = table.get();
    all.push_back(std::move(table));
    modules.store(made, std::memory_order_release);  // pairs with: known_modules()
    return made;
}

const module_table* known_modules() noexcept {
    return modules.load(std::memory_order_acquire);  // pairs with: learn()
}

const module* find_address(const module_table* in, std::uintptr_t address) noexcept {
    if (in == nullptr) {
        return nullptr;
    }
    auto after = std::upper_bound(in->begin(), in->end(), address,
                                  [](std::uintptr_t a, const module& m) { return a < m.begin; });
    if (after == in->begin()) {
        return nullptr;
    }
    --after;
    return address < after->end ? &*after : nullptr;
}

const module* find_key(const module_table* in, std::uint64_t key) noexcept {
    if (in == nullptr) {
        return nullptr;
    }
    const auto found =
        std::find_if(in->begin(), in->end(), [key](const module& m) { return m.key == key; });
    return found == in->end() ? nullptr : &*found;
}

}  // namespace

namespace detail {

std::uint64_t name_of_code(const void* code) {
    if (code == nullptr) LAZULT_UNLIKELY {
        return 0;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    const module* in = find_address(known_modules(), address);
    if (in == nullptr) LAZULT_UNLIKELY {
        in = find_address(learn(), address);
    }
    if (in == nullptr) LAZULT_UNLIKELY {
        throw error(errc::not_supported, "function for another rank",
                    "it is in no module that other ranks could have",
                    "give a function of the program or of a library");
    }
    return (in->key << distance_bits) | ((address - in->begin) & distance_mask);
}

const void* code_of_name(std::uint64_t name) noexcept {
    if (name == 0) LAZULT_UNLIKELY {
        return nullptr;
    }
    const std::uint64_t key = name >> distance_bits;
    const module* in = find_key(known_modules(), key);
    if (in == nullptr) LAZULT_UNLIKELY {
        in = find_key(learn(), key);
    }
    if (in == nullptr || in->begin + (name & distance_mask) >= in->end) LAZULT_UNLIKELY {
        base::fatal_misuse("method", "another rank calls one that this rank does not have",
                           "run the same program, with the same libraries, on all ranks");
    }
    return reinterpret_cast<const void*>(in->begin + (name & distance_mask));
}

// The Itanium C++ ABI (2.3.1) marks a virtual function in the lowest bit of the first word, Arm's
// variant of it in that of the second. A virtual function that is known as such tells which it is.
bool member_words::is_virtual() const noexcept {
    struct has_virtual {
        virtual void function() {}
    };
    const auto known = __builtin_bit_cast(member_words, &has_virtual::function);
    return (known.code & 1) != 0 ? (code & 1) != 0 : (adjustment & 1) != 0;
}

}  // namespace detail
}  // namespace lazult::concert
