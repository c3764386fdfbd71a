// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <string_view>

#include <fcntl.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lazult::os {
namespace {

// Returns 0 if the sum does not fit in a size_t.
std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
    return bytes > std::numeric_limits<std::size_t>::max() - (unit - 1)
               ? 0
               : (bytes + unit - 1) & ~(unit - 1);
}

std::byte* map(std::size_t bytes, int protection) noexcept {
    void* address =
        ::mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? nullptr : static_cast<std::byte*>(address);
}

// Unmaps the parts of `whole` before and behind the aligned piece of `bytes`. Returns the piece.
std::byte* trim(std::byte* whole, std::size_t whole_bytes, std::size_t bytes,
                std::size_t alignment) noexcept {
    const auto start = reinterpret_cast<std::uintptr_t>(whole);
    const std::size_t before = round_up(start, alignment) - start;
    const std::size_t after = whole_bytes - before - bytes;
    if (before != 0) {
        ::munmap(whole, before);
    }
    if (after != 0) {
        ::munmap(whole + before + bytes, after);
    }
    return whole + before;
}

// Returns the number at index `place` of numbers with blanks between them; 0 if there is none.
std::size_t number_at(std::size_t place, std::string_view text) noexcept {
    for (; place != 0; --place) {
        text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    }
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::size_t number_in_file(const char* path, std::size_t place) noexcept {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    std::array<char, 128> text;
    const ssize_t length = ::read(file, text.data(), text.size());
    ::close(file);
    return length <= 0 ? 0 : number_at(place, {text.data(), static_cast<std::size_t>(length)});
}

void* map_aligned(std::size_t bytes, std::size_t alignment, int protection) noexcept {
    const std::size_t page = page_size();
    alignment = std::max(alignment, page);
    const std::size_t rounded = round_up(bytes, page);
    if (rounded == 0 || !std::has_single_bit(alignment)) {
        return nullptr;
    }
    if (alignment == page) {
        return map(rounded, protection);
    }
    const std::size_t slack = alignment - page;
    if (rounded > std::numeric_limits<std::size_t>::max() - slack) {
        return nullptr;
    }
    std::byte* whole = map(rounded + slack, protection);
    return whole == nullptr ? nullptr : trim(whole, rounded + slack, rounded, alignment);
}

}  // namespace

std::size_t page_size() noexcept {
    static const std::size_t size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return size;
}

void* reserve(std::size_t bytes, std::size_t alignment) noexcept {
    return map_aligned(bytes, alignment, PROT_READ | PROT_WRITE);
}

void* reserve_at(std::uintptr_t place, std::size_t bytes) noexcept {
    // MAP_FIXED_NOREPLACE; older kernels take the address for a hint only
    constexpr int there_or_nowhere = 0x100000;
    auto* const wanted = reinterpret_cast<void*>(place);
    void* const address =
        ::mmap(wanted, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | there_or_nowhere, -1, 0);
    if (address == wanted) {
        return address;
    }
    if (address != MAP_FAILED) {
        ::munmap(address, bytes);
    }
    return nullptr;
}

void* reserve_addresses(std::size_t bytes, std::size_t alignment) noexcept {
    void* memory = map_aligned(bytes, alignment, PROT_NONE);
    if (memory != nullptr) {
        ::madvise(memory, bytes, MADV_DONTDUMP);  // else a core file would contain all of it
    }
    return memory;
}

bool commit(void* address, std::size_t bytes) noexcept {
    ::madvise(address, bytes, MADV_DODUMP);
    return ::mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
}

void release(void* address, std::size_t bytes) noexcept {
    if (address != nullptr) {
        ::munmap(address, round_up(bytes, page_size()));
    }
}

bool discard(void* address, std::size_t bytes) noexcept {
    return ::madvise(address, bytes, MADV_DONTNEED) == 0;
}

namespace {

// Looks for the first of `pages` pages that has memory, or a place in the swap space. Returns
// `pages` if there is none, and nothing if the file cannot be read.
std::optional<std::size_t> first_present(int pagemap, std::size_t first,
                                         std::size_t pages) noexcept {
    constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
    std::array<std::uint64_t, 32> words;  // few: the caller may be on the stack that it looks at
    for (std::size_t at = 0; at < pages;) {
        const std::size_t count = std::min(words.size(), pages - at);
        const std::size_t bytes = count * sizeof(words[0]);
        const ssize_t got = ::pread(pagemap, words.data(), bytes,
                                    static_cast<off_t>((first + at) * sizeof(words[0])));
        if (got != static_cast<ssize_t>(bytes)) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i != count; ++i, ++at) {
            if ((words[i] & present_or_swapped) != 0) {
                return at;
            }
        }
    }
    return pages;
}

}  // namespace

// The file is opened each time, because a program may close all descriptors, or fork.
std::optional<std::byte*> first_touched_page(std::byte* begin, std::byte* end) noexcept {
    const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) {
        return std::nullopt;
    }
    const std::size_t page = page_size();
    const std::optional<std::size_t> found =
        first_present(pagemap, reinterpret_cast<std::uintptr_t>(begin) / page,
                      static_cast<std::size_t>(end - begin) / page);
    ::close(pagemap);
    return found ? std::optional(begin + *found * page) : std::nullopt;
}

bool advise_huge(void* address, std::size_t bytes) noexcept {
    return ::madvise(address, bytes, MADV_HUGEPAGE) == 0;
}

bool advise_small(void* address, std::size_t bytes) noexcept {
    return ::madvise(address, bytes, MADV_NOHUGEPAGE) == 0;
}

std::size_t free_addresses() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return std::numeric_limits<std::size_t>::max();
    }
    const std::size_t used = number_in_file("/proc/self/statm", 0) * page_size();
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

std::size_t resident_bytes() noexcept {
    return number_in_file("/proc/self/statm", 1) * page_size();
}

std::size_t most_mappings() noexcept { return number_in_file("/proc/sys/vm/max_map_count", 0); }

}  // namespace lazult::os
