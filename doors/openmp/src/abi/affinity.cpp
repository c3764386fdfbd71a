// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: texts that say where threads are.
#include <algorithm>
#include <cstring>

#include "abi/export.hpp"
#include "environment/environment.hpp"
#include "teams/affinity_format.hpp"

using namespace lazult::omp;

namespace {

// Copies a text as C expects it. copy_out_filled() does so for Fortran, and fills it up with
// blanks.
std::size_t copy_out(const std::string& text, char* buffer, std::size_t size) noexcept {
    if (size != 0) {
        const std::size_t count = std::min(text.size(), size - 1);
        std::memcpy(buffer, text.data(), count);
        buffer[count] = '\0';
    }
    return text.size();
}
std::int32_t copy_out_filled(const std::string& text, char* buffer, std::size_t size) noexcept {
    const std::size_t count = std::min(text.size(), size);
    std::memcpy(buffer, text.data(), count);
    std::memset(buffer + count, ' ', size - count);
    return static_cast<std::int32_t>(text.size());
}

std::string_view text_of(const char* text) noexcept { return text == nullptr ? "" : text; }
std::string_view without_blanks(const char* text, std::size_t size) noexcept {
    std::string_view all(text, text == nullptr ? 0 : size);
    while (!all.empty() && all.back() == ' ') {
        all.remove_suffix(1);
    }
    return all;
}

}  // namespace

extern "C" {

OMP_API void omp_set_affinity_format(const char* format) {
    variables().affinity_format = text_of(format);
}
OMP_API void omp_set_affinity_format_(const char* format, std::size_t size) {
    variables().affinity_format = without_blanks(format, size);
}
OMP_API std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
    return copy_out(variables().affinity_format, buffer, size);
}
OMP_API std::int32_t omp_get_affinity_format_(char* buffer, std::size_t size) {
    return copy_out_filled(variables().affinity_format, buffer, size);
}
OMP_API void omp_display_affinity(const char* format) { display_affinity(text_of(format)); }
OMP_API void omp_display_affinity_(const char* format, std::size_t size) {
    display_affinity(without_blanks(format, size));
}
OMP_API std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
    return copy_out(formatted(text_of(format)), buffer, size);
}
OMP_API std::int32_t omp_capture_affinity_(char* buffer, const char* format, std::size_t size,
                                           std::size_t format_size) {
    return copy_out_filled(formatted(without_blanks(format, format_size)), buffer, size);
}
}
