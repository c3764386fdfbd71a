// SPDX-License-Identifier: BSD-3-Clause
// A plugin that uses Lazult is loaded, works, and is unloaded, again and again. The program is not
// linked to Lazult, so that the last dlclose() would unload that, too.
// usage: unloading PLUGIN
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "child.hpp"

namespace {

using namespace lazult::faults;

int use_plugin(const char* file, const char* function, int times) {
    for (int i = 0; i < times; ++i) {
        void* const plugin = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) {
            std::fprintf(stderr, "%s\n", ::dlerror());
            return 2;
        }
        auto* const run = reinterpret_cast<int (*)()>(::dlsym(plugin, function));
        if (run == nullptr || run() != 0 || ::dlclose(plugin) != 0) {
            return 3;
        }
    }
    ::usleep(5000);  // what was left running would run now
    if (::dlopen(LAZULT_SONAME, RTLD_NOW | RTLD_NOLOAD) == nullptr) {
        std::fprintf(stderr, "Lazult was unloaded below its threads\n");
        return 4;
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        return 2;
    }
    judge all;
    for (const char* function : {"work_and_stop", "work_and_stay", "sleep_and_stay"}) {
        const outcome how = in_child([&] { return use_plugin(arguments[1], function, 3); });
        all.expect(how.exited_with(0) && how.words.empty(), function, how);
    }
    return all.verdict();
}
