// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <cxxabi.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

namespace lazult::checker {
namespace {

struct report_state {
    std::mutex lock;
    std::set<const void*> places;
    ::pid_t process = 0;
};

report_state& reports() { return base::the_only<report_state>(); }

// Where the access is, and its callers. The frames of the checker, which come first, are left out.
struct capture {
    const void* code;
    core::backtrace frames;
    bool is_past_checker = false;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* frame, void* into) noexcept {
    auto& c = *static_cast<capture*>(into);
    auto* const place = reinterpret_cast<void*>(_Unwind_GetIP(frame));
    c.is_past_checker = c.is_past_checker || place == c.code;
    if (c.is_past_checker && place != nullptr && c.frames.count != core::backtrace::most) {
        c.frames.places[c.frames.count++] = place;
    }
    return _URC_NO_REASON;
}

std::string name_of_thread(const os_thread& t) {
    const std::string number = "OS thread " + std::to_string(t.system_number);
    return t.rank < 0 ? number : "stream " + std::to_string(t.rank) + " (" + number + ")";
}

std::string readable(const std::string& symbol) {
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &failed), std::free);
    return failed == 0 ? name.get() : symbol;
}

// The offset of errno is the same in each thread's block of the C library.
bool is_errno(const finding& found) noexcept {
    const auto own = reinterpret_cast<std::uintptr_t>(&errno);
    return std::ranges::any_of(this_os_thread()->blocks, [&](const block& b) {
        return own >= b.begin && own < b.end && b.file_base == found.where.file_base &&
               own - b.begin == found.offset;
    });
}

std::string name_of_variable(const finding& found) {
    const std::string& path = found.where.file;
    const std::string file = path.empty() ? "the program" : path;
    std::uint64_t begin = 0;
    const std::string name = os::thread_local_name(path.c_str(), found.offset, begin);
    if (name.empty()) {
        return "the thread-local storage of " + file + ", byte " + std::to_string(found.offset);
    }
    const std::uint64_t inside = found.offset - begin;
    return "`" + readable(name) + "`" + (inside == 0 ? "" : "+" + std::to_string(inside)) + " of " +
           file;
}

struct message {
    const core::work_unit* unit;
    const os_thread* here;
    const finding* found;
    std::size_t size;
    access what;
    bool is_errno;
    const core::backtrace* frames;

    std::string text() const {
        std::string result =
            "lazult: checker: " + core::describe_unit(*unit) + " on " + name_of_thread(*here) +
            (what == access::read ? " reads " : " writes ") + std::to_string(size) +
            (size == 1 ? " byte of " : " bytes of ") +
            (is_errno ? "errno" : name_of_variable(*found)) + " as " +
            name_of_thread(*found->owner) + " has it, where the ULT ran before a suspension\n";
        for (std::size_t i = 0; i != frames->count; ++i) {
            result += "  #" + std::to_string(i) + " " +
                      core::describe_place(frames->places[i], true) + "\n";
        }
        return result +
               "  Take the address again after each call that may suspend, in a function that "
               "does not suspend and is not inlined: docs/thread-locals.md\n";
    }
};

void write(const message& m) noexcept {
    base::has_memory_for([&m] {
        const std::string text = m.text();
        std::fwrite(text.data(), 1, text.size(), stderr);
    });
}

// The ULT's stack may be too small for this work, so another OS thread does it if there can be one.
void write_apart(const message& m) {
    try {
        std::thread(write, std::cref(m)).join();
    } catch (const std::system_error&) {
        write(m);
    }
}

// Returns whether this place was not reported yet.
bool is_new(const void* code) {
    report_state& r = reports();
    const std::lock_guard hold(r.lock);
    r.process = ::getpid();
    return r.places.insert(code).second;
}

// Runs after the program's own functions at the exit. A child made by fork() that has found nothing
// itself ends as it would.
[[gnu::destructor]] void end_with_count() {
    report_state& r = reports();
    if (r.places.empty() || r.process != ::getpid()) {
        return;
    }
    std::fprintf(
        stderr,
        "lazult: checker: %zu place%s in the code use%s an address kept over a suspension\n",
        r.places.size(), r.places.size() == 1 ? "" : "s", r.places.size() == 1 ? "s" : "");
    std::fflush(nullptr);
    ::_exit(status_of_findings);
}

}  // namespace

void report_access(const void* code, std::size_t size, access what, const finding& found) noexcept {
    base::has_memory_for([&] {
        if (!is_new(code)) {
            return;
        }
        capture c{code, {}};
        _Unwind_Backtrace(note_frame, &c);
        write_apart({core::current_unit(), this_os_thread(), &found, size, what, is_errno(found),
                     &c.frames});
    });
}

}  // namespace lazult::checker
