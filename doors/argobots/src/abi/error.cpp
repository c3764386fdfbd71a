// SPDX-License-Identifier: BSD-3-Clause
// The names of error codes.
#include <cstring>

#include "handles/refusing.hpp"

extern "C" int ABT_error_get_str(int err, char* str, size_t* len) {
    const std::string_view name = lazult::abt::name_of_code(err);
    if (name.empty()) {
        return ABT_ERR_OTHER;
    }
    if (str != nullptr) {
        std::memcpy(str, name.data(), name.size() + 1);
    }
    if (len != nullptr) {
        *len = name.size();
    }
    return ABT_SUCCESS;
}
