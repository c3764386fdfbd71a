// SPDX-License-Identifier: BSD-3-Clause
// The files that the library writes because the environment says so. With `setuid`: in a program
// that has more rights than its caller. Only root can make such a program.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "child.hpp"
#include "work.hpp"

namespace {

using namespace lazult::faults;
namespace fs = std::filesystem;

constexpr const char* precious = "precious\n";

class scratch {
public:
    scratch() {
        char name[] = "/tmp/lazult-files-XXXXXX";
        path_ = ::mkdtemp(name) == nullptr ? "" : name;
        if (path_.empty()) {
            std::perror("mkdtemp");
            std::exit(2);
        }
    }
    ~scratch() { fs::remove_all(path_); }
    const fs::path& path() const { return path_; }

    // A file that the test does not want to be written to.
    fs::path victim() const {
        const fs::path file = path_ / "victim";
        std::ofstream(file) << precious;
        return file;
    }

private:
    fs::path path_;
};

std::string text_of(const fs::path& file) {
    std::ifstream from(file);
    return {std::istreambuf_iterator<char>(from), {}};
}
bool is_trace(const fs::path& file) {
    return text_of(file).find("traceEvents") != std::string::npos;
}

// In a child: what a program does that writes a trace. 0: all is well.
int run_some() {
    int result = 1;
    lazult::thread([&] { result = 0; }).join();
    return result;
}

fs::path usual_trace() { return "lazult-trace-" + std::to_string(::getpid()) + ".json"; }

// By its own number: the child makes what stands there before the library does.
outcome trace_where(const scratch& here, void (*prepare)(const fs::path& usual)) {
    return in_child([&] {
        fs::current_path(here.path());
        ::setenv("LAZULT_TRACE", "on", 1);
        prepare(usual_trace());
        return run_some();
    });
}

void judge_usual_names(judge& all) {
    {
        const scratch here;
        const outcome how = trace_where(here, [](const fs::path&) {});
        int traces = 0;
        for (const auto& each : fs::directory_iterator(here.path())) {
            traces += is_trace(each.path()) ? 1 : 0;
        }
        all.expect(how.exited_with(0) && how.words.empty() && traces == 1,
                   "a trace by its usual name", how);
    }
    const auto refuses = [](const outcome& how) {
        return how.exited_with(0) && how.words.find("LAZULT_TRACE") != std::string::npos &&
               how.words.find("cannot be written") != std::string::npos;
    };
    {
        const scratch here;
        const fs::path victim = here.victim();
        const outcome how =
            trace_where(here, [](const fs::path& usual) { fs::create_symlink("victim", usual); });
        all.expect(refuses(how) && text_of(victim) == precious,
                   "a link stands where a trace would be", how);
    }
    {
        const scratch here;
        const outcome how =
            trace_where(here, [](const fs::path& usual) { fs::create_symlink("new", usual); });
        all.expect(refuses(how) && !fs::exists(here.path() / "new"),
                   "a link to no file stands there", how);
    }
    {
        const scratch here;
        const fs::path victim = here.victim();
        const outcome how =
            trace_where(here, [](const fs::path& usual) { fs::create_hard_link("victim", usual); });
        all.expect(refuses(how) && text_of(victim) == precious, "a file stands there", how);
    }
}

// A file that the user names is written, even if it exists.
void judge_given_names(judge& all) {
    const scratch here;
    const fs::path given = here.victim();
    const outcome how = in_child([&] {
        ::setenv("LAZULT_TRACE", given.c_str(), 1);
        return run_some();
    });
    all.expect(how.exited_with(0) && is_trace(given),
               "a file by the name that was given is written anew", how);
}

constexpr const char* outputs[] = {"LAZULT_TRACE", "LAZULT_STATS"};

// This program again, as a file that gives its caller root's rights.
int judge_setuid() {
    struct statvfs where{};
    if (::geteuid() != 0 || ::statvfs("/tmp", &where) != 0 || (where.f_flag & ST_NOSUID) != 0) {
        std::puts(
            "skipped: only root makes a setuid program, and not where the system ignores that");
        return 77;
    }
    judge all;
    const scratch here;
    const fs::path program = here.path() / "program";
    fs::copy_file("/proc/self/exe", program);
    fs::permissions(here.path(), fs::perms(0755));
    ::chmod(program.c_str(), 04755);
    for (const char* output : outputs) {
        const fs::path victim = here.victim();
        fs::permissions(victim, fs::perms(0600));
        const outcome how = in_child([&] {
            ::setenv(output, victim.c_str(), 1);
            constexpr uid_t nobody = 65534;
            if (::setresuid(nobody, nobody, nobody) != 0) {
                return 3;
            }
            ::execl(program.c_str(), program.c_str(), "as root", nullptr);
            return 4;
        });
        all.expect(how.exited_with(0) && how.words.empty() && text_of(victim) == precious, output,
                   how);
    }
    return all.verdict();
}

// What the setuid program does. Without its rights the test would show nothing.
int run_as_root() { return ::geteuid() == 0 && ::getuid() != 0 ? run_some() : 5; }

}  // namespace

int main(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "";
    if (what == "as root") {
        return run_as_root();
    }
    if (what == "setuid") {
        return judge_setuid();
    }
    judge all;
    judge_usual_names(all);
    judge_given_names(all);
    return all.verdict();
}
