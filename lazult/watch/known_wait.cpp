// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/known_wait.hpp"

#include <cstdio>

namespace lazult::watch {

std::string object_words(const known_wait& of) {
    if (!of.words.empty()) {
        return of.words;
    }
    if (of.object == nullptr) {
        return of.kind;
    }
    char address[32];
    std::snprintf(address, sizeof address, " %p", of.object);
    return of.kind + std::string(address);
}

}  // namespace lazult::watch
