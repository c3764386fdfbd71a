// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: memory of devices. The host is the only device, and has the number
// 0.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "abi/export.hpp"

namespace {

bool is_host(int device) noexcept { return device == 0; }

// A block to be copied. Each member has a value for each dimension: how much is copied, where the
// copy begins in both arrays, and how large both arrays are.
struct block {
    const std::size_t* volume;
    const std::size_t* to_offset;
    const std::size_t* from_offset;
    const std::size_t* to_size;
    const std::size_t* from_size;

    block inner() const noexcept {
        return {volume + 1, to_offset + 1, from_offset + 1, to_size + 1, from_size + 1};
    }
};

std::size_t bytes_of(std::size_t element, int dimensions, const std::size_t* sizes) noexcept {
    for (int i = 0; i < dimensions; ++i) {
        element *= sizes[i];
    }
    return element;
}

void copy_block(char* to, const char* from, std::size_t element, int dimensions,
                const block& b) noexcept {
    const std::size_t to_row = bytes_of(element, dimensions - 1, b.to_size + 1);
    const std::size_t from_row = bytes_of(element, dimensions - 1, b.from_size + 1);
    to += b.to_offset[0] * to_row;
    from += b.from_offset[0] * from_row;
    if (dimensions == 1) {
        std::memcpy(to, from, element * b.volume[0]);
        return;
    }
    for (std::size_t i = 0; i < b.volume[0]; ++i) {
        copy_block(to + i * to_row, from + i * from_row, element, dimensions - 1, b.inner());
    }
}

}  // namespace

extern "C" {

OMP_API void* omp_target_alloc(std::size_t bytes, int device) {
    return is_host(device) ? std::malloc(bytes) : nullptr;
}

OMP_API void omp_target_free(void* memory, int device) {
    if (is_host(device)) {
        std::free(memory);
    }
}

OMP_API int omp_target_is_present(const void* address, int device) {
    return address == nullptr || is_host(device) ? 1 : 0;
}

OMP_API int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                              std::size_t from_offset, int to_device, int from_device) {
    if (!is_host(to_device) || !is_host(from_device)) {
        return EINVAL;
    }
    std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset,
                bytes);
    return 0;
}

OMP_API int omp_target_memcpy_rect(void* to, const void* from, std::size_t element, int dimensions,
                                   const std::size_t* volume, const std::size_t* to_offset,
                                   const std::size_t* from_offset, const std::size_t* to_size,
                                   const std::size_t* from_size, int to_device, int from_device) {
    if (to == nullptr && from == nullptr) {
        return INT_MAX;  // the largest number of dimensions
    }
    if (!is_host(to_device) || !is_host(from_device) || dimensions < 1) {
        return EINVAL;
    }
    copy_block(static_cast<char*>(to), static_cast<const char*>(from), element, dimensions,
               {volume, to_offset, from_offset, to_size, from_size});
    return 0;
}

// Memory of the host cannot be associated with other memory of the host.
OMP_API int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) {
    return EINVAL;
}
OMP_API int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }
}
