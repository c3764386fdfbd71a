// SPDX-License-Identifier: BSD-3-Clause
#include "caller/caller.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "real/real.hpp"

namespace lazult::posix {
namespace {

using namespace std::literals;

// Beginnings of file names. Our own libraries; other runtimes with threads of their own;
// communication; allocators; the C library, the linker and sanitizers.
constexpr std::array left_alone{
    "liblazult"sv, "libabt."sv,  "libgomp"sv,     "libomp."sv,     "libtbb"sv,      "libmpi"sv,
    "libpmi"sv,    "libopen-"sv, "libprrte"sv,    "mca_"sv,        "libuc"sv,       "libfabric"sv,
    "libhwloc"sv,  "libevent"sv, "libjemalloc"sv, "libtcmalloc"sv, "libmimalloc"sv, "libc.so"sv,
    "librt."sv,    "libanl."sv,  "libc-"sv,       "libpthread"sv,  "ld-linux"sv,    "libnss_"sv,
    "libresolv"sv, "libasan"sv,  "libtsan"sv,     "libubsan"sv,    "liblsan"sv,
};

// The names in LAZULT_POSIX_LEAVE, divided by colons.
bool is_named_by_user(std::string_view file) noexcept {
    static const char* const text = ::secure_getenv("LAZULT_POSIX_LEAVE");
    std::string_view left = text == nullptr ? ""sv : text;
    while (!left.empty()) {
        const std::string_view name = left.substr(0, left.find(':'));
        left.remove_prefix(std::min(left.size(), name.size() + 1));
        if (!name.empty() && file.starts_with(name)) {
            return true;
        }
    }
    return false;
}

// The file to which the code belongs; empty for the program's own. Where it can, without the lock
// that dlopen() holds while it initializes a library.
std::string_view file_of(const void* code) noexcept {
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    dl_find_object found{};
    const char* const path = ::_dl_find_object(const_cast<void*>(code), &found) != 0
                                 ? nullptr
                                 : found.dlfo_link_map->l_name;
#else
    Dl_info found{};
    const char* const path = ::dladdr(code, &found) == 0 ? nullptr : found.dli_fname;
#endif
    return path == nullptr ? ""sv : path;
}

bool look_up(const void* code) noexcept {
    const base::errno_guard keeps_errno;
    const std::string_view path = file_of(code);
    const std::string_view file = path.substr(path.rfind('/') + 1);
    if (file.empty() || arch::calls_by_pointer(code)) {
        return false;
    }
    for (const std::string_view name : left_alone) {
        if (file.starts_with(name)) {
            return true;
        }
    }
    return is_named_by_user(file);
}

// What was found, by address: the address, and one bit for the answer.
//
// field     written by    read by    order
// entries   anybody       anybody    relaxed: an entry is whole in itself
class answers {
public:
    bool find(const void* code, bool& answer) const noexcept {
        const std::uint64_t seen = place(code).load(std::memory_order_relaxed);
        answer = (seen & 1) != 0;
        return seen >> 1 == reinterpret_cast<std::uintptr_t>(code);
    }
    void keep(const void* code, bool answer) noexcept {
        place(code).store(std::uint64_t{reinterpret_cast<std::uintptr_t>(code)} << 1 | answer,
                          std::memory_order_relaxed);
    }
    void forget() noexcept {
        for (auto& each : entries_) {
            each.store(0, std::memory_order_relaxed);
        }
    }

private:
    using entry = ds::default_atomics::atomic<std::uint64_t>;
    static constexpr std::size_t size = 1024;

    const entry& place(const void* code) const noexcept {
        const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(code));
        return entries_[number * 0x9e3779b97f4a7c15 >> 54];
    }
    entry& place(const void* code) noexcept {
        return const_cast<entry&>(std::as_const(*this).place(code));
    }

    std::array<entry, size> entries_{};
};

constinit answers known;

}  // namespace

bool is_left_alone(const void* code) noexcept {
    bool answer = false;
    if (!known.find(code, answer)) LAZULT_UNLIKELY {
        answer = look_up(code);
        known.keep(code, answer);
    }
    return answer;
}

void forget_code() noexcept { known.forget(); }

}  // namespace lazult::posix

namespace {

using namespace lazult::posix;

LAZULT_REAL real<int(void*)> real_dlclose{"dlclose"};

}  // namespace

// Another library may come to stand where this one stood.
extern "C" int dlclose(void* library) noexcept {
    const int result = real_dlclose(library);
    forget_code();
    return result;
}
