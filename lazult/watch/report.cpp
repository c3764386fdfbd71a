// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <system_error>

#include "lazult/core/core.hpp"
#include "lazult/watch/stack_use_table.hpp"
#include "lazult/watch/statistics_table.hpp"
#include "lazult/watch/trace_file.hpp"

namespace lazult::watch {
namespace {

// Used under `lock`, except in report() at the end of the process.
struct report_state {
    report_state() noexcept { base::hold_across_fork(base::fork_lock::reports, lock); }

    std::mutex lock;
    bool is_registered = false;
    ::pid_t process = 0;
    std::FILE* trace = nullptr;
    std::string trace_path;
};

report_state& reports() { return base::the_only<report_state>(); }

void warn_of_file(const char* setting, const std::string& path, const char* consequence) {
    const int reason = errno;
    base::warn(std::string(setting) + ": the file \"" + path + "\" cannot be written (" +
               std::generic_category().message(reason) + "): " + consequence);
}

// Creates a file under a name that the user did not give, and that an attacker may have guessed. So
// it opens no file that exists already, and follows no link.
std::FILE* create_file(const std::string& path) noexcept {
    constexpr int rights = 0666;  // less the umask
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, rights);
    return file < 0 ? nullptr : ::fdopen(file, "w");
}

void open_trace(report_state& r) {
    const std::uint32_t output = base::current_settings().trace;
    r.trace_path = base::output_path_of_process(
        output, "lazult-trace-" + std::to_string(::getpid()) + ".json");
    r.trace = base::output_path(output) == nullptr ? create_file(r.trace_path)
                                                   : std::fopen(r.trace_path.c_str(), "we");
    if (r.trace == nullptr) {
        warn_of_file("LAZULT_TRACE", r.trace_path, "nothing is traced");
        core::give_up_tracing();
    }
}

void close_trace(report_state& r) {
    const bool is_whole = write_trace(r.trace);
    if (std::fclose(r.trace) != 0) {
        warn_of_file("LAZULT_TRACE", r.trace_path, "the trace is not whole");
    } else if (!is_whole) {
        base::warn(
            "LAZULT_TRACE: there is no memory to write the trace; lower LAZULT_TRACE_EVENTS");
    }
    r.trace = nullptr;
}

// Writes a table to where the setting `variable`, which has the value `output`, says.
void report_table(const char* variable, std::uint32_t output,
                  void (*write)(std::FILE*, bool as_json) noexcept) {
    if (base::output_path(output) == nullptr) {
        if (output != base::output_off) {
            write(stderr, false);
        }
        return;
    }
    const std::string path = base::output_path_of_process(output, "");
    std::FILE* file = std::fopen(path.c_str(), "we");
    if (file == nullptr) {
        warn_of_file(variable, path, "here they are");
        write(stderr, false);
        return;
    }
    write(file, path.ends_with(".json"));
    if (std::fclose(file) != 0) {
        warn_of_file(variable, path, "the figures are not whole");
    }
}

void report() {
    report_state& r = reports();
    if (r.process != ::getpid()) {
        return;
    }
    const base::settings& s = base::current_settings();
    report_table("LAZULT_STATS", s.stats, write_statistics);
    report_table("LAZULT_STACK_USE", s.stack_use, write_stack_use);
    if (r.trace != nullptr) {
        close_trace(r);
    }
}

}  // namespace

void report_at_exit() noexcept {
    const base::settings& s = base::current_settings();
    if (s.stats == base::output_off && s.stack_use == base::output_off &&
        s.trace == base::output_off) {
        return;
    }
    const probe::unwatched preparing;
    report_state& r = reports();
    const std::lock_guard hold(r.lock);
    if (r.trace == nullptr && s.trace != base::output_off && r.trace_path.empty()) {
        open_trace(r);
    }
    if (!r.is_registered) {
        r.is_registered = true;
        r.process = ::getpid();
        std::atexit(report);
    }
}

}  // namespace lazult::watch
