// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/wait_note.hpp"

namespace lazult::sync {

std::string words_of_note(const wait_words& words, int first, int second) {
    std::string text = words.what;
    int number = first;
    for (const char* form = words.form; *form != '\0'; ++form) {
        if (*form != '%') {
            text += *form;
            continue;
        }
        text += number < 0 ? "any" : std::to_string(number);
        number = second;
    }
    return text;
}

}  // namespace lazult::sync
