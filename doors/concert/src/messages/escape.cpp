// SPDX-License-Identifier: BSD-3-Clause
#include "messages/escape.hpp"

#include "support/failure.hpp"

#include <cxxabi.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <typeinfo>

namespace lazult::concert {
namespace {

// The words about the exception that is on its way on this OS thread. Not inlined, because a ULT
// may go on on another OS thread, which has words of its own.
LAZULT_NOINLINE std::string& words_here() noexcept {
    thread_local std::string mine;
    return mine;
}

std::string readable_type() {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    if (type == nullptr) {
        return "of a foreign language";
    }
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr), &std::free);
    return name != nullptr ? name.get() : type->name();
}

std::string describe_current() {
    try {
        throw;
    } catch (const std::exception& e) {
        return readable_type() + " (\"" + e.what() + "\")";
    } catch (...) {
        return readable_type();
    }
}

}  // namespace

void describe_escape(std::string_view handler, unsigned source, bool aloud) noexcept {
    try {
        const std::string object = "handler \"" + std::string(handler) + "\"";
        const std::string cause = "an exception left it, of a message from rank " +
                                  std::to_string(source) + ": " + describe_current();
        const char* const cure =
            "catch it in the handler, or where extract() and quiesce() throw it";
        remember_failure(object, cause, cure);
        words_here() = last_words();
        if (aloud) {
            std::fprintf(stderr, "%s\n", last_words().c_str());
        }
    } catch (...) {  // without memory for the words
        words_here().clear();
    }
}

escape keep_escape() noexcept {
    return {std::current_exception(), std::exchange(words_here(), {})};
}

void expect_escape() noexcept { words_here().clear(); }

void rethrow_if_any(const escape& kept) {
    if (!kept) LAZULT_LIKELY {
        return;
    }
    if (!kept.words.empty()) {
        remember_words(kept.words);
        words_here() = kept.words;
    }
    std::rethrow_exception(kept.thrown);
}

}  // namespace lazult::concert
